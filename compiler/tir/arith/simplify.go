package arith

import "hone/compiler/tir"

// Simplify returns e in normal form: equal to e for all values within the
// bounds and constraints, and e itself when nothing changes. Linear arithmetic
// becomes a sum of terms by falling scale; comparisons bring constants to one
// side; loops of extent one are replaced by their value. The text of the result
// is that of Apache TVM: the canonical pass, the rules, the canonical pass again.
func (a *Analyzer) Simplify(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case nil:
		return nil
	case *tir.IntImm, *tir.FloatImm, *tir.StringImm:
		return e
	case *tir.Var:
		return simplifier{a, true}.variable(x)
	}
	r := simplifier{a, true}.visit(e)
	if isFlat(r) {
		return r
	}
	r = a.ruled(r)
	if _, ok := r.(*tir.IntImm); ok {
		return r
	}
	if r = (simplifier{a, true}).visit(r); Same(r, e) {
		return e
	}
	return r
}

// ruled applies the rules, twice where the first time changed something.
func (a *Analyzer) ruled(e tir.Expr) tir.Expr {
	s := simplifier{a, false}
	r := s.visit(e)
	if r == e {
		return r
	}
	return s.visit(r)
}

// SimplifyRange simplifies both parts of a range.
func (a *Analyzer) SimplifyRange(r tir.Range) tir.Range {
	return tir.Range{Min: a.Simplify(r.Min), Extent: a.Simplify(r.Extent)}
}

// isFlat reports whether e is a linear sum of variables in canonical order, each
// mentioned once: the rules change such a sum only in ways that the canonical
// pass undoes.
func isFlat(e tir.Expr) bool {
	group, scale := -1, int64(NegInf) // of the pieces to the right
	constant := false
	for e != nil {
		piece, sign := e, int64(1)
		b, _ := e.(*tir.Binary)
		if b != nil && (b.Op == tir.OpAdd || b.Op == tir.OpSub) {
			piece, e = b.B, b.A
			if b.Op == tir.OpSub {
				sign = -1
			}
		} else {
			e = nil
		}
		v, k := flatPiece(piece)
		g, k := pieceGroup(v, k*sign), k*sign
		if k == 0 || v == nil && constant || g < group || g == group && k < scale || g < 1 && e == nil || v != nil && mentions(e, v) {
			return false
		}
		group, scale, constant = g, k, constant || v == nil
	}
	return true
}

// flatPiece reads a variable, a positive multiple of one, or a positive constant;
// k is 0 for anything else.
func flatPiece(e tir.Expr) (v *tir.Var, k int64) {
	switch x := e.(type) {
	case *tir.Var:
		if isIndex(x.Type) {
			return x, 1
		}
	case *tir.IntImm:
		if x.Value > 0 && isIndex(x.Type) {
			return nil, x.Value
		}
	case *tir.Binary:
		v, ok := x.A.(*tir.Var)
		if c, isConst := tir.AsInt(x.B); ok && isConst && c > 1 && x.Op == tir.OpMul && isIndex(x.T) {
			return v, c
		}
	}
	return nil, 0
}

// pieceGroup is the place of a piece in a sum, from the right: subtracted
// constants, subtracted terms, added constants, added terms.
func pieceGroup(v *tir.Var, k int64) int {
	switch {
	case v == nil && k < 0:
		return -1
	case k < 0:
		return 0
	case v == nil:
		return 1
	}
	return 2
}

func mentions(e tir.Expr, v *tir.Var) bool {
	switch x := e.(type) {
	case *tir.Var:
		return x == v
	case *tir.Binary:
		return mentions(x.A, v) || mentions(x.B, v)
	}
	return false
}

// simplifier is one pass over an expression: the canonical pass treats linear
// arithmetic as sums of terms, the other pass applies the rules to it; both
// apply the rules to everything else.
type simplifier struct {
	*Analyzer
	canon bool
}

// visit simplifies e and what is below it.
func (s simplifier) visit(e tir.Expr) tir.Expr {
	s.effort++
	switch x := e.(type) {
	case *tir.IntImm, *tir.FloatImm, *tir.StringImm, *tir.BufferRef:
		return e
	case *tir.Var:
		return s.variable(x)
	case *tir.Binary:
		if s.canon && x.Op <= tir.OpFloorMod && isIndex(x.T) {
			return s.canonical(x)
		}
	case *tir.Cast:
		if s.canon && isIndex(x.Type) {
			return s.canonical(x)
		}
	}
	return s.other(e)
}

func (s simplifier) variable(v *tir.Var) tir.Expr {
	if v.Type.IsBool() {
		if r := s.decided(v); r != nil {
			return r
		}
	}
	if f := s.find(v); f != nil && f.value != nil {
		return f.value
	}
	return v
}

// maxDepth bounds how deeply rules simplify what they built, as in Apache TVM:
// below it the result stays as the rule wrote it.
const maxDepth = 5

// again simplifies an expression that a rule built.
func (s simplifier) again(e tir.Expr) tir.Expr {
	d := &s.depth[0]
	if s.canon {
		d = &s.depth[1]
	}
	if *d >= maxDepth {
		return e
	}
	*d++
	e = s.visit(e)
	*d--
	return e
}

// other simplifies the operands of e and applies the rules to e.
func (s simplifier) other(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case *tir.Var:
		return s.variable(x)
	case *tir.Binary:
		return s.binary(x)
	case *tir.Not:
		return s.not(x)
	case *tir.Cast:
		if v := s.visit(x.Value); v != x.Value {
			return tir.NewCast(x.Type, v)
		}
	case *tir.Select:
		return s.choice(x)
	case *tir.Let:
		return s.let(x)
	case *tir.Ramp:
		if b, st := s.visit(x.Base), s.visit(x.Stride); b != x.Base || st != x.Stride {
			return &tir.Ramp{Base: b, Stride: st, Lanes: x.Lanes}
		}
	case *tir.Broadcast:
		if v := s.visit(x.Value); v != x.Value {
			return &tir.Broadcast{Value: v, Lanes: x.Lanes}
		}
	case *tir.Load:
		if idx, changed := s.list(x.Indices); changed {
			return &tir.Load{Buffer: x.Buffer, Indices: idx}
		}
	case *tir.Call:
		return s.call(x)
	}
	return e
}

func (s simplifier) list(es []tir.Expr) ([]tir.Expr, bool) {
	var out []tir.Expr
	for i, e := range es {
		r := s.visit(e)
		if r != e && out == nil {
			out = append([]tir.Expr(nil), es...)
		}
		if out != nil {
			out[i] = r
		}
	}
	if out == nil {
		return es, false
	}
	return out, true
}

// as returns e as a binary node of the given operation, or nil.
func as(op tir.BinOp, e tir.Expr) *tir.Binary {
	if b, ok := e.(*tir.Binary); ok && b.Op == op {
		return b
	}
	return nil
}

func isConst(e tir.Expr) bool {
	switch e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return true
	}
	return false
}
