package schedule

import (
	"slices"
	"strings"

	"hone/compiler/tir"
)

// parallelizable checks that the iterations of a loop may run in any order:
// every block directly below is complete or a reduction relative to the loop,
// and the loop is bound to spatial iterators only. A thread of a group may also
// be bound to a reduce iterator, which lowering turns into a reduction across
// threads.
func (st *state) parallelizable(id nid, thread *tir.IterVar) *Error {
	if err := st.needCompact(id); err != nil {
		return err
	}
	if thread != nil && !slices.Contains(threadAxes, thread.Tag) {
		return refuse(BadArgument, st.where(id), "%q is no thread axis", thread.Tag)
	}
	return st.boundSpatially(id, st.at(id).loop.Var, thread != nil && strings.HasPrefix(thread.Tag, "threadIdx."))
}

func (st *state) boundSpatially(id nid, v *tir.Var, reduceToo bool) *Error {
	n := st.at(id)
	if n.kind == kBlock {
		for i, it := range n.block.Iters {
			if it.Kind == tir.Spatial || reduceToo && it.Kind == tir.Reduce || !usesOne(n.values[i], v) {
				continue
			}
			return refuse(ReduceBinding, st.where(id), "loop %s is bound to the iterator %s, which is not spatial", v.Name, it.Var.Name)
		}
	}
	for _, k := range n.kids {
		if err := st.boundSpatially(k, v, reduceToo); err != nil {
			return err
		}
	}
	return nil
}

// setLoopKind is the body of parallel, vectorize, unroll and bind.
func (s *Schedule) setLoopKind(l LoopRV, prim string, kind tir.LoopKind, thread *tir.IterVar) error {
	st, id, err := s.loop(l)
	if err != nil {
		return err.by(prim)
	}
	if kind != tir.Unrolled {
		if err := st.parallelizable(id, thread); err != nil {
			return err.by(prim)
		}
	}
	n := st.at(id)
	n.loop.Kind, n.loop.Thread = kind, thread
	st.touch(id)
	return nil
}
