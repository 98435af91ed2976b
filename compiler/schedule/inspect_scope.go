package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// ScopeOf is the scope that holds a block, as analysis sees it, and the index of
// the block among the scope's children. The root block is in no scope: nil and
// -1. The value is for reading, like BlockOf's. It writes the function out as
// statements; where a loop's kind is all that matters, LoopIterKind is cheaper.
func (s *Schedule) ScopeOf(b BlockRV) (*analysis.Scope, int, error) {
	st, id, err := s.block(b)
	if err != nil {
		return nil, -1, err.by("get_sblock")
	}
	if id == st.root {
		return nil, -1, nil
	}
	scope := st.scopeOf(id)
	around := st.stmt(scope).(*tir.BlockRealize).Block
	return analysis.NewScope(around), slices.Index(st.childBlocks(scope), id), nil
}

// LoopIterKind says which iterators of the blocks below, nested ones aside, a
// loop feeds: analysis.LoopIterKind of the loop as it is now.
func (s *Schedule) LoopIterKind(l LoopRV) (analysis.LoopKind, error) {
	st, id, err := s.loop(l)
	if err != nil {
		return analysis.MixedLoop, err.by("get_loops")
	}
	v := st.at(id).loop.Var
	var spatial, reduce bool
	for _, b := range st.childBlocks(id) {
		n := st.at(b)
		for i, it := range n.block.Iters {
			switch {
			case it.Kind == tir.Spatial && spatial, it.Kind == tir.Reduce && reduce, !usesOne(n.values[i], v):
			case it.Kind == tir.Spatial:
				spatial = true
			case it.Kind == tir.Reduce:
				reduce = true
			default:
				return analysis.MixedLoop, nil
			}
		}
	}
	switch {
	case spatial && reduce:
		return analysis.MixedLoop, nil
	case reduce:
		return analysis.ReduceLoop, nil
	}
	return analysis.SpatialLoop, nil
}

// Header is the function worked on with the parameters and attributes that it has
// now; its body is older than the schedule. Unlike Func it writes nothing out.
func (s *Schedule) Header() *tir.PrimFunc {
	for i, f := range s.mod.Funcs {
		if f.Name != s.work {
			continue
		}
		if st := s.fns[i]; st != nil {
			return st.fn
		}
		return f
	}
	return nil
}

// EachLoop calls f on every loop of the function worked on, loops inside block
// bodies included, until f returns false. Headers are for reading; only those
// inside bodies have one themselves.
func (s *Schedule) EachLoop(f func(*tir.For) bool) {
	st, err := s.state(s.work)
	if err != nil {
		return
	}
	st.eachLoop(st.root, f)
}

func (st *state) eachLoop(id nid, f func(*tir.For) bool) bool {
	n := st.at(id)
	goOn := n.kind != kLoop || f(&n.loop)
	if len(n.kids) == 0 {
		body := n.other
		if n.kind == kBlock {
			body = n.block.Body
		}
		tir.WalkStmt(body, func(x tir.Stmt) bool {
			if l, ok := x.(*tir.For); ok && goOn {
				goOn = f(l)
			}
			return goOn
		})
	}
	for _, k := range n.kids {
		goOn = goOn && st.eachLoop(k, f)
	}
	return goOn
}
