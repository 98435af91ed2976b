package graph

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// ScalarFunc is an elementwise operator's expression over one element of each
// operand.
type ScalarFunc func(c *Call, args []tir.Expr) tir.Expr

// Operand is a value inside a function being lowered: a buffer of the physical
// shape without its dimensions of extent 1, or an inlined scalar constant.
type Operand struct {
	Type   Type
	Buf    *tir.Buffer
	Scalar tir.Expr
	Temp   bool // an intermediate of the function
}

// At loads the element at logical indices. Indices against dimensions of
// extent 1 do not matter and missing leading ones are ignored, so that At(idx)
// of a smaller operand broadcasts.
func (o *Operand) At(idx []tir.Expr) tir.Expr {
	if o.Scalar != nil {
		return o.Scalar
	}
	return &tir.Load{Buffer: o.Buf, Indices: o.index(idx)}
}

// index maps logical indices to the buffer's, with At's rules of broadcasting.
func (o *Operand) index(idx []tir.Expr) []tir.Expr {
	l := o.Type.Layout
	var out []tir.Expr
	var inner tir.Expr
	for d, n := range o.Type.PhysicalShape() {
		j := d + len(idx) - len(o.Type.Shape)
		if n == 1 && !(l.Kind == Split && d == int(l.Axis)) {
			continue
		}
		switch {
		case d == len(o.Type.Shape):
			out = append(out, inner)
		case l.Kind == Split && d == int(l.Axis):
			var outer tir.Expr
			if outer, inner = splitIn(idx[j], int64(l.Block), n); n > 1 {
				out = append(out, outer)
			}
		default:
			out = append(out, idx[j])
		}
	}
	if len(out) == 0 {
		return []tir.Expr{tir.Int(0)}
	}
	return out
}

// AtBlock is At of an operand in blocks, with the index along their axis given as
// the block and the position in it.
func (o *Operand) AtBlock(idx []tir.Expr, block, position tir.Expr) tir.Expr {
	l := o.Type.Layout
	var out []tir.Expr
	for d, n := range o.Type.PhysicalShape() {
		switch {
		case d == len(o.Type.Shape):
			out = append(out, position)
		case n == 1:
		case d == int(l.Axis):
			out = append(out, block)
		default:
			out = append(out, idx[d])
		}
	}
	return &tir.Load{Buffer: o.Buf, Indices: out}
}

// JoinIndex is the logical index of position inner in block outer.
func JoinIndex(outer, inner tir.Expr, block int64) tir.Expr {
	return tir.Add(tir.Mul(outer, tir.Int(block)), inner)
}

// SplitIndex undoes JoinIndex: an index of that form, with an inner part that is
// an iterator, gives its parts back, any other is divided.
func SplitIndex(e tir.Expr, block int64) (outer, inner tir.Expr) {
	if outer, inner, ok := joined(e, block); ok {
		return outer, inner
	}
	return tir.FloorDiv(e, tir.Int(block)), tir.FloorMod(e, tir.Int(block))
}

// splitIn is SplitIndex of an index into blocks of which there are n. In an only
// block, the index is the position.
func splitIn(e tir.Expr, block, n int64) (outer, inner tir.Expr) {
	if outer, inner, ok := joined(e, block); ok || n > 1 {
		if !ok {
			return SplitIndex(e, block)
		}
		return outer, inner
	}
	return tir.Int(0), e
}

func joined(e tir.Expr, block int64) (outer, inner tir.Expr, ok bool) {
	sum, ok := e.(*tir.Binary)
	if !ok || sum.Op != tir.OpAdd {
		return nil, nil, false
	}
	v, ok := sum.B.(*tir.Var)
	if !ok {
		return nil, nil, false
	}
	if c, ok := tir.AsInt(sum.A); ok {
		return tir.Int(c / block), v, c%block == 0
	}
	mul, ok := sum.A.(*tir.Binary)
	if !ok || mul.Op != tir.OpMul || !tir.IsConst(mul.B, block) {
		return nil, nil, false
	}
	return mul.A, v, true
}

// Lowering is one application of an operator being lowered to blocks of B.
type Lowering struct {
	*Call
	B    *tir.Builder
	Args []*Operand
	Outs []*Operand
	// Unique makes a block name that the function does not use yet.
	Unique func(base string) string
}

// Temp allocates an intermediate of the function. It is renamed to the block
// that writes it.
func (l *Lowering) Temp(name string, t Type) *Operand {
	return &Operand{Type: t, Buf: l.B.Alloc(name, t.Elem, t.BufferShape()...), Temp: true}
}

// block names a block, and the intermediate that it writes.
func (l *Lowering) block(base string, out *Operand) string {
	name := l.Unique(base)
	if out.Temp {
		out.Buf.Name = name
	}
	return name
}

// logical maps iterators over the buffer's shape to logical indices.
func (o *Operand) logical(s []tir.Expr) []tir.Expr {
	l := o.Type.Layout
	full := make([]tir.Expr, 0, len(o.Type.Shape)+1)
	for _, n := range o.Type.PhysicalShape() {
		if n == 1 {
			full = append(full, tir.Int(0))
			continue
		}
		full, s = append(full, s[0]), s[1:]
	}
	if l.Kind != Split {
		return full
	}
	idx := full[:len(o.Type.Shape)]
	idx[l.Axis] = JoinIndex(idx[l.Axis], full[len(full)-1], int64(l.Block))
	return idx
}

// Compute emits a block that stores f of the logical indices to every element
// of out, filling included.
func (l *Lowering) Compute(block string, out *Operand, f func(idx []tir.Expr) tir.Expr) {
	l.B.Compute(l.block(block, out), out.Buf, func(s []tir.Expr) tir.Expr { return f(out.logical(s)) })
}

// Stage is Compute of a block that schedules do not inline: its results are
// shared within a small part of what is computed next.
func (l *Lowering) Stage(block string, out *Operand, f func(idx []tir.Expr) tir.Expr) {
	ann := tir.Annotations{}.With(tir.AnnInlineRule, "disable")
	l.B.ComputeAnnotated(l.block(block, out), ann, out.Buf, func(s []tir.Expr) tir.Expr { return f(out.logical(s)) })
}

// Reduce emits a reduction block: every element of out starts as init and
// becomes step of itself, the logical indices and the reduction's. Reduction
// axes of extent 1 are no axes: their index is 0.
func (l *Lowering) Reduce(block string, out *Operand, reduce []int64, init tir.Expr, step func(acc tir.Expr, idx, r []tir.Expr) tir.Expr) {
	axes := slices.DeleteFunc(slices.Clone(reduce), func(n int64) bool { return n == 1 })
	if len(axes) == 0 {
		axes = []int64{1} // a reduction all the same, for rules that look for one
	}
	start := func([]tir.Expr) tir.Expr { return init }
	l.B.ReduceBy(l.block(block, out), out.Buf, axes, start, func(acc tir.Expr, s, r []tir.Expr) tir.Expr {
		full := make([]tir.Expr, len(reduce))
		k := 0
		for i, n := range reduce {
			full[i] = tir.Int(0)
			if n != 1 {
				full[i] = r[k]
				k++
			}
		}
		return step(acc, out.logical(s), full)
	})
}

// Sum is Reduce with addition from zero.
func (l *Lowering) Sum(block string, out *Operand, reduce []int64, term func(idx, r []tir.Expr) tir.Expr) {
	zero := tir.Const(0, out.Type.Elem)
	l.Reduce(block, out, reduce, zero, func(acc tir.Expr, idx, r []tir.Expr) tir.Expr {
		return tir.Add(acc, term(idx, r))
	})
}

// LowerScalar is the Lower of operators that have a Scalar expression.
func LowerScalar(l *Lowering) error {
	l.Compute(l.Op.Name, l.Outs[0], func(idx []tir.Expr) tir.Expr {
		args := make([]tir.Expr, len(l.Args))
		for i, a := range l.Args {
			args[i] = a.At(idx)
		}
		return l.Op.Scalar(l.Call, args)
	})
	return nil
}

// PhysicalTensor stores a logical tensor in the layout of t, filling up with
// zeros. A plain layout shares the tensor.
func PhysicalTensor(x *dtype.Tensor, t Type) *dtype.Tensor {
	if t.Layout.Kind == Plain {
		return x
	}
	out := dtype.NewTensor(t.Elem, t.PhysicalShape()...)
	forEachPhysical(t, func(logical, physical int64) { copyElement(out, physical, x, logical) })
	return out
}

// LogicalTensor undoes PhysicalTensor.
func LogicalTensor(x *dtype.Tensor, t Type) *dtype.Tensor {
	if t.Layout.Kind == Plain {
		return x
	}
	out := dtype.NewTensor(t.Elem, t.Shape...)
	forEachPhysical(t, func(logical, physical int64) { copyElement(out, logical, x, physical) })
	return out
}

func copyElement(dst *dtype.Tensor, i int64, src *dtype.Tensor, j int64) {
	n := int64(dst.Type.Bytes())
	copy(dst.Data[i*n:(i+1)*n], src.Data[j*n:(j+1)*n])
}

// forEachPhysical visits every logical element with its physical place.
func forEachPhysical(t Type, f func(logical, physical int64)) {
	a, b := int(t.Layout.Axis), int64(t.Layout.Block)
	inner := dtype.NumElements(t.Shape[a+1:])
	outer := dtype.NumElements(t.Shape[:a])
	phys := t.PhysicalShape()[a]
	i := int64(0)
	for o := range outer {
		for c := range t.Shape[a] {
			for k := range inner {
				if t.Layout.Kind == Round {
					f(i, (o*phys+c)*inner+k)
				} else {
					f(i, ((o*phys+c/b)*inner+k)*b+c%b)
				}
				i++
			}
		}
	}
}
