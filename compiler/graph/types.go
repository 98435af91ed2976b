package graph

import (
	"fmt"
	"slices"
	"strings"

	"hone/compiler/dtype"
)

// Type is the type of a value: element type and logical shape, plus the layout
// in which the value is stored. Shape never mentions the layout.
type Type struct {
	Elem   dtype.DType
	Shape  []int64
	Layout Layout
}

// Layout says how the logical array lies in memory. The zero Layout is compact
// row-major.
//
// Split: the axis is cut in blocks and the position within the block becomes
// the last physical dimension: NCHW with Axis 1 and Block 8 is N,⌈C/8⌉,H,W,8.
// Round: the axis keeps its place and its extent is rounded up to a multiple of
// Block. Both fill the surplus with zeros.
type Layout struct {
	Kind  LayoutKind
	Axis  int8
	Block int16
}

// LayoutKind distinguishes the layouts.
type LayoutKind uint8

// The kinds of Layout.
const (
	Plain LayoutKind = iota
	Split
	Round
)

// Blocked is the channel-blocked layout of activations.
func Blocked(block int) Layout { return Layout{Kind: Split, Axis: 1, Block: int16(block)} }

// Rounded is the layout of a constant whose axis is filled up with zeros.
func Rounded(axis, block int) Layout {
	return Layout{Kind: Round, Axis: int8(axis), Block: int16(block)}
}

// String is "" for plain, else like ":c8" or ":r0x16".
func (l Layout) String() string {
	switch l.Kind {
	case Split:
		if l.Axis == 1 {
			return fmt.Sprintf(":c%d", l.Block)
		}
		return fmt.Sprintf(":s%dx%d", l.Axis, l.Block)
	case Round:
		return fmt.Sprintf(":r%dx%d", l.Axis, l.Block)
	}
	return ""
}

// Of makes a plain type.
func Of(elem dtype.DType, shape ...int64) Type { return Type{Elem: elem, Shape: shape} }

// Rank is the number of logical dimensions.
func (t Type) Rank() int { return len(t.Shape) }

// Len is the logical number of elements.
func (t Type) Len() int64 { return dtype.NumElements(t.Shape) }

// PhysicalShape is the shape of the stored array.
func (t Type) PhysicalShape() []int64 {
	s := slices.Clone(t.Shape)
	if t.Layout.Kind == Plain {
		return s
	}
	a, b := t.Layout.Axis, int64(t.Layout.Block)
	blocks := (s[a] + b - 1) / b
	if t.Layout.Kind == Round {
		s[a] = blocks * b
		return s
	}
	s[a] = blocks
	return append(s, b)
}

// BufferShape is PhysicalShape without dimensions of extent 1, the shape of the
// value's buffer in tensor functions: loops that run once only cost. An array of
// one element keeps one dimension.
func (t Type) BufferShape() []int64 {
	s := slices.DeleteFunc(t.PhysicalShape(), func(n int64) bool { return n == 1 })
	if len(s) == 0 {
		return []int64{1}
	}
	return s
}

// Bytes is the size of the stored array.
func (t Type) Bytes() int64 { return dtype.NumElements(t.PhysicalShape()) * int64(t.Elem.Bytes()) }

// SameLogical reports whether two types agree but for the layout.
func (t Type) SameLogical(u Type) bool { return t.Elem == u.Elem && slices.Equal(t.Shape, u.Shape) }

// WithLayout returns t stored in another layout.
func (t Type) WithLayout(l Layout) Type { t.Layout = l; return t }

// String is like "float32[1,24,56,56]:c8".
func (t Type) String() string {
	var b strings.Builder
	b.WriteString(t.Elem.String())
	b.WriteByte('[')
	for i, d := range t.Shape {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d", d)
	}
	b.WriteByte(']')
	b.WriteString(t.Layout.String())
	return b.String()
}

// BroadcastShapes is the multidirectional broadcast of shapes (NumPy's rule).
func BroadcastShapes(shapes ...[]int64) ([]int64, error) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make([]int64, rank)
	for i := range out {
		out[i] = 1
		for _, s := range shapes {
			j := i - rank + len(s)
			if j < 0 || s[j] == 1 || s[j] == out[i] {
				continue
			}
			if out[i] != 1 {
				return nil, fmt.Errorf("shapes %v do not broadcast: %d against %d in dimension %d", shapes, out[i], s[j], i)
			}
			out[i] = s[j]
		}
	}
	return out, nil
}

// Axis brings a possibly negative axis into [0, rank).
func Axis(axis int64, rank int) (int, error) {
	a := axis
	if a < 0 {
		a += int64(rank)
	}
	if a < 0 || a >= int64(rank) {
		return 0, fmt.Errorf("axis %d is outside a tensor of rank %d", axis, rank)
	}
	return int(a), nil
}
