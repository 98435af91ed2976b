package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// rename replaces loop variables below a node and simplifies the bindings that
// mentioned them, and no others. Blocks that use the variables in their bodies
// (opaque ones do) are rewritten whole.
type rename struct {
	st    *state
	vars  []*tir.Var
	by    []tir.Expr
	pred  tir.Expr // appended to the predicate of the outermost blocks, or nil
	units bool     // keep the variables of unit loops in bindings
}

func (r *rename) expr(e tir.Expr) tir.Expr {
	return tir.SubstituteFunc(e, func(v *tir.Var) tir.Expr {
		if i := slices.Index(r.vars, v); i >= 0 {
			return r.by[i]
		}
		return nil
	})
}

func (r *rename) uses(e tir.Expr) bool {
	return tir.UsesVar(e, func(v *tir.Var) bool { return slices.Contains(r.vars, v) })
}

// below rewrites the subtree of id.
func (r *rename) below(id nid) { r.visit(id, r.pred) }

func (r *rename) visit(id nid, pred tir.Expr) {
	st, n := r.st, r.st.at(id)
	switch n.kind {
	case kLoop:
		lo, ext := r.expr(n.loop.Min), r.expr(n.loop.Extent)
		if lo != n.loop.Min || ext != n.loop.Extent {
			n.loop.Min, n.loop.Extent = lo, ext
			st.touch(id)
		}
	case kBlock:
		r.realize(id, n, pred)
		pred = nil
	case kOther:
		if other := r.shell(n.other); other != n.other {
			n.other = other
			st.touch(id)
		}
	}
	for _, k := range n.kids {
		r.visit(k, pred)
	}
}

// shell rewrites the expressions of a leaf or of the statement around kids.
func (r *rename) shell(s tir.Stmt) tir.Stmt {
	w := tir.StmtRewriter{Expr: r.expr}
	return w.Rewrite(s)
}

func (r *rename) realize(id nid, n *node, pred tir.Expr) {
	var changed []int
	for i, v := range n.values {
		if r.uses(v) || !r.units {
			changed = append(changed, i)
		}
	}
	p := r.expr(n.pred)
	if pred != nil {
		p = tir.And(p, pred)
	}
	if p != n.pred {
		n.pred = p
		r.st.touch(id)
	}
	if len(changed) > 0 {
		values := slices.Clone(n.values)
		for _, i := range changed {
			values[i] = r.expr(values[i])
		}
		n.values = values
		r.st.touch(id)
		r.st.simplifyBindings(id, changed, r.units)
	}
	if !r.st.isClosed(id) {
		r.block(id, n)
	}
}

// block rewrites a block whose shell mentions loop variables. The body of a
// block with kids is rewritten by the visit of the kids.
func (r *rename) block(id nid, n *node) {
	shell := *n.block
	if len(n.kids) > 0 {
		shell.Body = nil
	}
	w := tir.StmtRewriter{Expr: r.expr}
	out := w.Rewrite(&tir.BlockRealize{Predicate: tir.True, Block: &shell}).(*tir.BlockRealize).Block
	if out == &shell {
		return
	}
	if len(n.kids) > 0 {
		out.Body = n.block.Body
	}
	n.block = out
	r.st.touch(id)
}

// isClosed reports whether the shell of a block (everything but bindings,
// predicate and nested blocks) uses no loop variable from outside.
func (st *state) isClosed(id nid) bool {
	n := st.at(id)
	if n.closed == unknown {
		n.closed = factOf(!st.usesLoops(id, n))
	}
	return n.closed == yes
}

func (st *state) usesLoops(id nid, n *node) bool {
	outer := map[*tir.Var]bool{}
	for p := n.parent; p != none; p = st.at(p).parent {
		if st.at(p).kind == kLoop {
			outer[st.at(p).loop.Var] = true
		}
	}
	shell := *n.block
	if len(n.kids) > 0 {
		shell.Body = nil
	}
	found := false
	tir.WalkExprs(&tir.BlockRealize{Predicate: tir.True, Block: &shell}, func(e tir.Expr) bool {
		if v, ok := e.(*tir.Var); ok && outer[v] {
			found = true
		}
		return !found
	})
	return found
}

// simplifyBindings brings bindings which, of a block, changed to the form that
// iteration-map simplification gives.
func (st *state) simplifyBindings(id nid, which []int, units bool) {
	n := st.at(id)
	loops := st.loopsOf(id)
	if units && n.affine == yes && tir.IsConst(n.pred, 1) && st.linearBindings(n, which, loops) {
		return
	}
	n.values = arith.IterMapSimplify(n.values, st.loopDomains(loops), n.pred, arith.Surjective, !units)
}

// linearBindings writes the bindings which as sums of digits when they are that,
// with scales that grow as digits do: there the general machinery gives the same
// result.
func (st *state) linearBindings(n *node, which []int, loops []nid) bool {
	var buf [8]tir.Expr
	out := buf[:0]
	for _, i := range which {
		s, ok := parseIterSum(n.values[i])
		if !ok || !st.compactSum(s, loops) {
			return false
		}
		out = append(out, s.expr(n.values[i].DType()))
	}
	for k, i := range which {
		n.values[i] = out[k]
	}
	return true
}

type linearTerm struct {
	v    *tir.Var
	coef int64
}

func appendLinear(terms []linearTerm, base int64, e tir.Expr, scale int64) ([]linearTerm, int64, bool) {
	switch x := e.(type) {
	case *tir.Var:
		return append(terms, linearTerm{x, scale}), base, true
	case *tir.IntImm:
		return terms, base + x.Value*scale, true
	case *tir.Binary:
		switch x.Op {
		case tir.OpAdd:
			terms, base, ok := appendLinear(terms, base, x.A, scale)
			if !ok {
				return nil, 0, false
			}
			return appendLinear(terms, base, x.B, scale)
		case tir.OpMul:
			if c, ok := tir.AsInt(x.B); ok && c > 0 {
				return appendLinear(terms, base, x.A, scale*c)
			}
		}
	}
	return nil, 0, false
}
