package tir

import "hone/compiler/dtype"

// Buffer is a typed region of memory, itself a variable: equality of buffers
// is identity. Strides empty means compact row-major; ElemOffset nil means 0
// (in units of the element type). Align is in bytes (64 unless stated),
// OffsetFactor 1 unless stated. Scope is "global" unless stated.
type Buffer struct {
	Name         string
	Type         dtype.DType
	Shape        []Expr
	Strides      []Expr
	ElemOffset   Expr
	Scope        string
	Align        int
	OffsetFactor int
	// Scalar marks a local variable of the script: one element that is written
	// without an index.
	Scalar bool
}

// DefaultAlign is the alignment in bytes of a buffer that does not state one.
const DefaultAlign = 64

// NewBuffer makes a compact global buffer.
func NewBuffer(name string, t dtype.DType, shape ...Expr) *Buffer {
	return &Buffer{Name: name, Type: t, Shape: shape, Scope: "global", Align: DefaultAlign, OffsetFactor: 1}
}

// NewStaticBuffer makes a compact global buffer with int32 constant dimensions.
func NewStaticBuffer(name string, t dtype.DType, shape ...int64) *Buffer {
	dims := make([]Expr, len(shape))
	for i, n := range shape {
		dims[i] = Int(n)
	}
	return NewBuffer(name, t, dims...)
}

// StaticShape returns the dimensions when all of them are constants.
func (b *Buffer) StaticShape() ([]int64, bool) {
	out := make([]int64, len(b.Shape))
	for i, e := range b.Shape {
		n, ok := AsInt(e)
		if !ok {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// OffsetType is the type of the offset that a buffer has where it states none: that
// of its first dimension.
func (b *Buffer) OffsetType() dtype.DType {
	if len(b.Shape) == 0 {
		return dtype.Int64
	}
	return b.Shape[0].DType()
}

// Compact reports whether elements lie side by side in row-major order: no
// strides are given, or the single stride 1 that stands for that.
func (b *Buffer) Compact() bool {
	return len(b.Strides) == 0 || len(b.Strides) == 1 && IsConst(b.Strides[0], 1)
}

// Range is a half-open interval [Min, Min+Extent).
type Range struct{ Min, Extent Expr }

// Region is a box inside a buffer, one range per dimension.
type Region struct {
	Buffer *Buffer
	Ranges []Range
}

// MatchRegion makes Buffer a view of Source inside one block.
type MatchRegion struct {
	Buffer *Buffer
	Source Region
}

// IndexMap maps logical indices to physical ones: Final are expressions over
// the variables Initial. Inverse is a cache for maps that state one.
type IndexMap struct {
	Initial []*Var
	Final   []Expr
	Inverse *IndexMap
}

// Apply substitutes args for the initial variables.
func (m *IndexMap) Apply(args []Expr) []Expr {
	sub := make(map[*Var]Expr, len(m.Initial))
	for i, v := range m.Initial {
		sub[v] = args[i]
	}
	return SubstituteAll(m.Final, sub)
}
