package dlight

import (
	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// Dot is a dot product of bytes in a block: the instruction adds, in each lane of the
// vector, the products of the four steps of one reduction iterator.
type Dot struct {
	Intrin string // of the schedule's table
	Quad   int    // the iterator of the four steps, the last one
}

// quad is how many products of bytes an instruction adds in one lane.
const quad = 4

// dotIntrins are the instructions by the type of the first operand and by lanes.
var dotIntrins = map[dtype.DType]map[int]string{
	dtype.UInt8: {16: "dot_16x4_vnni", 8: "dot_8x4_vnni"},
	dtype.Int8:  {4: "dot_4x4_i8i8s32_sdot"},
}

// dotIntrin is the instruction of a target for an operand's type, "" for none.
func dotIntrin(t *target.Target, operand dtype.DType) string {
	if t.DotOperand() != operand.String() {
		return ""
	}
	return dotIntrins[operand][t.Lanes(32)]
}

// bytesOf matches the update of a dot product of bytes: an int32 sum of products of
// int8 weights, which lie as [lanes][4], by four bytes that lie in a row; it gives the
// loads. The last iterator is that of the four.
func bytesOf(r *tir.BlockRealize) (x, w *tir.Load, ok bool) {
	b := r.Block
	st, isStore := b.Body.(*tir.Store)
	if b.Init == nil || !isStore || st.Buffer.Type != dtype.Int32 || len(b.Iters) < 2 {
		return nil, nil, false
	}
	last := b.Iters[len(b.Iters)-1]
	sum, isSum := st.Value.(*tir.Binary)
	if !isSum || sum.Op != tir.OpAdd || last.Kind != tir.Reduce || !tir.IsConst(last.Dom.Extent, quad) {
		return nil, nil, false
	}
	mul, isMul := sum.B.(*tir.Binary)
	if !isMul || mul.Op != tir.OpMul {
		return nil, nil, false
	}
	x, w = castLoad(mul.A), castLoad(mul.B)
	if x == nil || w == nil || w.Buffer.Type != dtype.Int8 || x.Buffer.Type.Bits != 8 || len(w.Indices) < 2 {
		return nil, nil, false
	}
	at := x.Indices[len(x.Indices)-1]
	return x, w, w.Indices[len(w.Indices)-1] == tir.Expr(last.Var) && (at == tir.Expr(last.Var) || isSumWith(at, last.Var))
}

func castLoad(e tir.Expr) *tir.Load {
	c, ok := e.(*tir.Cast)
	if !ok {
		return nil
	}
	ld, _ := c.Value.(*tir.Load)
	return ld
}

// dot fills the roles of a block that multiplies bytes, if the target has an
// instruction for it and whole vectors of it: the last spatial iterator is the vector.
func (o *Roles) dot(r *tir.BlockRealize, t *target.Target) bool {
	x, w, ok := bytesOf(r)
	if !ok || len(o.Spatial) == 0 || len(o.Reduce) < 2 {
		return false
	}
	name := dotIntrin(t, x.Buffer.Type)
	o.Vector = o.Spatial[len(o.Spatial)-1]
	if name == "" || o.Extents[o.Vector]%o.Lanes != 0 {
		return false
	}
	o.Dot = &Dot{Intrin: name, Quad: len(r.Block.Iters) - 1}
	o.Reduce = o.Reduce[:len(o.Reduce)-1]
	o.Vectors = 1
	index := map[*tir.Var]int{}
	for i, it := range r.Block.Iters {
		index[it.Var] = i
	}
	left, right := readOf(x.Indices, index, false), readOf(w.Indices, index, false)
	for _, i := range o.Spatial {
		switch {
		case i == o.Vector:
		case !right.uses[i] && (o.Extents[i] > 1 || o.Row < 0):
			o.Row = i
		case !left.uses[i]:
			o.Col = i
		}
	}
	return true
}

// tensorize splits the initialiser off, makes it vectors, and puts the instruction in
// place of the vector and of the four steps.
func (x *tiler) tensorize() error {
	first := x.reduce[1]
	if len(x.reduce[0]) > 0 {
		first = x.reduce[0]
	}
	init, err := x.s.DecomposeReduction(x.b, first[0])
	if err != nil {
		return err
	}
	loops, err := x.s.GetLoops(init)
	if err != nil {
		return err
	}
	if err := x.s.Vectorize(loops[len(loops)-1]); err != nil {
		return err
	}
	return x.s.TensorizeLoop(x.vector, x.r.Dot.Intrin, true)
}

// feedsDot reports whether one of some blocks multiplies bytes, which an instruction
// reads from memory: what they read is not to be computed in place.
func feedsDot(s *schedule.Schedule, consumers []schedule.BlockRV) bool {
	for _, c := range consumers {
		if r, err := s.BlockOf(c); err == nil {
			if _, _, ok := bytesOf(r); ok {
				return true
			}
		}
	}
	return false
}
