package graph

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// ScalarFunc is an elementwise operator's expression over one element of each
// operand.
type ScalarFunc func(c *Call, args []tir.Expr) tir.Expr

// Operand is a value inside a function being lowered: a buffer of the physical
// shape, or an inlined scalar constant.
type Operand struct {
	Type   Type
	Buf    *tir.Buffer
	Scalar tir.Expr
	Temp   bool // an intermediate of the function
	// Units are the iterators of extent 1 of the function so far.
	Units Units
}

// Units is a set of iterators of extent 1, shared by the operands of a function.
type Units map[*tir.Var]bool

// At loads the element at logical indices. Indices against dimensions of
// extent 1 become 0 and missing leading ones are ignored, so that At(idx) of a
// smaller operand broadcasts. An iterator of extent 1 stays as it is: a read at
// a block's own iterators is what inlining recognises.
func (o *Operand) At(idx []tir.Expr) tir.Expr {
	if o.Scalar != nil {
		return o.Scalar
	}
	return &tir.Load{Buffer: o.Buf, Indices: o.Physical(idx)}
}

// Physical maps logical to physical indices, with At's rules of broadcasting.
func (o *Operand) Physical(idx []tir.Expr) []tir.Expr {
	shape := o.Type.Shape
	out := make([]tir.Expr, len(shape), len(shape)+1)
	for i, n := range shape {
		out[i] = tir.Int(0)
		j := i + len(idx) - len(shape)
		if j < 0 {
			continue
		}
		if v, ok := idx[j].(*tir.Var); n != 1 || ok && o.Units[v] {
			out[i] = idx[j]
		}
	}
	l := o.Type.Layout
	if l.Kind != Split {
		return out
	}
	outer, inner := SplitIndex(out[l.Axis], int64(l.Block))
	out[l.Axis] = outer
	return append(out, inner)
}

// JoinIndex is the logical index of position inner in block outer.
func JoinIndex(outer, inner tir.Expr, block int64) tir.Expr {
	return tir.Add(tir.Mul(outer, tir.Int(block)), inner)
}

// SplitIndex undoes JoinIndex: an index of that form, with an inner part that
// is an iterator, gives its parts back; any other is divided.
func SplitIndex(e tir.Expr, block int64) (outer, inner tir.Expr) {
	if sum, ok := e.(*tir.Binary); ok && sum.Op == tir.OpAdd {
		if mul, ok := sum.A.(*tir.Binary); ok && mul.Op == tir.OpMul && tir.IsConst(mul.B, block) {
			if v, ok := sum.B.(*tir.Var); ok {
				return mul.A, v
			}
		}
	}
	return tir.FloorDiv(e, tir.Int(block)), tir.FloorMod(e, tir.Int(block))
}

// Lowering is one application of an operator being lowered to blocks of B.
type Lowering struct {
	*Call
	B    *tir.Builder
	Args []*Operand
	Outs []*Operand
	// Unique makes a block name that the function does not use yet.
	Unique func(base string) string
	Units  Units
}

// Temp allocates an intermediate of the function. It is renamed to the block
// that writes it.
func (l *Lowering) Temp(name string, t Type) *Operand {
	return &Operand{Type: t, Buf: l.B.Alloc(name, t.Elem, t.PhysicalShape()...), Temp: true, Units: l.Units}
}

// block names a block, and the intermediate that it writes.
func (l *Lowering) block(base string, out *Operand) string {
	name := l.Unique(base)
	if out.Temp {
		out.Buf.Name = name
	}
	return name
}

// logical maps iterators over out's physical shape to logical indices, and notes
// those of extent 1.
func (o *Operand) logical(s []tir.Expr) []tir.Expr {
	for i, n := range o.Type.PhysicalShape() {
		if v, ok := s[i].(*tir.Var); ok && n == 1 {
			o.Units[v] = true
		}
	}
	l := o.Type.Layout
	if l.Kind != Split {
		return s
	}
	idx := append([]tir.Expr(nil), s[:len(s)-1]...)
	idx[l.Axis] = JoinIndex(s[l.Axis], s[len(s)-1], int64(l.Block))
	return idx
}

// Compute emits a block that stores f of the logical indices to every element
// of out, filling included.
func (l *Lowering) Compute(block string, out *Operand, f func(idx []tir.Expr) tir.Expr) {
	l.B.Compute(l.block(block, out), out.Buf, func(s []tir.Expr) tir.Expr { return f(out.logical(s)) })
}

// Reduce emits a reduction block: every element of out starts as init and
// becomes step of itself, the logical indices and the reduction's.
func (l *Lowering) Reduce(block string, out *Operand, reduce []int64, init tir.Expr, step func(acc tir.Expr, idx, r []tir.Expr) tir.Expr) {
	start := func([]tir.Expr) tir.Expr { return init }
	l.B.ReduceBy(l.block(block, out), out.Buf, reduce, start, func(acc tir.Expr, s, r []tir.Expr) tir.Expr {
		return step(acc, out.logical(s), r)
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
