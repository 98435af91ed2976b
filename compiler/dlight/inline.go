package dlight

import (
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// InlineBlock removes a stage that needs no buffer: an elementwise producer, or
// padding, whose condition the lowering takes out of the loops again. A stage
// that computes something dear is inlined only where it is used once per element.
func InlineBlock(s *schedule.Schedule, b schedule.BlockRV, _ *target.Target, _ Mode) (bool, error) {
	if isRoot(s, b) || !Inlinable(s, b) {
		return false, nil
	}
	return true, s.ComputeInline(b)
}

// Blocks lists the blocks of the root's scope in order, the root excluded.
func Blocks(s *schedule.Schedule) ([]schedule.BlockRV, error) {
	root, err := RootBlock(s)
	if err != nil {
		return nil, err
	}
	return s.GetChildBlocks(root)
}

// RootBlock is the root block of the function worked on.
func RootBlock(s *schedule.Schedule) (schedule.BlockRV, error) {
	name := "root"
	if r, ok := s.Header().Root(); ok {
		name = r.Block.Name
	}
	return s.GetSBlock(name)
}

// Inlinable reports whether a block is worth computing where it is read.
func Inlinable(s *schedule.Schedule, b schedule.BlockRV) bool {
	r, err := s.BlockOf(b)
	if err != nil || r.Block.Init != nil || len(r.Block.Writes) != 1 {
		return false
	}
	if staged(r) {
		return false
	}
	for _, it := range r.Block.Iters {
		if it.Kind != tir.Spatial {
			return false
		}
	}
	st, ok := r.Block.Body.(*tir.Store)
	if !ok {
		return false
	}
	consumers, err := s.GetConsumers(b)
	if err != nil || len(consumers) == 0 || packsOperand(s, r, st, consumers) || feedsDot(s, consumers) {
		return false
	}
	if IsCheap(st.Value) {
		return true
	}
	return len(consumers) == 1 && readsOnce(s, b, consumers[0])
}

// packsOperand reports whether a block turns an operand of a reduction so that
// vectors of it lie in a row: it stores along its last iterator what it reads with
// a stride. Reading the original instead would cost a gather per multiply-add.
func packsOperand(s *schedule.Schedule, r *tir.BlockRealize, st *tir.Store, consumers []schedule.BlockRV) bool {
	if len(st.Indices) == 0 {
		return false
	}
	last, ok := st.Indices[len(st.Indices)-1].(*tir.Var)
	if !ok {
		return false
	}
	reduces := false
	for _, c := range consumers {
		if cr, err := s.BlockOf(c); err == nil && cr.Block.Init != nil {
			reduces = true
		}
	}
	turned := false
	tir.Walk(st.Value, func(e tir.Expr) bool {
		ld, ok := e.(*tir.Load)
		if !ok {
			return true
		}
		for d, i := range ld.Indices {
			if d < len(ld.Indices)-1 && tir.UsesVar(i, func(v *tir.Var) bool { return v == last }) {
				turned = true
			}
		}
		return true
	})
	return reduces && turned
}

// IsCheap reports whether a value may be computed several times: no calls but
// selections, and no division.
func IsCheap(e tir.Expr) bool {
	cheap := true
	tir.Walk(e, func(x tir.Expr) bool {
		switch x := x.(type) {
		case *tir.Call:
			cheap = cheap && (x.Op == "if_then_else" || x.Op == "likely")
		case *tir.Binary:
			cheap = cheap && (x.Op != tir.OpDiv || !x.T.IsFloat())
		}
		return cheap
	})
	return cheap
}

// readsOnce reports whether consumer is elementwise in what b writes: spatial,
// with one read of it.
func readsOnce(s *schedule.Schedule, b, consumer schedule.BlockRV) bool {
	p, err1 := s.BlockOf(b)
	c, err2 := s.BlockOf(consumer)
	if err1 != nil || err2 != nil || c.Block.Init != nil {
		return false
	}
	n := 0
	tir.WalkExprs(c.Block.Body, func(e tir.Expr) bool {
		if ld, ok := e.(*tir.Load); ok && ld.Buffer == p.Block.Writes[0].Buffer {
			n++
		}
		return true
	})
	return n == 1 && len(c.Block.Iters) == len(p.Block.Iters)
}
