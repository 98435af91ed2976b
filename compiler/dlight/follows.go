package dlight

import (
	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// follows reports whether consumer is an elementwise epilogue of b: one write,
// and it reads what b writes at the very indices it stores to.
func follows(s *schedule.Schedule, b, consumer schedule.BlockRV) bool {
	p, err1 := s.BlockOf(b)
	c, err2 := s.BlockOf(consumer)
	if err1 != nil || err2 != nil || c.Block.Init != nil || len(c.Block.Writes) != 1 || len(p.Block.Writes) != 1 {
		return false
	}
	st, ok := c.Block.Body.(*tir.Store)
	if !ok {
		return false
	}
	iters := map[*tir.Var]bool{}
	for _, it := range c.Block.Iters {
		if it.Kind != tir.Spatial {
			return false
		}
		iters[it.Var] = true
	}
	written := p.Block.Writes[0].Buffer
	found, same := false, true
	tir.Walk(st.Value, func(e tir.Expr) bool {
		ld, ok := e.(*tir.Load)
		if !ok || ld.Buffer != written {
			return true
		}
		found = true
		same = same && len(ld.Indices) == len(st.Indices)
		for i := range ld.Indices {
			same = same && i < len(st.Indices) && tir.EqualExpr(ld.Indices[i], st.Indices[i])
		}
		return true
	})
	return found && same
}
