package onnx

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"hone/compiler/dtype"
)

func float32frombits(v uint64) float32 { return math.Float32frombits(uint32(v)) }

// elementTypes maps TensorProto.DataType; the rest have names for messages.
var elementTypes = map[int32]dtype.DType{
	1: dtype.Float32, 2: dtype.UInt8, 3: dtype.Int8, 4: dtype.UInt16, 5: dtype.Int16, 6: dtype.Int32, 7: dtype.Int64,
	9: dtype.BoolType, 10: dtype.Float16, 11: dtype.Float64, 12: dtype.UInt32, 13: dtype.UInt64, 16: dtype.BFloat16,
}

var otherTypes = map[int32]string{
	0: "undefined", 8: "string", 14: "complex64", 15: "complex128", 17: "float8e4m3fn", 18: "float8e4m3fnuz",
	19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2",
}

func elementType(code int32, where string) (dtype.DType, error) {
	if t, ok := elementTypes[code]; ok {
		return t, nil
	}
	if name, ok := otherTypes[code]; ok {
		return dtype.DType{}, errorAt(where, "element type %s is not supported", name)
	}
	return dtype.DType{}, errorAt(where, "unknown element type %d", code)
}

func (m message) tensor(t *TensorProto) error {
	return m.fields(func(f field) error {
		switch f.num {
		case 1:
			if err := m.ints(f, &t.Dims); err != nil {
				return err
			}
			if len(t.Dims) > m.d.limits.Rank {
				return m.fail("more than %d dimensions", m.d.limits.Rank)
			}
		case 2:
			t.DataType = int32(f.scalar)
		case 3:
			t.Segmented = true
		case 4:
			collect(&t.Floats, f)
		case 5:
			collect(&t.Int32s, f)
		case 6:
			t.Strings++
		case 7:
			collect(&t.Int64s, f)
		case 8:
			t.Name = string(f.bytes)
		case 9:
			t.Raw, t.HasRaw = f.bytes, true
		case 10:
			collect(&t.Doubles, f)
		case 11:
			collect(&t.Uint64s, f)
		case 13:
			return m.external(f, t)
		case 14:
			t.IsExternal = f.scalar == 1
		}
		return nil
	})
}

// collect gathers a repeated scalar field in packed form. The common single
// packed field stays a view of the file.
func collect(to *[]byte, f field) {
	switch {
	case f.kind == protowire.BytesType && *to == nil:
		*to = f.bytes[:len(f.bytes):len(f.bytes)]
	case f.kind == protowire.BytesType:
		*to = append(*to, f.bytes...)
	case f.kind == protowire.VarintType:
		*to = protowire.AppendVarint(*to, f.scalar)
	case f.kind == protowire.Fixed32Type:
		*to = protowire.AppendFixed32(*to, uint32(f.scalar))
	default:
		*to = protowire.AppendFixed64(*to, f.scalar)
	}
}

func (m message) external(f field, t *TensorProto) error {
	c, err := m.child(f, "external_data")
	if err != nil {
		return err
	}
	var key, value string
	err = c.fields(func(f field) error {
		switch f.num {
		case 1:
			key = string(f.bytes)
		case 2:
			value = string(f.bytes)
		}
		return nil
	})
	if t.External == nil {
		t.External = map[string]string{}
	}
	t.External[key] = value
	return err
}

// count checks dimensions against the limits and multiplies them. The product of
// the dimensions that are not 0 is bounded, too: loops run over some of them.
func (l Limits) count(dims []int64, where string) (int64, error) {
	if len(dims) > l.Rank {
		return 0, errorAt(where, "%d dimensions, at most %d are supported", len(dims), l.Rank)
	}
	n, empty := int64(1), false
	for i, d := range dims {
		switch {
		case d < 0:
			return 0, errorAt(where, "dimension %d is negative: %d", i, d)
		case d > maxDim:
			return 0, errorAt(where, "dimension %d is too large: %d", i, d)
		}
		empty = empty || d == 0
		if n *= max(d, 1); n > l.Elements {
			return 0, errorAt(where, "the shape %v has too many elements", dims)
		}
	}
	if empty {
		return 0, nil
	}
	return n, nil
}

// decodeTensor gives a tensor its elements; raw data stay a view.
func (s *store) decodeTensor(t *TensorProto, where string) (*dtype.Tensor, error) {
	elem, err := elementType(t.DataType, where)
	if err != nil {
		return nil, err
	}
	n, err := s.limits.count(t.Dims, where)
	if err != nil {
		return nil, err
	}
	if t.Segmented {
		return nil, errorAt(where, "segmented tensors are not supported")
	}
	want := n * int64(elem.Bytes())
	out := &dtype.Tensor{Type: elem, Shape: append([]int64{}, t.Dims...)}
	switch {
	case t.IsExternal:
		if out.Data, err = s.external(t.External, want, where); err != nil {
			return nil, err
		}
	case t.HasRaw:
		out.Data = t.Raw
	default:
		if out.Data, err = t.typed(elem, n, where); err != nil {
			return nil, err
		}
	}
	if int64(len(out.Data)) != want {
		return nil, errorAt(where, "%s%v needs %d bytes, the file has %d", elem, t.Dims, want, len(out.Data))
	}
	if elem.IsBool() {
		out.Data = normaliseBools(out.Data)
	}
	return out, nil
}

// normaliseBools makes every true a 1, copying only when it must.
func normaliseBools(b []byte) []byte {
	clean := true
	for _, x := range b {
		clean = clean && x < 2
	}
	if clean {
		return b
	}
	out := make([]byte, len(b))
	for i, x := range b {
		if x != 0 {
			out[i] = 1
		}
	}
	return out
}

// typed decodes the typed field in which an element type is kept.
func (t *TensorProto) typed(elem dtype.DType, n int64, where string) ([]byte, error) {
	switch elem {
	case dtype.Float32:
		return t.Floats, nil
	case dtype.Float64:
		return t.Doubles, nil
	case dtype.Int64:
		return varints(t.Int64s, elem, n, where)
	case dtype.UInt32, dtype.UInt64:
		return varints(t.Uint64s, elem, n, where)
	}
	return varints(t.Int32s, elem, n, where)
}

// varints decodes exactly n integers, at least a byte each, to the width of
// elem. Half-precision floats are kept as their bits.
func varints(b []byte, elem dtype.DType, n int64, where string) ([]byte, error) {
	if int64(len(b)) < n {
		return nil, errorAt(where, "%d elements are declared, %d bytes are there", n, len(b))
	}
	width := elem.Bytes()
	out := make([]byte, n*int64(width))
	for i := range n {
		v, k := protowire.ConsumeVarint(b)
		if k < 0 {
			return nil, errorAt(where, "element %d of %d is missing or malformed", i, n)
		}
		b = b[k:]
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], v)
		copy(out[i*int64(width):(i+1)*int64(width)], word[:])
	}
	if len(b) > 0 {
		return nil, errorAt(where, "more than the declared %d elements", n)
	}
	return out, nil
}
