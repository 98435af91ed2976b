package interp

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// poison is what integers of fresh buffers hold.
const poison = 0x5a5a5a5a5a5a5a5b

// storage is a buffer at run time: elements of lanes values each, addressed as
// offset + Σ index·stride. Exactly one of f and i is used. Match buffers share
// the arrays of their source.
type storage struct {
	f              []float64
	i              []int64
	shape, strides []int64
	offset         int64
	lanes          int64
	shadow         *shadow // nil unless a check asks for it
	mins           []int64 // of a match buffer: where it starts in its source
}

func newStorage(t dtype.DType, shape []int64) *storage {
	s := &storage{shape: shape, lanes: int64(t.Lanes)}
	s.strides = compactStrides(shape)
	n := dtype.NumElements(shape) * s.lanes
	if t.IsFloat() {
		s.f = make([]float64, n)
	} else {
		s.i = make([]int64, n)
	}
	return s
}

func compactStrides(shape []int64) []int64 {
	strides, n := make([]int64, len(shape)), int64(1)
	for d := len(shape) - 1; d >= 0; d-- {
		strides[d] = n
		n *= shape[d]
	}
	return strides
}

// spoil fills a fresh buffer with values that no computation should see.
func (s *storage) spoil(t dtype.DType) {
	nan := math.NaN()
	for k := range s.f {
		s.f[k] = nan
	}
	bad := wrapper(t)(poison)
	for k := range s.i {
		s.i[k] = bad
	}
}

// scalarView is t with lanes as an innermost dimension.
func scalarView(t *dtype.Tensor) *dtype.Tensor {
	if t.Type.Lanes == 1 {
		return t
	}
	shape := append(append([]int64(nil), t.Shape...), int64(t.Type.Lanes))
	return &dtype.Tensor{Type: t.Type.Element(), Shape: shape, Data: t.Data}
}

func copyIn(b *tir.Buffer, t *dtype.Tensor) *storage {
	s := newStorage(b.Type, append([]int64(nil), t.Shape...))
	t = scalarView(t)
	for k := range s.f {
		s.f[k] = t.Float(k)
	}
	for k := range s.i {
		s.i[k] = t.Int(k)
	}
	return s
}

func (s *storage) copyOut(t *dtype.Tensor) {
	t = scalarView(t)
	for k, v := range s.f {
		t.SetFloat(k, v)
	}
	for k, v := range s.i {
		t.SetInt(k, v)
	}
}
