package schedule

import "slices"

//	vi, vj, vk = remap("SSR", [i, j, k])   →   vk, vi, vj = remap("RSS", [k, i, j])

var kindReorderBlockIterVar = define(Kind{
	Name: "ReorderBlockIterVar", Doc: "permutes the iterators of a block",
	Params:  "block, new_order",
	In:      []Slot{{Name: "block", Kind: SlotBlock, Handle: true}, {Name: "new_order", Kind: SlotInts}},
	Refuses: []Condition{RootBlock, BadArgument},
})

func init() {
	kindReorderBlockIterVar.Apply = func(s *Schedule, c Call) error {
		return s.ReorderBlockIterVar(c.block(0), c.Inputs[1].([]any))
	}
}

// ReorderBlockIterVar permutes the iterators of a block and their bindings:
// order holds, as int64, every index of an iterator once, in the new order.
func (s *Schedule) ReorderBlockIterVar(b BlockRV, order []any) error {
	const prim = "reorder_block_iter_var"
	st, id, err := s.block(b)
	if err == nil {
		err = st.notRoot(id)
	}
	if err == nil && !permutes(order, len(st.at(id).values)) {
		err = refuse(BadArgument, st.where(id), "%v is no permutation of its %d iterators", order, len(st.at(id).values))
	}
	if err != nil {
		return err.by(prim)
	}
	n := st.at(id)
	blk, values := *n.block, slices.Clone(n.values)
	blk.Iters = slices.Clone(blk.Iters)
	for i, o := range order {
		blk.Iters[i], values[i] = n.block.Iters[o.(int64)], n.values[o.(int64)]
	}
	n.values = values
	st.setBlock(id, &blk)
	s.record(kindReorderBlockIterVar, []any{b, order}, nil, nil, nil)
	return nil
}

// permutes reports whether order is a permutation of the numbers below n.
func permutes(order []any, n int) bool {
	seen := make([]bool, n)
	for _, o := range order {
		i := o.(int64)
		if i < 0 || i >= int64(n) || seen[i] {
			return false
		}
		seen[i] = true
	}
	return len(order) == n
}
