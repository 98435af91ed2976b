package cgen_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/codegen/codegentest"
	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/internal/cc"
)

// hotFunctions are those tested by default: the ones with a single-precision
// form and a sample of the rest, whose double-precision forms have tests of
// their own.
var hotFunctions = []string{"exp", "log", "tanh", "sigmoid", "erf", "pow", "rsqrt", "sqrt", "round", "sin", "floor", "fmod"}

// testAll asks for exhaustive tests.
var testAll = os.Getenv("HONE_TEST_SOAK") != ""

// chunk is how many values one call of a test kernel computes: a multiple of
// any vector width and some left over for the short pieces.
const chunk = 1<<12 + 7

// mapKernel is y[i] = op(x[i], …) in vectors of lanes with a tail of one more
// vector store of what is left.
func mapKernel(op string, args int, t dtype.DType, lanes int) *tir.PrimFunc {
	out := tir.NewStaticBuffer("out", t, chunk)
	params := []tir.Param{}
	var in []*tir.Buffer
	for i := range args {
		b := tir.NewStaticBuffer(fmt.Sprintf("in%d", i), t, chunk)
		in = append(in, b)
		params = append(params, b)
	}
	call := func(idx tir.Expr) tir.Stmt {
		var a []tir.Expr
		for _, b := range in {
			a = append(a, at(b, idx))
		}
		return set(out, idx, &tir.Call{Op: op, Args: a, Type: t.WithLanes(int(idx.DType().Lanes))})
	}
	i := v32("i")
	var body, tail tir.Stmt
	if lanes == 1 {
		body = loop(i, chunk, call(i))
	} else {
		n := int64(chunk / lanes)
		body = loop(i, n, call(&tir.Ramp{Base: tir.Mul(i, tir.Int(int64(lanes))), Stride: tir.Int(1), Lanes: lanes}))
		tail = call(&tir.Ramp{Base: tir.Int(n * int64(lanes)), Stride: tir.Int(1), Lanes: int(chunk - n*int64(lanes))})
	}
	return &tir.PrimFunc{Name: op, Params: append(params, out), Body: tir.NewSeq(body, tail)}
}

// mapper runs one function over slices of bits.
type mapper struct {
	img   *codegentest.Image
	entry codegen.Entry
	args  [][]byte
}

func (m *mapper) run(t *testing.T) {
	if err := m.img.Call(m.entry, m.args, 1); err != nil {
		t.Fatal(err)
	}
}

// mappers compiles one unit with every function of the list in every width.
func mappers(t *testing.T, fns []cgen.Function, dt dtype.DType, tgt target.Target, comp *cc.Compiler, lanes func(f cgen.Function) []int) map[string]*mapper {
	var ls []codegen.Lowered
	var keys []string
	for _, f := range fns {
		for _, l := range lanes(f) {
			ls = append(ls, codegen.Lowered{Symbol: fmt.Sprintf("k_%s_%d", f.Name, l), Func: mapKernel(f.Name, f.Args, dt, l)})
			keys = append(keys, fmt.Sprintf("%s/%d", f.Name, l))
		}
	}
	src, err := cgen.Backend{}.Emit(ls, tgt)
	if err != nil {
		t.Fatal(err)
	}
	img := codegentest.Load(t, src, tgt, comp)
	out := map[string]*mapper{}
	for i, k := range keys {
		m := &mapper{img: img, entry: src.Entries[i]}
		for range len(ls[i].Func.Params) {
			m.args = append(m.args, make([]byte, chunk*dt.Bytes()))
		}
		out[k] = m
	}
	return out
}

var references = map[string]func(x, y float64) float64{
	"exp": un(math.Exp), "log": un(math.Log), "tanh": un(math.Tanh), "erf": un(math.Erf), "erfc": un(math.Erfc),
	"sigmoid": func(x, _ float64) float64 {
		if x < 0 {
			return math.Exp(x) / (1 + math.Exp(x))
		}
		return 1 / (1 + math.Exp(-x))
	},
	"rsqrt": func(x, _ float64) float64 { return 1 / math.Sqrt(x) }, "exp2": un(math.Exp2), "exp10": func(x, _ float64) float64 { return math.Pow(10, x) },
	"expm1": un(math.Expm1), "log2": un(math.Log2), "log10": un(math.Log10), "log1p": un(math.Log1p),
	"sin": un(math.Sin), "cos": un(math.Cos), "tan": un(math.Tan), "asin": un(math.Asin), "acos": un(math.Acos), "atan": un(math.Atan),
	"sinh": un(math.Sinh), "cosh": un(math.Cosh), "asinh": un(math.Asinh), "acosh": un(math.Acosh), "atanh": un(math.Atanh),
	"round": un(math.Round), "floor": un(math.Floor), "ceil": un(math.Ceil), "trunc": un(math.Trunc), "nearbyint": un(math.RoundToEven),
	"sqrt": un(math.Sqrt), "abs": un(math.Abs),
	"pow": math.Pow, "power": math.Pow, "atan2": math.Atan2, "hypot": math.Hypot, "fmod": math.Mod, "copysign": math.Copysign,
	"fmin": func(x, y float64) float64 {
		if y < x || x != x {
			return y
		}
		return x
	},
	"fmax": func(x, y float64) float64 {
		if y > x || x != x {
			return y
		}
		return x
	},
}

func un(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

// exact are operators outside of the table that have one right answer.
var exactOps = []cgen.Function{{Name: "floor", Args: 1}, {Name: "ceil", Args: 1}, {Name: "trunc", Args: 1}, {Name: "nearbyint", Args: 1}, {Name: "sqrt", Args: 1, ULP32: 0.51}, {Name: "abs", Args: 1}}

// ulps is the distance of got from the exact value in units of the last place
// of float32 there.
func ulps32(got float32, want float64) float64 {
	w := float32(want)
	switch {
	case want != want:
		if got != got {
			return 0
		}
		return math.Inf(1)
	case got == w || math.IsInf(float64(got), 0) && math.IsInf(float64(w), 0):
		if got == 0 && math.Signbit(float64(got)) != math.Signbit(want) {
			return math.Inf(1)
		}
		if math.IsInf(float64(got), 0) {
			if math.Signbit(float64(got)) != math.Signbit(want) {
				return math.Inf(1)
			}
			return 0
		}
	case math.IsInf(float64(got), 0) || math.IsInf(want, 0) || got != got:
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e-24, -149))
}

func TestMathOnFloat32(t *testing.T) {
	tgt, comps := native(t)
	for _, comp := range comps {
		t.Run(comp.Name(), func(t *testing.T) {
			fns := append(cgen.Functions(), exactOps...)
			if !testAll {
				fns = slices.DeleteFunc(fns, func(f cgen.Function) bool { return !slices.Contains(hotFunctions, f.Name) })
			}
			full := tgt.Lanes(32)
			ms := mappers(t, fns, dtype.Float32, tgt, comp, func(f cgen.Function) []int {
				if slices.Contains(hotFunctions, f.Name) || testAll {
					return []int{1, full, 2 * full}
				}
				return []int{full}
			})
			for _, f := range fns {
				if references[f.Name] == nil {
					continue
				}
				t.Run(f.Name, func(t *testing.T) { checkFloat32(t, f, ms, full) })
			}
		})
	}
}

// checkFloat32 walks through all float32 in strides with the full width, and checks that other widths give the same bits.
func checkFloat32(t *testing.T, f cgen.Function, ms map[string]*mapper, full int) {
	m := ms[fmt.Sprintf("%s/%d", f.Name, full)]
	var others []*mapper
	for _, l := range []int{1, 2 * full} {
		if o := ms[fmt.Sprintf("%s/%d", f.Name, l)]; o != nil {
			others = append(others, o)
		}
	}
	stride := uint64(20011)
	if testAll {
		stride = 509
	}
	worst, worstX, worstY, worstGot := 0.0, float32(0), float32(0), float32(0)
	ref := references[f.Name]
	next := uint64(0)
	seed := uint32(1)
	for round := 0; next < 1<<32; round++ {
		for i := range chunk {
			x := uint32(next)
			if next >= 1<<32 {
				x = 0
			}
			y := seed
			if round == 0 {
				x, y = specials32[i%len(specials32)], specials32[i/len(specials32)%len(specials32)]
			} else {
				next += stride
				seed = seed*1664525 + 1013904223
				if f.Args == 2 && seed&7 != 0 { // mostly near x, or of moderate size
					y = moderate(seed)
					if seed&64 != 0 {
						x = moderate(x * 2654435761)
					}
				}
			}
			binary.LittleEndian.PutUint32(m.args[0][4*i:], x)
			if f.Args == 2 {
				binary.LittleEndian.PutUint32(m.args[1][4*i:], y)
			}
		}
		m.run(t)
		if round%16 == 0 {
			for _, o := range others {
				for i := range f.Args {
					copy(o.args[i], m.args[i])
				}
				o.run(t)
				if !sameBits32(o.args[f.Args], m.args[f.Args]) {
					t.Fatalf("another width gives other bits")
				}
			}
		}
		for i := range chunk {
			x, y := read32(m.args[0], i), float32(0)
			if f.Args == 2 {
				y = read32(m.args[1], i)
			}
			got := read32(m.args[f.Args], i)
			if e := ulps32(got, ref(float64(x), float64(y))); e > worst || e != e {
				worst, worstX, worstY, worstGot = e, x, y, got
				if math.IsInf(e, 0) || e != e {
					t.Fatalf("%s(%v, %v) = %v, want %v", f.Name, x, y, got, float32(ref(float64(x), float64(y))))
				}
			}
		}
	}
	t.Logf("%s: at most %.3f ULP, at %v, %v", f.Name, worst, worstX, worstY)
	if worst > f.ULP32 {
		t.Errorf("%s(%v, %v) = %v, want %v: %.3g ULP, the table says %v", f.Name, worstX, worstY, worstGot, float32(ref(float64(worstX), float64(worstY))), worst, f.ULP32)
	}
}

// moderate makes a float32 between 2^-8 and 2^8 from random bits.
func moderate(bits uint32) uint32 {
	return bits&0x807fffff | (119+bits>>8&15)<<23
}

func sameBits32(a, b []byte) bool {
	for i := range chunk {
		x, y := binary.LittleEndian.Uint32(a[4*i:]), binary.LittleEndian.Uint32(b[4*i:])
		if x != y && !(math.Float32frombits(x) != math.Float32frombits(x) && math.Float32frombits(y) != math.Float32frombits(y)) {
			return false
		}
	}
	return true
}

func read32(b []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
}

// specials32 are values at which functions have exceptions or turn.
var specials32 = func() []uint32 {
	var out []uint32
	for _, v := range []float64{0, 1, 2, 3, 0.5, 1.5, 2.5, 4, 5, 88.72, 88.73, 87.33, 103.97, 104, 127, 128, 149, 150, 8388607.5, 8388608, 16777216, 1e10, 3e38,
		math.Pi, math.Pi / 2, 0x1p-126, 0x1p-149, 0x1.fffffcp-127, 0x1.fffffep127, math.Inf(1), 9, 9.1, 0.99999994, 1.0000001, 1e-10, 1e20} {
		b := math.Float32bits(float32(v))
		out = append(out, b, b|1<<31)
	}
	return append(out, 0x7fc00000)
}()
