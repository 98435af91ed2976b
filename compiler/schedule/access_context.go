package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// accessContext simplifies the indices of accesses by the iterators seen so far
// and by the conditions around each access.
type accessContext struct {
	iters     []arith.Loop
	dependent bool // an iterator's range names another iterator
	// contexts are the conditions around an access, by its indices, where there
	// are any.
	contexts map[*tir.Expr][]tir.Expr
}

func (r *accessContext) addIter(v *tir.Var, dom tir.Range) {
	known := func(v *tir.Var) bool {
		return slices.ContainsFunc(r.iters, func(l arith.Loop) bool { return l.Var == v })
	}
	r.dependent = r.dependent || tir.UsesVar(dom.Min, known) || tir.UsesVar(dom.Extent, known)
	if !known(v) {
		r.iters = append(r.iters, arith.Loop{Var: v, Dom: dom})
	}
}

// under adds a condition when it says something about iterators.
func (r *accessContext) under(cond tir.Expr, conds []tir.Expr) []tir.Expr {
	if c, ok := cond.(*tir.Call); ok && c.Op == "likely" {
		cond = c.Args[0]
	}
	if !tir.UsesVar(cond, func(v *tir.Var) bool {
		return slices.ContainsFunc(r.iters, func(l arith.Loop) bool { return l.Var == v })
	}) {
		return conds
	}
	return append(slices.Clone(conds), cond)
}

// noteStmt collects loops of a statement as iterators, and the conditions around
// its accesses.
func (r *accessContext) noteStmt(s tir.Stmt, conds []tir.Expr) {
	tir.WalkStmt(s, func(s tir.Stmt) bool {
		switch x := s.(type) {
		case *tir.For:
			r.addIter(x.Var, tir.Range{Min: x.Min, Extent: x.Extent})
		case *tir.BlockRealize:
			for _, it := range x.Block.Iters {
				r.addIter(it.Var, it.Dom)
			}
		case *tir.If:
			r.noteExpr(x.Cond, conds)
			r.noteStmt(x.Then, r.under(x.Cond, conds))
			if x.Else != nil {
				r.noteStmt(x.Else, conds)
			}
			return false
		case *tir.Store:
			r.note(x.Indices, conds)
		}
		tir.StmtExprs(s, func(e tir.Expr) { r.noteExpr(e, conds) })
		return true
	})
}

func (r *accessContext) noteExpr(e tir.Expr, conds []tir.Expr) {
	tir.Walk(e, func(e tir.Expr) bool {
		switch x := e.(type) {
		case *tir.Call:
			if x.Op == "if_then_else" && len(x.Args) == 3 {
				r.noteExpr(x.Args[0], conds)
				r.noteExpr(x.Args[1], r.under(x.Args[0], conds))
				r.noteExpr(x.Args[2], r.under(tir.NewNot(x.Args[0]), conds))
				return false
			}
		case *tir.Load:
			r.note(x.Indices, conds)
		}
		return true
	})
}

func (r *accessContext) note(idx, conds []tir.Expr) {
	if len(idx) > 0 && len(conds) > 0 {
		if r.contexts == nil {
			r.contexts = map[*tir.Expr][]tir.Expr{}
		}
		r.contexts[&idx[0]] = conds
	}
}

// around are the conditions around the access with these indices.
func (r *accessContext) around(idx []tir.Expr) []tir.Expr {
	if len(idx) == 0 {
		return nil
	}
	return r.contexts[&idx[0]]
}

// simplify brings indices to normal form; an index that is a plain variable stays
// one, even if it has one value only.
func (r *accessContext) simplify(idx, conds []tir.Expr) []tir.Expr {
	if r.dependent {
		return idx
	}
	var pred tir.Expr = tir.True
	for _, c := range conds {
		pred = tir.And(pred, c)
	}
	used := r.usedIters(append(slices.Clone(idx), pred))
	out := slices.Clone(idx)
	for i, e := range arith.IterMapSimplify(idx, used, pred, arith.Surjective, true) {
		_, number := e.(*tir.IntImm)
		if _, name := idx[i].(*tir.Var); !number || !name {
			out[i] = e
		}
	}
	return out
}

func (r *accessContext) usedIters(es []tir.Expr) []arith.Loop {
	var out []arith.Loop
	for _, l := range r.iters {
		if slices.ContainsFunc(es, func(e tir.Expr) bool { return usesOne(e, l.Var) }) {
			out = append(out, l)
		}
	}
	return out
}
