package tir

import (
	"fmt"

	"hone/compiler/dtype"
)

// Builder makes a schedulable function block by block. Regions stay omitted
// (nil): pass the result through analysis.InferRegions, which fills them.
type Builder struct {
	fn     *PrimFunc
	allocs []*Buffer
	body   []Stmt
}

// NewBuilder starts a function whose global symbol is name.
func NewBuilder(name string) *Builder {
	attrs := Annotations{}.With(AttrGlobalSymbol, name).With(AttrSTIR, true).With(AttrNoAlias, true)
	return &Builder{fn: &PrimFunc{Name: name, Attrs: attrs, Ret: dtype.VoidType}}
}

// Attr sets a function attribute.
func (b *Builder) Attr(key string, value any) { b.fn.Attrs = b.fn.Attrs.With(key, value) }

// Param adds a buffer parameter of constant shape.
func (b *Builder) Param(name string, t dtype.DType, shape ...int64) *Buffer {
	buf := NewStaticBuffer(name, t, shape...)
	b.fn.Params = append(b.fn.Params, buf)
	return buf
}

// AddParam adds an existing buffer as a parameter.
func (b *Builder) AddParam(buf *Buffer) { b.fn.Params = append(b.fn.Params, buf) }

// Alloc adds an intermediate buffer of constant shape to the root block.
func (b *Builder) Alloc(name string, t dtype.DType, shape ...int64) *Buffer {
	buf := NewStaticBuffer(name, t, shape...)
	b.allocs = append(b.allocs, buf)
	return buf
}

// Stage describes one block under a perfect nest of serial loops, one loop and
// one iterator per extent. Name is the block's name; Spatial and Reduce are
// extents. Loops are named i0, i1, … then k0, k1, …, iterators v_<loop>.
type Stage struct {
	Name    string
	Spatial []int64
	Reduce  []int64
	Ann     Annotations
}

// Emit appends the block. body and init receive the iterators, spatial then
// reduce, and return the block's statements; init is nil without reduction
// initialiser and receives the spatial iterators only.
func (b *Builder) Emit(st Stage, init func(s []Expr) Stmt, body func(s, r []Expr) Stmt) {
	block := &Block{Name: st.Name, Ann: st.Ann}
	var loops []*For
	var values []Expr
	axis := func(prefix string, n int64, i int, kind IterKind) Expr {
		name := fmt.Sprintf("%s%d", prefix, i)
		loop := NewVar(name, dtype.Int32)
		iter := NewVar("v_"+name, dtype.Int32)
		loops = append(loops, &For{Var: loop, Min: Int(0), Extent: Int(n)})
		block.Iters = append(block.Iters, &IterVar{Var: iter, Dom: Range{Int(0), Int(n)}, Kind: kind})
		values = append(values, loop)
		return iter
	}
	var s, r []Expr
	for i, n := range st.Spatial {
		s = append(s, axis("i", n, i, Spatial))
	}
	for i, n := range st.Reduce {
		r = append(r, axis("k", n, i, Reduce))
	}
	if init != nil {
		block.Init = init(s)
	}
	block.Body = body(s, r)
	var out Stmt = &BlockRealize{Values: values, Predicate: True, Block: block}
	for i := len(loops) - 1; i >= 0; i-- {
		loops[i].Body = out
		out = loops[i]
	}
	b.body = append(b.body, out)
}

// Compute appends a block that stores f of the iterators to every element of
// out, whose shape must be constant.
func (b *Builder) Compute(name string, out *Buffer, f func(i []Expr) Expr) {
	b.ComputeAnnotated(name, nil, out, f)
}

// ComputeAnnotated is Compute of a block with annotations.
func (b *Builder) ComputeAnnotated(name string, ann Annotations, out *Buffer, f func(i []Expr) Expr) {
	shape, ok := out.StaticShape()
	if !ok {
		panic("BUG: Builder.Compute of a buffer without constant shape")
	}
	b.Emit(Stage{Name: name, Spatial: shape, Ann: ann}, nil, func(s, _ []Expr) Stmt {
		return &Store{out, f(s), s}
	})
}

// ReduceSum appends a block that sums f over the reduce extents into out.
func (b *Builder) ReduceSum(name string, out *Buffer, reduce []int64, f func(s, r []Expr) Expr) {
	zero := func([]Expr) Expr { return Const(0, out.Type) }
	b.ReduceBy(name, out, reduce, zero, func(acc Expr, s, r []Expr) Expr { return Add(acc, f(s, r)) })
}

// ReduceBy appends a reduction: out starts as init of the spatial iterators and
// becomes step of its own element and the iterators.
func (b *Builder) ReduceBy(name string, out *Buffer, reduce []int64, init func(s []Expr) Expr, step func(acc Expr, s, r []Expr) Expr) {
	shape, ok := out.StaticShape()
	if !ok {
		panic("BUG: Builder.ReduceBy of a buffer without constant shape")
	}
	b.Emit(Stage{Name: name, Spatial: shape, Reduce: reduce},
		func(s []Expr) Stmt { return &Store{out, init(s), s} },
		func(s, r []Expr) Stmt { return &Store{out, step(&Load{out, s}, s, r), s} })
}

// Func finishes the function: everything emitted so far inside the root block.
func (b *Builder) Func() *PrimFunc {
	root := &Block{Name: "root", Allocs: b.allocs, Body: NewSeq(b.body...), Reads: []Region{}, Writes: []Region{}}
	b.fn.Body = &BlockRealize{Predicate: True, Block: root}
	return b.fn
}
