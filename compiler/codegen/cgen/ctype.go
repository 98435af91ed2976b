package cgen

import (
	"fmt"
	"strconv"

	"hone/compiler/dtype"
)

// elem is the C type that values of an element type are computed in: f16 and
// bf16 are computed in f32 and rounded after each operation, bool is u8 as a
// scalar (a vector of bool is a mask, see val).
type elem struct {
	name  string // "f32"
	bits  int
	float bool
	sign  bool
}

var (
	f32 = elem{"f32", 32, true, true}
	f64 = elem{"f64", 64, true, true}
	u8  = elem{"u8", 8, false, false}
	u16 = elem{"u16", 16, false, false}
)

func intElem(bits int, signed bool) elem {
	if signed {
		return elem{"i" + strconv.Itoa(bits), bits, false, true}
	}
	return elem{"u" + strconv.Itoa(bits), bits, false, false}
}

// computeElem is the C type of a value of type t.
func computeElem(t dtype.DType) elem {
	switch code := t.Code; {
	case !t.IsComputed():
	case code == dtype.Bool:
		return u8
	case code == dtype.Int:
		return intElem(int(t.Bits), true)
	case code == dtype.UInt:
		return intElem(int(t.Bits), false)
	case t.IsFloat():
		if t.Bits == 64 {
			return f64
		}
		return f32
	}
	fail("values of type %s have no C type", t)
	return elem{}
}

// storeElem is the C type of an element of type t in memory.
func storeElem(t dtype.DType) elem {
	if isHalf(t) {
		return u16
	}
	return computeElem(t)
}

func isHalf(t dtype.DType) bool { return t.IsFloat() && t.Bits == 16 }

// vec names the C type of n elements: the element itself when n is 1.
func (e elem) vec(n int) string {
	if n == 1 {
		return e.name
	}
	return e.name + "x" + strconv.Itoa(n)
}

// literal spells a constant of the element type.
func (e elem) literal(v int64) string {
	switch {
	case e.float:
		return floatLiteral(float64(v), e)
	case e.bits == 64 && !e.sign:
		return strconv.FormatUint(uint64(v), 10) + "ull"
	case e.bits == 64 && v == -1<<63:
		return "(-9223372036854775807ll - 1)"
	case e.bits == 64:
		return parenNegative(strconv.FormatInt(v, 10) + "ll")
	case e.bits == 32 && !e.sign:
		return strconv.FormatUint(uint64(uint32(v)), 10) + "u"
	case e.bits == 32 && v == -1<<31:
		return "(-2147483647 - 1)"
	}
	return parenNegative(strconv.FormatInt(v, 10))
}

func parenNegative(s string) string {
	if s[0] == '-' {
		return "(" + s + ")"
	}
	return s
}

// floatLiteral spells a float exactly: the shortest decimal that reads back as
// the same value.
func floatLiteral(v float64, e elem) string {
	suffix, bits := "", 64
	if e.bits == 32 {
		suffix, bits = "f", 32
	}
	switch {
	case v != v:
		return fmt.Sprintf("__builtin_nan%s(\"\")", suffix)
	case v > maxFloat(bits):
		return fmt.Sprintf("__builtin_inf%s()", suffix)
	case v < -maxFloat(bits):
		return fmt.Sprintf("(-__builtin_inf%s())", suffix)
	}
	s := strconv.FormatFloat(v, 'g', -1, bits)
	if !hasPointOrExponent(s) {
		s += ".0"
	}
	return parenNegative(s + suffix)
}

func maxFloat(bits int) float64 {
	if bits == 32 {
		return 0x1.fffffep127
	}
	return 0x1.fffffffffffffp1023
}

func hasPointOrExponent(s string) bool {
	for _, c := range s {
		if c == '.' || c == 'e' {
			return true
		}
	}
	return false
}

// pieces splits a vector of lanes elements into runs of at most width elements
// whose lengths are powers of two, as C vectors must be.
func pieces(lanes, width int) []piece {
	var out []piece
	off := 0
	for lanes-off >= width {
		out = append(out, piece{off, width})
		off += width
	}
	for n := width / 2; n >= 1; n /= 2 {
		if lanes-off >= n {
			out = append(out, piece{off, n})
			off += n
		}
	}
	return out
}

// piece is a run of lanes of a vector.
type piece struct{ off, n int }
