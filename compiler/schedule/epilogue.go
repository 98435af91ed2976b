package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// fused makes the block that starts from the epilogue of nothing and updates the
// epilogue's buffer. linear says that its updates are those of the reduction,
// all the epilogue having moved into the start.
func (p *epilogueFusion) fused(old *tir.Block) (b *tir.Block, linear bool) {
	out := p.store.Buffer
	zero := tir.Const(0, out.Type)
	start := tir.RewriteExpr(p.store.Value, func(e tir.Expr) tir.Expr {
		switch x := e.(type) {
		case *tir.Load:
			if x.Buffer == p.sum {
				return zero
			}
		case *tir.Binary:
			return tir.Rebuild(x.Op, x.A, x.B)
		case *tir.Cast:
			return tir.NewCast(x.Type, x.Value)
		}
		return e
	})
	c := *old
	c.Init = &tir.Store{Buffer: out, Value: arith.NewAnalyzer().Simplify(start), Indices: p.store.Indices}
	linear = true
	load := func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.Load); ok && l.Buffer == p.sum {
			return &tir.Load{Buffer: out, Indices: l.Indices}
		}
		return e
	}
	w := tir.StmtRewriter{
		Expr: func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, load) },
		Stmt: func(s tir.Stmt) tir.Stmt {
			x, ok := s.(*tir.Store)
			if !ok || x.Buffer != p.sum {
				return s
			}
			u := updater{sum: p.sum, update: x.Value}
			value := u.apply(p.store.Value)
			linear = linear && value == x.Value
			return &tir.Store{Buffer: out, Value: value, Indices: x.Indices}
		},
	}
	c.Body = w.Rewrite(old.Body)
	c.Writes = []tir.Region{{Buffer: out, Ranges: old.Writes[0].Ranges}}
	c.Reads = slices.Clone(p.reads)
	for _, r := range old.Reads {
		if r.Buffer != p.sum && region(c.Reads, r.Buffer) == nil {
			c.Reads = append(c.Reads, r)
		}
	}
	return &c, linear
}

// updater puts an update in the place of the sum in an epilogue. A sum that
// directly holds it loses its other term, which the start has; found says, while
// operands are visited from left to right, that the place lies in the one visited
// last. Where it lies in the left one, the sums around do not learn of it and keep
// theirs: such an epilogue is not linear.
type updater struct {
	sum    *tir.Buffer
	update tir.Expr
	found  bool
}

func (u *updater) apply(e tir.Expr) tir.Expr {
	if l, ok := e.(*tir.Load); ok && l.Buffer == u.sum {
		u.found = true
		return u.update
	}
	x, ok := e.(*tir.Binary)
	if !ok || x.Op != tir.OpAdd {
		return tir.MapOperands(e, u.apply)
	}
	before := u.found
	u.found = false
	a := u.apply(x.A)
	left := u.found
	u.found = false
	b := u.apply(x.B)
	switch {
	case left && !u.holdsSum(b):
		return a
	case u.found && !left && !u.holdsSum(a):
		return b
	case !left && !u.found:
		u.found = before
	}
	return tir.NewBinary(tir.OpAdd, a, b)
}

func (u *updater) holdsSum(e tir.Expr) bool {
	l, ok := e.(*tir.Load)
	return ok && l.Buffer == u.sum
}

// fuseEpilogue performs the fusion. The scope still allocates the buffer of the
// sum, as it does in the reference.
func (st *state) fuseEpilogue(p *epilogueFusion) {
	const by = "fuse_reduction_epilogue"
	st.setBlock(p.red, p.block)
	top := st.emptied(p.epi)
	st.bury(top, p.epi, by)
	st.at(p.epi).gone = by
	st.cut(top, by)
	st.relearn(p.scope)
}
