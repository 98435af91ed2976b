package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// GenKind names a way to fill an operand. The set is closed: both ends must produce the
// same bytes from the same (argument, index, seed), on every processor.
type GenKind string

// The generators. Values are rounded to the argument's type; parameters not named by a
// kind are ignored.
const (
	GenInts     GenKind = "ints"     // non-zero integers in [Lo, Hi]: sums stay exact, equality is bitwise
	GenUniform  GenKind = "uniform"  // reals in [Lo, Hi)
	GenNormal   GenKind = "normal"   // bell-shaped, mean Lo, standard deviation Hi: the scaled sum of four uniforms, within 3.5 deviations
	GenPositive GenKind = "positive" // reals in [Lo, Hi) with 0 < Lo: variances, denominators
	GenIndex    GenKind = "index"    // integers in [0, N): safe to index an axis of extent N
	GenMask     GenKind = "mask"     // Hi with probability P, else Lo: 0/1 masks, additive attention masks
	GenConst    GenKind = "const"    // Lo everywhere
	GenIota     GenKind = "iota"     // element index modulo N
)

// Generator is a kind with its parameters.
type Generator struct {
	Kind GenKind `json:"kind"`
	Lo   float64 `json:"lo,omitempty"`
	Hi   float64 `json:"hi,omitempty"`
	N    int64   `json:"n,omitempty"`
	P    float64 `json:"p,omitempty"`
}

// Ints draws non-zero integers in [lo, hi].
func Ints(lo, hi int) Generator {
	return Generator{Kind: GenInts, Lo: float64(lo), Hi: float64(hi)}
}

// Uniform draws reals in [lo, hi).
func Uniform(lo, hi float64) Generator { return Generator{Kind: GenUniform, Lo: lo, Hi: hi} }

// Normal is bell-shaped around mean with standard deviation dev.
func Normal(mean, dev float64) Generator { return Generator{Kind: GenNormal, Lo: mean, Hi: dev} }

// Positive draws reals in [lo, hi), lo > 0.
func Positive(lo, hi float64) Generator { return Generator{Kind: GenPositive, Lo: lo, Hi: hi} }

// Index draws integers in [0, n).
func Index(n int64) Generator { return Generator{Kind: GenIndex, N: n} }

// Mask is hi with probability p, else lo.
func Mask(lo, hi, p float64) Generator { return Generator{Kind: GenMask, Lo: lo, Hi: hi, P: p} }

// Const is v everywhere.
func Const(v float64) Generator { return Generator{Kind: GenConst, Lo: v} }

// Iota counts 0, 1, … n-1 and starts again.
func Iota(n int64) Generator { return Generator{Kind: GenIota, N: n} }

// dtypes maps each element type to its size and the integers it holds exactly.
var dtypes = map[string]struct {
	size     int
	min, max float64
}{
	"float32": {4, -(1 << 24), 1 << 24}, "float16": {2, -2048, 2048}, "float64": {8, -(1 << 53), 1 << 53},
	"int32": {4, math.MinInt32, math.MaxInt32}, "int64": {8, -(1 << 53), 1 << 53},
	"int8": {1, -128, 127}, "uint8": {1, 0, 255}, "bool": {1, 0, 1},
}

// DTypeSize is the size of an element in bytes, 0 for a type that is not supported.
func DTypeSize(dtype string) int { return dtypes[dtype].size }

func (g Generator) check(dtype string) error {
	d := dtypes[dtype]
	bad := func(why string) error {
		return fmt.Errorf("generator %q for %s: %s (lo=%g hi=%g n=%d p=%g)", g.Kind, dtype, why, g.Lo, g.Hi, g.N, g.P)
	}
	if math.IsNaN(g.Lo+g.Hi+g.P) || math.IsInf(g.Lo+g.Hi+g.P, 0) {
		return bad("parameters must be finite")
	}
	isFloat := dtype == "float32" || dtype == "float16" || dtype == "float64"
	switch g.Kind {
	case GenInts:
		if g.Lo != math.Trunc(g.Lo) || g.Hi != math.Trunc(g.Hi) || g.Lo > g.Hi || g.Lo == 0 && g.Hi == 0 || g.Lo < d.min || g.Hi > d.max || g.Hi-g.Lo > 1<<31 {
			return bad("want non-zero integers the type holds exactly")
		}
	case GenUniform:
		if g.Lo > g.Hi || !isFloat && (g.Lo < d.min || g.Hi > d.max) {
			return bad("want lo <= hi within the type")
		}
	case GenNormal:
		if !isFloat || g.Hi < 0 {
			return bad("want a real type and a deviation >= 0")
		}
	case GenPositive:
		if !isFloat || g.Lo <= 0 || g.Hi < g.Lo {
			return bad("want a real type and 0 < lo <= hi")
		}
	case GenIndex, GenIota:
		if g.N < 1 || float64(g.N-1) > d.max {
			return bad("want 1 <= n, with n-1 exact in the type")
		}
	case GenMask:
		if g.P < 0 || g.P > 1 || !isFloat && (g.Lo < d.min || g.Hi > d.max || g.Lo != math.Trunc(g.Lo) || g.Hi != math.Trunc(g.Hi)) {
			return bad("want a probability and values of the type")
		}
	case GenConst:
		if !isFloat && (g.Lo < d.min || g.Lo > d.max || g.Lo != math.Trunc(g.Lo)) {
			return bad("want a value of the type")
		}
	default:
		return bad("unknown kind")
	}
	return nil
}

// Generate returns the bytes (little-endian, original layout) of argument number index of
// a work item with the given seed. The value of an element depends on (seed, index,
// element) alone.
func Generate(a Arg, index int, seed uint64) ([]byte, error) {
	if DTypeSize(a.DType) == 0 {
		return nil, fmt.Errorf("arg %d: unknown dtype %q", index, a.DType)
	}
	if err := a.Generator.check(a.DType); err != nil {
		return nil, fmt.Errorf("arg %d: %w", index, err)
	}
	n := a.Elems()
	dst := make([]byte, n*int64(DTypeSize(a.DType)))
	value := a.Generator.valuer(mix(seed^mix(uint64(index)+1)), a.DType)
	switch a.DType {
	case "float32":
		for i := range n {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(float32(value(uint64(i)))))
		}
	case "float64":
		for i := range n {
			binary.LittleEndian.PutUint64(dst[8*i:], math.Float64bits(value(uint64(i))))
		}
	case "float16":
		for i := range n {
			binary.LittleEndian.PutUint16(dst[2*i:], Float16(float32(value(uint64(i)))))
		}
	case "int32":
		for i := range n {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(int32(value(uint64(i)))))
		}
	case "int64":
		for i := range n {
			binary.LittleEndian.PutUint64(dst[8*i:], uint64(int64(value(uint64(i)))))
		}
	case "int8":
		for i := range n {
			dst[i] = byte(int8(value(uint64(i))))
		}
	case "uint8":
		for i := range n {
			dst[i] = byte(value(uint64(i)))
		}
	case "bool":
		for i := range n {
			if value(uint64(i)) != 0 {
				dst[i] = 1
			}
		}
	}
	return dst, nil
}

// valuer returns the function from element number to value under the stream key.
func (g Generator) valuer(key uint64, dtype string) func(uint64) float64 {
	draw := func(i uint64) uint64 { return mix(key + i*0x9e3779b97f4a7c15) }
	unit := func(i uint64) float64 { return float64(draw(i)>>11) * 0x1p-53 } // [0, 1)
	switch g.Kind {
	case GenInts:
		lo, span := int64(g.Lo), uint64(g.Hi-g.Lo)+1
		hasZero := g.Lo <= 0 && g.Hi >= 0
		if hasZero {
			span--
		}
		return func(i uint64) float64 {
			v := lo + int64((draw(i)>>32)*span>>32)
			if hasZero && v >= 0 {
				v++ // the range skips zero
			}
			return float64(v)
		}
	case GenUniform, GenPositive:
		return func(i uint64) float64 { return g.below(float64(unit(i)*(g.Hi-g.Lo))+g.Lo, dtype) }
	case GenNormal:
		return func(i uint64) float64 {
			h := draw(i)
			sum := float64(h&0xffff) + float64(h>>16&0xffff) + float64(h>>32&0xffff) + float64(h>>48)
			centred := (sum - 2*65535) * (math.Sqrt2 * 1.2247448713915890 / 65536) // variance of the sum: 4/12
			return float64(centred*g.Hi) + g.Lo
		}
	case GenIndex:
		n := float64(g.N)
		return func(i uint64) float64 { return min(math.Floor(unit(i)*n), n-1) }
	case GenIota:
		return func(i uint64) float64 { return float64(i % uint64(g.N)) }
	case GenMask:
		return func(i uint64) float64 {
			if unit(i) < g.P {
				return g.Hi
			}
			return g.Lo
		}
	}
	return func(uint64) float64 { return g.Lo }
}

// below keeps a real under Hi after rounding to the argument's type, so that the interval
// stays half open.
func (g Generator) below(v float64, dtype string) float64 {
	if g.Lo == g.Hi {
		return v
	}
	switch dtype {
	case "float32":
		if float64(float32(v)) >= g.Hi {
			return float64(math.Nextafter32(float32(g.Hi), float32(g.Lo)))
		}
	case "float16":
		if float64(FromFloat16(Float16(float32(v)))) >= g.Hi {
			return float64(FromFloat16(Float16(float32(g.Hi - (g.Hi-g.Lo)/1024))))
		}
	}
	return v
}

// mix is a bijective 64-bit finaliser (multiply and xor-shift), the counter-based
// generator behind every operand.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
