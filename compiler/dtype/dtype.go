// Package dtype describes element types and host tensors: the values that every
// other package of the compiler exchanges. It imports nothing of Hone. Start
// from DType (an element type with lanes) and Tensor (a host array).
package dtype

import (
	"fmt"
	"strconv"
	"strings"
)

// Code is the kind of number an element holds.
type Code uint8

// The kinds of elements. Handle is an opaque pointer, Void no value at all.
const (
	Void Code = iota
	Bool
	Int
	UInt
	Float
	BFloat
	Handle
	String
	Float8E3M4
	Float8E4M3
	Float8E4M3B11FNUZ
	Float8E4M3FN
	Float8E4M3FNUZ
	Float8E5M2
	Float8E5M2FNUZ
	Float8E8M0FNU
	Float6E2M3FN
	Float6E3M2FN
	Float4E2M1FN
)

// small names the floating-point types below 16 bits. They are read, printed and
// scheduled; nothing here computes with them.
var small = map[Code]struct {
	name string
	bits uint8
}{
	Float8E3M4: {"float8_e3m4", 8}, Float8E4M3: {"float8_e4m3", 8}, Float8E4M3B11FNUZ: {"float8_e4m3b11fnuz", 8},
	Float8E4M3FN: {"float8_e4m3fn", 8}, Float8E4M3FNUZ: {"float8_e4m3fnuz", 8}, Float8E5M2: {"float8_e5m2", 8},
	Float8E5M2FNUZ: {"float8_e5m2fnuz", 8}, Float8E8M0FNU: {"float8_e8m0fnu", 8},
	Float6E2M3FN: {"float6_e2m3fn", 6}, Float6E3M2FN: {"float6_e3m2fn", 6}, Float4E2M1FN: {"float4_e2m1fn", 4},
}

var smallByName = func() map[string]DType {
	m := map[string]DType{}
	for c, s := range small {
		m[s.name] = DType{c, s.bits, 1}
	}
	return m
}()

// DType is an element type: a kind, a width in bits and a number of vector
// lanes. It is comparable and small; pass it by value. Lanes is 1 for scalars,
// and of a vector whose length the machine decides it is what Scalable gives.
type DType struct {
	Code  Code
	Bits  uint8
	Lanes uint16
}

// The types in common use.
var (
	VoidType   = DType{Void, 0, 1}
	BoolType   = DType{Bool, 8, 1}
	Int8       = DType{Int, 8, 1}
	Int16      = DType{Int, 16, 1}
	Int32      = DType{Int, 32, 1}
	Int64      = DType{Int, 64, 1}
	UInt8      = DType{UInt, 8, 1}
	UInt16     = DType{UInt, 16, 1}
	UInt32     = DType{UInt, 32, 1}
	UInt64     = DType{UInt, 64, 1}
	Float16    = DType{Float, 16, 1}
	Float32    = DType{Float, 32, 1}
	Float64    = DType{Float, 64, 1}
	BFloat16   = DType{BFloat, 16, 1}
	HandleType = DType{Handle, 64, 1}
	StringType = DType{String, 0, 1}
)

// WithLanes returns the same element type with n lanes.
func (d DType) WithLanes(n int) DType { d.Lanes = uint16(n); return d }

// Element returns the scalar element type.
func (d DType) Element() DType { d.Lanes = 1; return d }

// MaxLanes is the largest number of lanes that is known; what is above are lanes
// of an unknown vector length.
const MaxLanes = 1 << 15

// Scalable stands for n times the vector length of the machine (vscale), as a
// number of lanes. Multiplied by a number it wraps around to the right one.
func Scalable(n int) int { return 1<<16 - n }

// VScale splits lanes that Scalable made: the factor of the vector length, 0 for
// lanes that are known.
func VScale(lanes int) int {
	if lanes <= MaxLanes {
		return 0
	}
	return 1<<16 - lanes
}

// IsInt reports whether d is a signed or unsigned integer (bool is not).
func (d DType) IsInt() bool { return d.Code == Int || d.Code == UInt }

// IsSigned reports whether d is a signed integer.
func (d DType) IsSigned() bool { return d.Code == Int }

// IsFloat reports whether d is a floating-point type, bfloat16 and those below 16
// bits included.
func (d DType) IsFloat() bool { return d.Code == Float || d.Code == BFloat || d.Code > String }

// IsComputed reports whether Hone computes with values of d: numbers of whole
// bytes in the usual formats, in vectors of a known length.
func (d DType) IsComputed() bool {
	return d.Lanes <= MaxLanes && d.Code >= Bool && d.Code <= BFloat && (d.Bits == 8 || d.Bits == 16 || d.Bits == 32 || d.Bits == 64)
}

// IsBool reports whether d is bool.
func (d DType) IsBool() bool { return d.Code == Bool }

// Bytes is the storage of one value, all lanes together, in bytes; for a vector
// of unknown length it means nothing.
func (d DType) Bytes() int { return int(d.Bits) / 8 * int(d.Lanes) }

// String gives TVM's spelling: float32, int8, bool, float32x8, handle.
func (d DType) String() string {
	var s string
	switch d.Code {
	case Void:
		return "void"
	case Handle:
		return "handle"
	case String:
		return "str"
	case Bool:
		s = "bool"
	case Int:
		s = "int" + strconv.Itoa(int(d.Bits))
	case UInt:
		s = "uint" + strconv.Itoa(int(d.Bits))
	case Float:
		s = "float" + strconv.Itoa(int(d.Bits))
	case BFloat:
		s = "bfloat" + strconv.Itoa(int(d.Bits))
	default:
		s = small[d.Code].name
	}
	if n := VScale(int(d.Lanes)); n > 0 {
		return s + "xvscalex" + strconv.Itoa(n)
	}
	if d.Lanes != 1 {
		s += "x" + strconv.Itoa(int(d.Lanes))
	}
	return s
}

var prefixes = []struct {
	name string
	code Code
}{{"bfloat", BFloat}, {"float", Float}, {"uint", UInt}, {"int", Int}}

// Parse reads the spelling that String writes.
func Parse(s string) (DType, error) {
	body, lanes := s, 1
	if i := strings.LastIndexByte(s, 'x'); i > 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || n < 1 || n > MaxLanes {
			return DType{}, fmt.Errorf("unknown dtype %q", s)
		}
		body, lanes = s[:i], n
		if elem, scalable := strings.CutSuffix(body, "xvscale"); scalable && elem != "" && n < MaxLanes {
			body, lanes = elem, Scalable(n)
		}
	}
	switch body {
	case "bool":
		return BoolType.WithLanes(lanes), nil
	case "handle":
		return HandleType, nil
	case "void", "":
		return VoidType, nil
	}
	if t, ok := smallByName[body]; ok {
		return t.WithLanes(lanes), nil
	}
	for _, p := range prefixes {
		rest, ok := strings.CutPrefix(body, p.name)
		if !ok {
			continue
		}
		bits, err := strconv.Atoi(rest)
		if err != nil || !validBits(p.code, bits) {
			break
		}
		return DType{p.code, uint8(bits), uint16(lanes)}, nil
	}
	return DType{}, fmt.Errorf("unknown dtype %q", s)
}

func validBits(c Code, bits int) bool {
	switch bits {
	case 1, 2, 4, 8:
		return c == Int || c == UInt
	case 16:
		return true
	case 32, 64:
		return c != BFloat
	}
	return false
}
