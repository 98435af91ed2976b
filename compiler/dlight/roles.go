package dlight

import (
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// Roles is what register tiling needs to know of a reduction block: which
// iterator runs along vectors, which give a tile its rows and its columns.
type Roles struct {
	Extents []int64 // of every iterator, constants
	Vector  int     // the spatial iterator along contiguous memory, -1 when there is none
	Row     int     // shares loaded vectors between accumulators, -1 when there is none
	Col     int     // shares broadcast scalars, -1 when there is none
	Spatial []int
	Reduce  []int
	Lanes   int64 // vector lanes of the output type
	Vectors int   // operands that are loaded as vectors, 1 or 2
	Dot     *Dot  // the instruction that runs along the vector, nil for plain arithmetic
}

// RolesOf analyses a block; ok is false when it cannot become a register tile:
// no initialiser, a symbolic extent, loops that are not its iterators one by
// one, or no axis to vectorise and no dot product.
func RolesOf(s *schedule.Schedule, b schedule.BlockRV, t *target.Target) (*Roles, bool) {
	r, err := s.BlockOf(b)
	if err != nil || r.Block.Init == nil || len(r.Block.Writes) != 1 || !trivialBinding(s, b, r) {
		return nil, false
	}
	st, ok := r.Block.Body.(*tir.Store)
	if !ok || len(st.Indices) == 0 {
		return nil, false
	}
	out := &Roles{Vector: -1, Row: -1, Col: -1, Lanes: int64(t.Lanes(int(st.Buffer.Type.Bits)))}
	for i, it := range r.Block.Iters {
		n, ok := tir.AsInt(it.Dom.Extent)
		if !ok || !tir.IsConst(it.Dom.Min, 0) {
			return nil, false
		}
		out.Extents = append(out.Extents, n)
		switch it.Kind {
		case tir.Spatial:
			out.Spatial = append(out.Spatial, i)
		case tir.Reduce:
			out.Reduce = append(out.Reduce, i)
		default:
			return nil, false
		}
	}
	if len(out.Reduce) == 0 {
		return nil, false
	}
	if out.dot(r, t) {
		return out, true
	}
	out.Vector = -1
	out.assign(r.Block, st, layoutFree(s))
	return out, out.Vector >= 0
}

// layoutFree is the set of parameters whose layout the schedule may choose.
func layoutFree(s *schedule.Schedule) map[*tir.Buffer]bool {
	out := map[*tir.Buffer]bool{}
	f := s.Header()
	v, _ := f.Attrs.Get(tir.AttrLayoutFree)
	list, _ := v.([]any)
	for _, p := range list {
		if i, ok := p.(int64); ok && i >= 0 && int(i) < len(f.Params) {
			if b, ok := f.Params[i].(*tir.Buffer); ok {
				out[b] = true
			}
		}
	}
	return out
}

// trivialBinding reports whether the loops around a block are its iterators.
func trivialBinding(s *schedule.Schedule, b schedule.BlockRV, r *tir.BlockRealize) bool {
	loops, err := s.GetLoops(b)
	if err != nil || len(loops) != len(r.Values) {
		return false
	}
	for i, l := range loops {
		h, err := s.LoopOf(l)
		if err != nil || r.Values[i] != tir.Expr(h.Var) || h.Kind != tir.Serial {
			return false
		}
	}
	return true
}

// operand is one read of the update: which iterators its indices mention and
// which iterators move it along contiguous memory by one.
type operand struct {
	uses   map[int]bool
	stride map[int]bool
}

func (o *Roles) assign(b *tir.Block, st *tir.Store, free map[*tir.Buffer]bool) {
	index := map[*tir.Var]int{}
	for i, it := range b.Iters {
		index[it.Var] = i
	}
	out := readOf(st.Indices, index, false)
	var ins []operand
	tir.Walk(st.Value, func(e tir.Expr) bool {
		if ld, ok := e.(*tir.Load); ok && ld.Buffer != st.Buffer && len(ld.Indices) > 0 {
			ins = append(ins, readOf(ld.Indices, index, free[ld.Buffer]))
		}
		return true
	})
	o.Vector = o.pickVector(out, ins)
	if o.Vector < 0 {
		return
	}
	var vector, other *operand
	for i := range ins {
		in := &ins[i]
		if in.uses[o.Vector] {
			o.Vectors++
		}
		switch {
		case !in.uses[o.Vector]:
			other = in
		case vector == nil || len(in.uses) < len(vector.uses):
			vector = in
		}
	}
	for _, i := range o.Spatial {
		if i == o.Vector || vector == nil {
			continue
		}
		if !vector.uses[i] || o.Vectors > 0 && len(ins) == 1 {
			if o.Extents[i] > 1 || o.Row < 0 {
				o.Row = i
			}
		} else if other != nil && !other.uses[i] {
			o.Col = i
		}
	}
	if o.Row >= 0 && o.Extents[o.Row] == 1 {
		o.Row = -1
	}
}

// pickVector prefers the last spatial iterator that is contiguous in the output
// and either contiguous or absent in every input.
func (o *Roles) pickVector(out operand, ins []operand) int {
	for k := len(o.Spatial) - 1; k >= 0; k-- {
		i := o.Spatial[k]
		if !out.stride[i] || o.Extents[i] < 2 {
			continue
		}
		moves, ok := false, true
		for _, in := range ins {
			moves = moves || in.stride[i]
			ok = ok && (in.stride[i] || !in.uses[i])
		}
		if ok && moves {
			return i
		}
	}
	return -1
}

// readOf reads one access; an operand whose layout the schedule may choose is
// contiguous along whatever it uses.
func readOf(indices []tir.Expr, index map[*tir.Var]int, free bool) operand {
	o := operand{uses: map[int]bool{}, stride: map[int]bool{}}
	for d, e := range indices {
		tir.Walk(e, func(x tir.Expr) bool {
			if v, ok := x.(*tir.Var); ok {
				if i, known := index[v]; known {
					o.uses[i] = true
					if free || d == len(indices)-1 && (e == tir.Expr(v) || isSumWith(e, v)) {
						o.stride[i] = true
					}
				}
			}
			return true
		})
	}
	return o
}

// isSumWith reports whether e is a sum in which v stands alone.
func isSumWith(e tir.Expr, v *tir.Var) bool {
	b, ok := e.(*tir.Binary)
	if !ok || b.Op != tir.OpAdd && b.Op != tir.OpSub {
		return false
	}
	return b.A == tir.Expr(v) || b.Op == tir.OpAdd && b.B == tir.Expr(v) || isSumWith(b.A, v)
}
