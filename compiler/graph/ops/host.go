package ops

import (
	"encoding/binary"
	"math"
	"unsafe"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// littleEndian reports whether the host stores numbers as tensors do.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// floats views a float32 tensor as a slice: in place when the bytes lie
// aligned, else a copy. Read only.
func floats(t *dtype.Tensor) []float32 {
	if len(t.Data) == 0 {
		return nil
	}
	p := unsafe.Pointer(unsafe.SliceData(t.Data))
	if littleEndian && uintptr(p)%4 == 0 {
		return unsafe.Slice((*float32)(p), len(t.Data)/4)
	}
	return t.Float32s()
}

// doubles copies any numeric tensor to float64.
func doubles(t *dtype.Tensor) []float64 {
	n := t.Len()
	out := make([]float64, n)
	if t.Type == dtype.Float32 {
		for i := range out {
			out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:])))
		}
		return out
	}
	for i := range out {
		out[i] = t.Float(i)
	}
	return out
}

// fromDoubles makes a tensor of v rounded to the element type.
func fromDoubles(t graph.Type, v []float64) *dtype.Tensor {
	out := dtype.NewTensor(t.Elem, t.Shape...)
	for i, x := range v {
		out.SetFloat(i, x)
	}
	return out
}

func one(t *dtype.Tensor) ([]*dtype.Tensor, error) { return []*dtype.Tensor{t}, nil }

func same(c *graph.Call) ([]graph.Type, error) { return oneType(c.In[0].Elem, c.In[0].Shape), nil }

func oneType(e dtype.DType, shape []int64) []graph.Type { return []graph.Type{graph.Of(e, shape...)} }

// strides are the row-major strides of a shape, in elements.
func strides(shape []int64) []int64 {
	s := make([]int64, len(shape))
	n := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}

// broadcastStrides are the strides with which a tensor of the given shape is
// read at indices of out: 0 wherever it broadcasts.
func broadcastStrides(shape, out []int64) []int64 {
	s := make([]int64, len(out))
	own := strides(shape)
	for i, n := range shape {
		if n != 1 {
			s[i+len(out)-len(shape)] = own[i]
		}
	}
	return s
}

// walk visits every index of shape in row-major order with, for each set of
// strides, the offset that the index has under it.
func walk(shape []int64, f func(i int, offsets []int64), sets ...[]int64) {
	total := int(dtype.NumElements(shape))
	idx := make([]int64, len(shape))
	off := make([]int64, len(sets))
	for i := range total {
		f(i, off)
		for d := len(shape) - 1; d >= 0; d-- {
			idx[d]++
			for k, s := range sets {
				off[k] += s[d]
			}
			if idx[d] < shape[d] {
				break
			}
			for k, s := range sets {
				off[k] -= s[d] * shape[d]
			}
			idx[d] = 0
		}
	}
}

// move copies elements: element i of the result, in row-major order, is the
// source element at start plus the index times the strides.
func move(out graph.Type, src *dtype.Tensor, start int64, step []int64) *dtype.Tensor {
	dst := dtype.NewTensor(out.Elem, out.Shape...)
	n := int64(out.Elem.Bytes())
	walk(out.Shape, func(i int, off []int64) {
		j := (start + off[0]) * n
		copy(dst.Data[int64(i)*n:int64(i+1)*n], src.Data[j:j+n])
	}, step)
	return dst
}
