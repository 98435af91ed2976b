package cgen_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"hone/compiler/codegen/cgen"
	"hone/compiler/dtype"
	"hone/compiler/target"
)

// sample64 is an exact value: arguments and the correctly rounded result.
type sample64 struct {
	args [2]float64
	want float64
}

func samples64(t *testing.T) map[string][]sample64 {
	f, err := os.Open("testdata/math_f64.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string][]sample64{}
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		words := strings.Fields(sc.Text())
		var v []float64
		for _, w := range words[1:] {
			b, err := strconv.ParseUint(w, 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, math.Float64frombits(b))
		}
		s := sample64{want: v[len(v)-1]}
		copy(s.args[:], v[:len(v)-1])
		out[words[0]] = append(out[words[0]], s)
	}
	return out
}

// ulps64 is the distance in units of the last place of the result; the samples
// are rounded, so half a unit is noise.
func ulps64(got, want float64) float64 {
	if got == want {
		return 0
	}
	_, e := math.Frexp(want)
	return math.Abs(got-want) / math.Ldexp(1, max(e-53, -1074))
}

func TestMathOnFloat64(t *testing.T) {
	tgt, comps := native(t)
	if !testAll {
		comps = comps[:1]
	}
	samples := samples64(t)
	for _, comp := range comps {
		fns := cgen.Functions()
		ms := mappers(t, fns, dtype.Float64, tgt, comp, func(cgen.Function) []int { return []int{tgt.Lanes(64)} })
		for _, f := range fns {
			list := samples[f.Name]
			if len(list) == 0 {
				continue
			}
			t.Run(comp.Name()+"/"+f.Name, func(t *testing.T) {
				m := ms[fmt.Sprintf("%s/%d", f.Name, tgt.Lanes(64))]
				for i, s := range list {
					for a := range f.Args {
						binary.LittleEndian.PutUint64(m.args[a][8*i:], math.Float64bits(s.args[a]))
					}
				}
				m.run(t)
				worst, at := 0.0, 0
				for i, s := range list {
					got := math.Float64frombits(binary.LittleEndian.Uint64(m.args[f.Args][8*i:]))
					if e := ulps64(got, s.want); e > worst || e != e {
						worst, at = e, i
					}
				}
				t.Logf("%s: at most %.1f units of %d samples, at %v", f.Name, worst, len(list), list[at].args[:f.Args])
				if !(worst <= f.ULP64) {
					t.Errorf("%s is off by %.1f units at %v, the table says %v", f.Name, worst, list[at].args[:f.Args], f.ULP64)
				}
			})
		}
		checkExceptions64(t, tgt, ms)
	}
}

// checkExceptions64 checks what C's Annex F says of exceptional arguments.
func checkExceptions64(t *testing.T, tgt target.Target, ms map[string]*mapper) {
	inf, nan, neg := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	var fns []cgen.Function
	for _, f := range cgen.Functions() {
		if references[f.Name] != nil {
			fns = append(fns, f)
		}
	}
	special := []float64{0, neg, 1, -1, 2, -2, 3, -3, 0.5, -0.5, inf, -inf, nan, 1e300, -1e300, 1e-310, -1e-310, 709, -746, 1e9}
	for _, f := range fns {
		m := ms[fmt.Sprintf("%s/%d", f.Name, tgt.Lanes(64))]
		n := len(special) * len(special)
		for i := range n {
			binary.LittleEndian.PutUint64(m.args[0][8*i:], math.Float64bits(special[i%len(special)]))
			if f.Args == 2 {
				binary.LittleEndian.PutUint64(m.args[1][8*i:], math.Float64bits(special[i/len(special)]))
			}
		}
		m.run(t)
		for i := range n {
			x, y := special[i%len(special)], special[i/len(special)]
			got := math.Float64frombits(binary.LittleEndian.Uint64(m.args[f.Args][8*i:]))
			want := references[f.Name](x, y)
			exceptional := want != want || math.IsInf(want, 0) || want == 0
			switch {
			case !exceptional && (got != got || math.IsInf(got, 0)):
			case want != want && got == got, math.IsInf(want, 0) && got != want:
			case want == 0 && (math.Abs(got) > 1e-300 || got == 0 && math.Signbit(got) != math.Signbit(want)):
			default:
				continue
			}
			t.Errorf("%s(%v, %v) = %v, want %v", f.Name, x, y, got, want)
		}
	}
}
