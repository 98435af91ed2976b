package arith

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Analyzer knows the variables and conditions in scope. The zero value is ready
// to use and knows nothing.
type Analyzer struct {
	vars  []varFacts
	index map[*tir.Var]int32 // of vars, built once there are many
	known []exprFact         // bounds of whole expressions, from constraints
	lits  []tir.Expr         // conditions that hold, simplified
	pairs []pair             // relations of two expressions that hold
	conds []tir.Expr         // conditions that hold, as they were given

	terms  []term // scratch stack of the canonical pass
	depth  [2]int // nesting of re-simplification by either pass, see again
	proofs int    // nesting of comparisons that simplify
	effort int    // what the outermost of them has visited, see prove
}

// varFacts is what is known of one variable. value is set when it is bound to
// an expression; lo and hi are symbolic inclusive limits or nil.
type varFacts struct {
	v      *tir.Var
	bound  Bound
	mod    Modular
	value  tir.Expr
	lo, hi tir.Expr
}

type exprFact struct {
	expr  tir.Expr
	bound Bound
}

// manyVars is the number of variables above which a map beats a scan.
const manyVars = 48

// NewAnalyzer makes an analyzer that knows nothing.
func NewAnalyzer() *Analyzer { return &Analyzer{} }

// Reset forgets everything but keeps the memory.
func (a *Analyzer) Reset() {
	clear(a.vars)
	a.vars, a.known, a.lits, a.terms = a.vars[:0], a.known[:0], a.lits[:0], a.terms[:0]
	a.pairs, a.conds = a.pairs[:0], a.conds[:0]
	a.index, a.depth, a.proofs, a.effort = nil, [2]int{}, 0, 0
}

func (a *Analyzer) find(v *tir.Var) *varFacts {
	if a.index != nil {
		if i, ok := a.index[v]; ok {
			return &a.vars[i]
		}
		return nil
	}
	for i := len(a.vars) - 1; i >= 0; i-- {
		if a.vars[i].v == v {
			return &a.vars[i]
		}
	}
	return nil
}

// facts returns the record of v, adding one when there is none.
func (a *Analyzer) facts(v *tir.Var) *varFacts {
	if f := a.find(v); f != nil {
		return f
	}
	if a.vars == nil {
		a.vars = make([]varFacts, 0, 16)
	}
	a.vars = append(a.vars, varFacts{v: v, bound: typeBound(v.Type), mod: everyInteger})
	if a.index != nil {
		a.index[v] = int32(len(a.vars) - 1)
	} else if len(a.vars) > manyVars {
		a.index = make(map[*tir.Var]int32, 2*manyVars)
		for i := range a.vars {
			a.index[a.vars[i].v] = int32(i)
		}
	}
	return &a.vars[len(a.vars)-1]
}

// Bind says that v ranges over r. An extent of one makes v a name for r.Min. A
// later Bind of the same variable replaces the earlier one.
func (a *Analyzer) Bind(v *tir.Var, r tir.Range) {
	if n, ok := r.Extent.(*tir.IntImm); ok {
		if lo, ok := r.Min.(*tir.IntImm); ok && n.Value != 1 {
			a.BindBound(v, Bound{lo.Value, lo.Value + n.Value - 1})
			return
		}
		if n.Value == 1 {
			a.BindValue(v, r.Min)
			return
		}
	}
	lo := a.Simplify(r.Min)
	hi := a.Simplify(tir.Sub(tir.Add(lo, r.Extent), tir.IntOf(1, r.Extent.DType())))
	b := a.Bound(r.Min)
	b.Hi = satAdd(b.Hi, satAdd(a.Bound(r.Extent).Hi, -1))
	f := a.facts(v)
	*f = varFacts{v: v, bound: b, mod: everyInteger}
	f.lo, f.hi = symbolic(lo), symbolic(hi)
	a.pairs = slices.DeleteFunc(a.pairs, func(p pair) bool { return p.a == tir.Expr(v) })
	for _, c := range []tir.Expr{tir.CompareFold(tir.OpGE, v, r.Min), tir.CompareFold(tir.OpLT, v, tir.Add(r.Min, r.Extent))} {
		if p, ok := newPair(c); ok && p.b != nil {
			a.pairs = append(a.pairs, p)
		}
	}
}

func symbolic(e tir.Expr) tir.Expr {
	if _, ok := e.(*tir.IntImm); ok {
		return nil
	}
	return e
}

// BindBound says that v lies in b.
func (a *Analyzer) BindBound(v *tir.Var, b Bound) {
	f := a.facts(v)
	*f = varFacts{v: v, bound: b, mod: everyInteger}
	if b.Lo == b.Hi {
		f.value, f.mod = tir.IntOf(b.Lo, v.Type), Modular{0, b.Lo}
	}
}

// BindValue makes v a name for e: Simplify replaces it.
func (a *Analyzer) BindValue(v *tir.Var, e tir.Expr) {
	if t := e.DType(); t != v.Type {
		e = tir.NewCast(v.Type, e)
	}
	if !isConst(e) {
		e = a.ruled(simplifier{a, true}.visit(e))
	}
	f := a.facts(v)
	*f = varFacts{v: v, bound: a.Bound(e), mod: a.Modular(e), value: e}
}

// BindModular says that v is a member of m, besides its bounds.
func (a *Analyzer) BindModular(v *tir.Var, m Modular) { a.facts(v).mod = m }

// Unbind forgets v.
func (a *Analyzer) Unbind(v *tir.Var) {
	if f := a.find(v); f != nil {
		*f = varFacts{v: v, bound: typeBound(v.Type), mod: everyInteger}
	}
}

// isIndex reports whether t is a scalar type of index arithmetic, in which
// overflow does not happen: int32 or int64.
func isIndex(t dtype.DType) bool { return t == dtype.Int32 || t == dtype.Int64 }

// isIndexElem is isIndex of the elements of a vector type.
func isIndexElem(t dtype.DType) bool { return t.Code == dtype.Int && t.Bits >= 32 }
