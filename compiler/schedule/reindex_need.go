package schedule

import (
	"errors"
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// knownOutside refuses indices of a block over variables other than its iterators
// that are bound inside of its scope: a copy elsewhere would not know them.
func (st *state) knownOutside(id nid, buf *tir.Buffer, idx []tir.Expr) *Error {
	bound := map[*tir.Var]bool{}
	for _, l := range st.loopsOf(id) {
		bound[st.at(l).loop.Var] = true
	}
	b := st.at(id).block
	for _, part := range []tir.Stmt{b.Init, b.Body} {
		tir.WalkStmt(part, func(s tir.Stmt) bool {
			switch x := s.(type) {
			case *tir.For:
				bound[x.Var] = true
			case *tir.Bind:
				bound[x.Var] = true
			}
			tir.StmtExprs(s, func(e tir.Expr) {
				tir.Walk(e, func(e tir.Expr) bool {
					if x, ok := e.(*tir.Let); ok {
						bound[x.Var] = true
					}
					return true
				})
			})
			return true
		})
	}
	for d, e := range idx {
		if tir.UsesVar(e, func(v *tir.Var) bool { return bound[v] }) {
			return refuse(IndexForm, st.where(id), "its index %d of %s takes variables that it or its loops bind", d, buf.Name)
		}
	}
	return nil
}

// readyIndices refuses indices that load what blocks of the scope write, unless
// these blocks are all done where the copy stands.
func (st *state) readyIndices(scope, id nid, idx []tir.Expr, at place) *Error {
	for _, w := range st.childBlocks(scope) {
		for _, r := range st.at(w).block.Writes {
			if w != id && slices.ContainsFunc(idx, func(e tir.Expr) bool { return tir.LoadsFrom(e, r.Buffer) }) && !st.passed(scope, at, w) {
				return refuse(IndexForm, st.where(id), "its indices load %s, which %s has not written where the copy stands", r.Buffer.Name, st.where(w))
			}
		}
	}
	return nil
}

// fillsDomain refuses a block that leaves elements of its iterators' domains as
// earlier ones or the caller made them: a copy over all would lose these.
func (st *state) fillsDomain(scope, id nid, buf *tir.Buffer, idx []tir.Expr) *Error {
	at := st.beside(scope, id)
	before := slices.ContainsFunc(st.writersOf(scope, buf), func(w nid) bool { return w != id && st.passed(scope, at, w) })
	if !before && slices.Contains(st.at(scope).block.Allocs, buf) {
		return nil
	}
	n := st.at(id)
	loops := st.loopDomains(st.loopsOf(id))
	sums, err := arith.DetectIterMap(n.values, loops, n.pred, arith.Surjective, true)
	for i, it := range n.block.Iters {
		if err == nil && slices.ContainsFunc(idx, func(e tir.Expr) bool { return usesOne(e, it.Var) }) && !fills(&sums[i], it.Dom) {
			err = errHoles
		}
	}
	if err != nil {
		return refuse(SingleWriter, st.where(id), "it writes a part of %s, and the copy would write more", buf.Name)
	}
	return nil
}

// errHoles: an iterator does not take all values of its domain.
var errHoles = errors.New("an iterator does not fill its domain")

// fills reports whether a sum takes every value of a domain.
func fills(s *arith.IterSum, dom tir.Range) bool {
	t := dom.Extent.DType()
	var extent tir.Expr = tir.IntOf(1, t)
	if len(s.Args) > 0 {
		if k, ok := s.Args[0].Scale.Const(); !ok || k != 1 {
			return false
		}
		extent = s.Args[0].Extent.Expr(t)
	}
	return arith.Same(normal(s.BaseOf(t)), normal(dom.Min)) && arith.Same(normal(extent), normal(dom.Extent))
}
