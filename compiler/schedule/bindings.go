package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// rename replaces loop variables below a node and brings the bindings of the
// blocks there to the form that iteration-map simplification gives: those that
// mentioned the variables, and those that were not in this form yet. Blocks that
// use the variables in their bodies (opaque ones do) are rewritten whole.
type rename struct {
	st    *state
	vars  []*tir.Var
	by    []tir.Expr
	pred  tir.Expr // appended to the predicate of the outermost blocks, or nil
	scope nid      // the block that holds the loops
	units bool     // keep the variables of unit loops in bindings
	plain bool     // bindings are left as they come
}

// expr replaces the variables and folds nothing.
func (r *rename) expr(e tir.Expr) tir.Expr {
	if !r.uses(e) {
		return e
	}
	return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		if v, ok := e.(*tir.Var); ok {
			if i := slices.Index(r.vars, v); i >= 0 {
				return r.by[i]
			}
		}
		return e
	})
}

func (r *rename) uses(e tir.Expr) bool {
	return tir.UsesVar(e, func(v *tir.Var) bool { return slices.Contains(r.vars, v) })
}

// below rewrites the subtree of id. Blocks inside a block that has iterators of
// its own see none of the loops around that one, and are not simplified.
func (r *rename) below(id nid) { r.visit(id, r.pred, !r.plain) }

func (r *rename) visit(id nid, pred tir.Expr, simplify bool) {
	st, n := r.st, r.st.at(id)
	switch n.kind {
	case kLoop:
		lo, ext := r.expr(n.loop.Min), r.expr(n.loop.Extent)
		if lo != n.loop.Min || ext != n.loop.Extent {
			n.loop.Min, n.loop.Extent = lo, ext
			st.touch(id)
		}
	case kBlock:
		r.realize(id, n, pred, simplify)
		pred, simplify = nil, simplify && len(n.values) == 0
	case kOther:
		if other := r.shell(n.other); other != n.other {
			n.other = other
			st.touch(id)
		}
	}
	for _, k := range n.kids {
		r.visit(k, pred, simplify)
	}
}

// shell rewrites the expressions of a leaf or of the statement around kids.
func (r *rename) shell(s tir.Stmt) tir.Stmt {
	w := tir.StmtRewriter{Expr: r.expr}
	return w.Rewrite(s)
}

func (r *rename) realize(id nid, n *node, pred tir.Expr, simplify bool) {
	p := r.expr(n.pred)
	if pred != nil {
		p = tir.And(p, pred)
	}
	tidy := r.units && len(n.values) > 0 && n.tidied == &n.values[0] && p == n.pred
	if p != n.pred {
		n.pred = p
		r.st.touch(id)
	}
	var changed []int
	for i, v := range n.values {
		if r.uses(v) || simplify && !tidy && !(r.units && tir.IsConst(p, 1) && r.isAtom(id, v)) {
			changed = append(changed, i)
		}
	}
	if len(changed) > 0 {
		values := slices.Clone(n.values)
		for _, i := range changed {
			values[i] = r.expr(values[i])
		}
		n.values = values
		r.st.touch(id)
		if simplify {
			r.st.simplifyBindings(id, r.scope, changed, r.units)
		}
	}
	if simplify && len(n.values) > 0 {
		n.tidied = &n.values[0]
	}
	if !r.isClosed(id) {
		r.block(id, n)
	}
}

// isAtom reports whether a binding of block id is a constant or the variable of a
// loop from zero, which no simplification changes as long as unit loops keep
// theirs.
func (r *rename) isAtom(id nid, e tir.Expr) bool {
	switch x := e.(type) {
	case *tir.IntImm:
		return true
	case *tir.Var:
		for p := r.st.at(id).parent; p != r.scope; p = r.st.at(p).parent {
			if l := &r.st.at(p).loop; r.st.at(p).kind == kLoop && l.Var == x {
				return tir.IsConst(l.Min, 0)
			}
		}
		return true
	}
	return false
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
func (r *rename) isClosed(id nid) bool {
	n := r.st.at(id)
	if n.closed == unknown {
		n.closed = factOf(!r.usesLoops(n))
	}
	return n.closed == yes
}

func (r *rename) usesLoops(n *node) bool {
	outer := map[*tir.Var]bool{}
	for _, v := range r.vars {
		outer[v] = true
	}
	for p := n.parent; p != none; p = r.st.at(p).parent {
		if r.st.at(p).kind == kLoop {
			outer[r.st.at(p).loop.Var] = true
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

// simplifyBindings brings bindings which, of a block inside scope, changed to the
// form that iteration-map simplification gives.
func (st *state) simplifyBindings(id, scope nid, which []int, units bool) {
	n := st.at(id)
	loops := st.loopsUpTo(id, scope)
	if units && n.affine == yes && tir.IsConst(n.pred, 1) && st.linearBindings(n, which, loops) {
		return
	}
	n.values = arith.IterMapSimplify(n.values, st.loopDomains(loops), n.pred, arith.Surjective, !units)
}

// linearBindings writes the bindings which as sums of digits when they are that,
// with scales that grow as digits do: there the general machinery gives the same
// result.
func (st *state) linearBindings(n *node, which []int, loops []nid) bool {
	for _, l := range loops {
		if !tir.IsConst(st.at(l).loop.Min, 0) {
			return false
		}
	}
	var buf [8]tir.Expr
	out := buf[:0]
	for _, i := range which {
		s, ok := parseIterSum(n.values[i])
		if !ok {
			return false
		}
		if st.dropWholeRemainders(s, loops); !st.compactSum(s, loops) {
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
