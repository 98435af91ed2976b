package schedule

import (
	"fmt"

	"hone/compiler/tir"
)

//	for i in n: B(i)   →   B_i_common:
//	                           B_i0_partition: for i0 in range(0, a): B_i0(i0)
//	                           B_i1_partition: for i1 in range(a, n): B_i1(i1)

var kindLoopPartition = define(Kind{
	Name: "LoopPartition", Doc: "cuts the range of a loop into consecutive loops",
	Params: "loop, factors, preserve_unit_iters=True",
	In:     []Slot{{Name: "loop", Kind: SlotLoop}, {Name: "factors", Kind: SlotFactor, Many: true}},
	Attrs:  []Slot{{Name: "preserve_unit_iters", Kind: SlotFlag}}, Out: OutLoops,
	Refuses: []Condition{DynamicExtent, FactorSum, LoopAnnotated, LoopStart, SingleChild, BodyForm, HasInit, IndexForm},
})

func init() {
	kindLoopPartition.Apply = func(s *Schedule, c Call) error {
		_, err := s.LoopPartitionWith(c.loop(0), c.exprsFrom(1), c.flag(0))
		return err
	}
}

// LoopPartition cuts the range of a loop into consecutive ones of the given
// lengths. One factor may be Open: it takes what the others leave; without it a
// last part takes that. The loop must have a constant extent, start at zero, carry
// no annotation or thread binding, hold nothing but a nest around one block, and
// not be bound to an iterator over which the block reduces from an initialiser.
// Each part is a block without iterators around a loop; the blocks inside are
// copies, so that handles of the old ones fail. As in the reference the blocks
// around declare no accesses: to primitives on what stands beside them they hide
// what their parts read and write.
func (s *Schedule) LoopPartition(l LoopRV, factors ...ExprRV) ([]LoopRV, error) {
	return s.LoopPartitionWith(l, factors, true)
}

// LoopPartitionWith is LoopPartition; preserveUnitIters is recorded and has no
// effect, as bindings are not simplified.
func (s *Schedule) LoopPartitionWith(l LoopRV, factors []ExprRV, preserveUnitIters bool) ([]LoopRV, error) {
	st, id, err := s.loop(l)
	var parts []nid
	if err == nil {
		parts, err = st.partition(id, factors)
	}
	if err != nil {
		return nil, err.by("loop_partition")
	}
	out := make([]LoopRV, len(parts))
	for i, n := range parts {
		out[i] = s.newLoop(st.index, n)
	}
	s.record(kindLoopPartition, exprInputs(l, factors), []any{flag(preserveUnitIters)}, loopOutputs(out), nil)
	return out, nil
}

func (st *state) partition(id nid, factors []ExprRV) ([]nid, *Error) {
	ends, err := st.partEnds(id, factors)
	if err == nil {
		err = st.plainLoop(id)
	}
	if err != nil {
		return nil, err
	}
	leaf := st.at(id).kids[0]
	for ; st.at(leaf).kind != kBlock; leaf = st.at(leaf).kids[0] {
		if st.at(leaf).kind != kLoop {
			return nil, refuse(SingleChild, st.where(st.at(leaf).parent), "it does not hold one block alone")
		}
	}
	l := st.at(id).loop
	name := st.at(leaf).block.Name + "_" + l.Var.Name
	body := st.stmt(st.at(id).kids[0])
	parts := make([]tir.Stmt, len(ends))
	lo := int64(0)
	for i, hi := range ends {
		v := tir.NewVar(fmt.Sprintf("%s%d", l.Var.Name, i), wideIndex(l.Var.Type))
		p := &part{v: v, lo: lo, hi: hi, at: -1}
		copied := p.stmt(tir.SubstituteStmt(body, map[*tir.Var]tir.Expr{l.Var: v}))
		if p.err != nil {
			return nil, p.err
		}
		loop := &tir.For{Var: v, Min: tir.IntOf(lo, v.Type), Extent: tir.IntOf(hi-lo, v.Type), Body: copied}
		parts[i] = opaque(fmt.Sprintf("%s%d_partition", name, i), loop)
		lo = hi
	}
	return st.placeParts(id, opaque(name+"_common", tir.NewSeq(parts...))), nil
}

// opaque is a block without iterators and regions.
func opaque(name string, body tir.Stmt) *tir.BlockRealize {
	return &tir.BlockRealize{Predicate: tir.True, Block: &tir.Block{Name: name, Body: body}}
}

// partEnds is where each part ends.
func (st *state) partEnds(id nid, factors []ExprRV) ([]int64, *Error) {
	l := &st.at(id).loop
	n, ok := tir.AsInt(l.Extent)
	if _, start := tir.AsInt(l.Min); !ok || !start {
		return nil, refuse(DynamicExtent, st.where(id), "its range is not constant")
	}
	_, open, err := st.factorsOf(id, factors, l.Extent.DType())
	if err != nil {
		return nil, err
	}
	var sum int64
	for _, f := range factors {
		sum += min(f.val, n)
	}
	if sum >= n {
		return nil, refuse(FactorSum, st.where(id), "the sum of the factors reaches the extent %d", n)
	}
	var ends []int64
	var end int64
	for i, f := range factors {
		if i == open {
			end += n - sum
		}
		end += f.val
		ends = append(ends, end)
	}
	if open < 0 {
		ends = append(ends, n)
	}
	if len(ends) < 2 {
		return nil, refuse(BadArgument, st.where(id), "one part is no partition")
	}
	return ends, nil
}

// placeParts puts the parts in the place of a loop and returns their loops. The
// facts of the whole scope are learned again.
func (st *state) placeParts(id nid, common *tir.BlockRealize) []nid {
	top := st.load(common)
	st.replace(id, top)
	st.buryAll(id, "loop_partition")
	st.relearn(st.scopeOf(top))
	var out []nid
	for _, p := range st.childBlocks(top) {
		out = append(out, st.at(p).kids[0])
	}
	return out
}
