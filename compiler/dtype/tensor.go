package dtype

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Tensor is a dense row-major host array. Data holds the elements
// little-endian, so a tensor may be a view of a mapped file; it has
// NumElements(Shape)·Type.Bytes() bytes and is not necessarily aligned.
type Tensor struct {
	Type  DType
	Shape []int64
	Data  []byte
}

// NewTensor allocates a zeroed tensor of the given element type and shape.
func NewTensor(t DType, shape ...int64) *Tensor {
	return &Tensor{t, shape, make([]byte, NumElements(shape)*int64(t.Bytes()))}
}

// NumElements is the product of the dimensions; 1 for a scalar. It does not
// guard against overflow: check shapes from outside first.
func NumElements(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// Len is the number of elements.
func (t *Tensor) Len() int { return int(NumElements(t.Shape)) }

// FromFloat32 makes a float32 tensor that copies v.
func FromFloat32(v []float32, shape ...int64) *Tensor {
	t := NewTensor(Float32, shape...)
	for i, x := range v {
		binary.LittleEndian.PutUint32(t.Data[4*i:], math.Float32bits(x))
	}
	return t
}

// FromInt64 makes an int64 tensor that copies v.
func FromInt64(v []int64, shape ...int64) *Tensor {
	t := NewTensor(Int64, shape...)
	for i, x := range v {
		binary.LittleEndian.PutUint64(t.Data[8*i:], uint64(x))
	}
	return t
}

// Float32s copies the elements out, converting each with Float.
func (t *Tensor) Float32s() []float32 {
	out := make([]float32, t.Len())
	for i := range out {
		out[i] = float32(t.Float(i))
	}
	return out
}

// Int64s copies the elements out, converting each with Int.
func (t *Tensor) Int64s() []int64 {
	out := make([]int64, t.Len())
	for i := range out {
		out[i] = t.Int(i)
	}
	return out
}

// Float reads element i (row-major) as a float64 whatever the element type.
func (t *Tensor) Float(i int) float64 {
	if !t.Type.IsFloat() {
		if t.Type == UInt64 {
			return float64(uint64(t.Int(i)))
		}
		return float64(t.Int(i))
	}
	switch t.Type {
	case Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:])))
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(t.Data[8*i:]))
	case Float16:
		return float64(HalfToFloat(binary.LittleEndian.Uint16(t.Data[2*i:])))
	case BFloat16:
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(t.Data[2*i:])) << 16))
	}
	panic("BUG: Tensor.Float of " + t.Type.String())
}

// Int reads element i (row-major) as an int64; floats are truncated.
func (t *Tensor) Int(i int) int64 {
	switch t.Type.Code {
	case Bool:
		if t.Data[i] != 0 {
			return 1
		}
		return 0
	case Int:
		switch t.Type.Bits {
		case 8:
			return int64(int8(t.Data[i]))
		case 16:
			return int64(int16(binary.LittleEndian.Uint16(t.Data[2*i:])))
		case 32:
			return int64(int32(binary.LittleEndian.Uint32(t.Data[4*i:])))
		default:
			return int64(binary.LittleEndian.Uint64(t.Data[8*i:]))
		}
	case UInt:
		switch t.Type.Bits {
		case 8:
			return int64(t.Data[i])
		case 16:
			return int64(binary.LittleEndian.Uint16(t.Data[2*i:]))
		case 32:
			return int64(binary.LittleEndian.Uint32(t.Data[4*i:]))
		default:
			return int64(binary.LittleEndian.Uint64(t.Data[8*i:]))
		}
	}
	return int64(t.Float(i))
}

// SetFloat stores v at element i, rounding to the element type.
func (t *Tensor) SetFloat(i int, v float64) {
	switch t.Type {
	case Float32:
		binary.LittleEndian.PutUint32(t.Data[4*i:], math.Float32bits(float32(v)))
	case Float64:
		binary.LittleEndian.PutUint64(t.Data[8*i:], math.Float64bits(v))
	case Float16:
		binary.LittleEndian.PutUint16(t.Data[2*i:], FloatToHalf(float32(v)))
	case BFloat16:
		binary.LittleEndian.PutUint16(t.Data[2*i:], floatToBrain(float32(v)))
	default:
		t.SetInt(i, int64(v))
	}
}

// SetInt stores v at element i, wrapping to the element's width.
func (t *Tensor) SetInt(i int, v int64) {
	switch t.Type.Code {
	case Bool:
		t.Data[i] = 0
		if v != 0 {
			t.Data[i] = 1
		}
	case Int, UInt:
		switch t.Type.Bits {
		case 8:
			t.Data[i] = byte(v)
		case 16:
			binary.LittleEndian.PutUint16(t.Data[2*i:], uint16(v))
		case 32:
			binary.LittleEndian.PutUint32(t.Data[4*i:], uint32(v))
		default:
			binary.LittleEndian.PutUint64(t.Data[8*i:], uint64(v))
		}
	default:
		t.SetFloat(i, float64(v))
	}
}

// CheckBytes reports an error when Data does not have exactly the bytes that
// type and shape ask for.
func (t *Tensor) CheckBytes() error {
	want := NumElements(t.Shape) * int64(t.Type.Bytes())
	if int64(len(t.Data)) != want {
		return fmt.Errorf("tensor %s%v holds %d bytes, want %d", t.Type, t.Shape, len(t.Data), want)
	}
	return nil
}
