package cgen_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ebitengine/purego"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/codegen/codegentest"
	"hone/compiler/dtype"
)

// sweep compares a single-precision function with its double-precision form,
// which is held to exact samples elsewhere, on count values from the bits first
// on. It gives the largest error in ULP and the bits it was at, and returns 1
// when a result is infinite or not a number on one side only. V, D, H stand for
// vectors of all floats, half of them as doubles and as floats.
const sweep = `
__attribute__((visibility("default"))) u32 sweep_FN(u32 first, u64 count, f64 *worst, u32 *where) {
  DI bad = {0};
  *worst = 0.0;
  for (u64 i = 0; i < count; i += LANES) {
    union { u32 bits[LANES]; V v; H h[2]; } x, y;
    for (int l = 0; l < LANES; l++) x.bits[l] = first + (u32)i + (u32)l;
    y.v = hone_FN_V(x.v);
    for (int h = 0; h < 2; h++) {
      D r = hone_FN_D(__builtin_convertvector(x.h[h], D)), g = __builtin_convertvector(y.h[h], D);
      DI lost = (r != r) != (g != g), over = hone_abs_D(r) >= 0x1.ffffffp127, inf = hone_abs_D(g) == __builtin_inf();
      DI e = ((DI)r & 0x7ff0000000000000ll) - (23ll << 52), least = (DI){0} + 0x36a0000000000000ll;
      e = (e & (e > least)) | (least & ~(e > least));
      D off = hone_abs_D(g - r) / (D)e;
      off = sel_D((over & inf) | (r != r), (D){0}, off);
      lost |= (inf & ~over & ~(hone_abs_D(r) > 0x1.fffffdp127)) | (over & ~inf & (hone_abs_D(r) > 0x1.000001p128));
      bad |= lost;
      DI more = off > *worst;
      i64 any = 0;
      for (int l = 0; l < LANES / 2; l++) any |= more[l];
      if (__builtin_expect(any != 0, 0))
        for (int l = 0; l < LANES / 2; l++)
          if (off[l] > *worst) { *worst = off[l]; *where = first + (u32)i + (u32)(h * (LANES / 2) + l); }
    }
  }
  i64 any = 0;
  for (int l = 0; l < LANES / 2; l++) any |= bad[l];
  return any != 0;
}
`

// TestEveryFloat32 holds the functions that have a single-precision form to
// their stated errors over all of float32; by default over a part.
func TestEveryFloat32(t *testing.T) {
	tgt, comps := native(t)
	n := tgt.Lanes(32)
	var fns []cgen.Function
	for _, f := range cgen.Functions() {
		if strings.Contains(" exp log tanh sigmoid erf rsqrt ", " "+f.Name+" ") {
			fns = append(fns, f)
		}
	}
	for ci, comp := range comps {
		var ls []codegen.Lowered
		var text strings.Builder
		for _, f := range fns {
			ls = append(ls, codegen.Lowered{Symbol: "a_" + f.Name, Func: mapKernel(f.Name, 1, dtype.Float32, n)}, codegen.Lowered{Symbol: "b_" + f.Name, Func: mapKernel(f.Name, 1, dtype.Float64, n/2)})
			text.WriteString(strings.NewReplacer("_FN", "_"+f.Name, "LANES", fmt.Sprint(n), "DI", fmt.Sprintf("i64x%d", n/2), "V v", fmt.Sprintf("f32x%d v", n), "_V(", fmt.Sprintf("_f32x%d(", n),
				"H h", fmt.Sprintf("f32x%d h", n/2), "_D(", fmt.Sprintf("_f64x%d(", n/2), "D)", fmt.Sprintf("f64x%d)", n/2), "D r", fmt.Sprintf("f64x%d r", n/2), "D off", fmt.Sprintf("f64x%d off", n/2)).Replace(sweep))
		}
		ls = append(ls, codegen.Lowered{Symbol: "abs32", Func: mapKernel("abs", 1, dtype.Float64, n/2)})
		src, err := cgen.Backend{}.Emit(ls, tgt)
		if err != nil {
			t.Fatal(err)
		}
		src.C += text.String()
		img := codegentest.Load(t, src, tgt, comp)
		for _, f := range fns {
			t.Run(comp.Name()+"/"+f.Name, func(t *testing.T) { sweepOne(t, img, f, testAll && ci == 0) })
		}
	}
}

func sweepOne(t *testing.T, img *codegentest.Image, f cgen.Function, all bool) {
	sym, err := img.Symbol("sweep_" + f.Name)
	if err != nil {
		t.Fatal(err)
	}
	var run func(first uint32, count uint64, worst *float64, where *uint32) uint32
	purego.RegisterFunc(&run, sym)
	step, count := uint64(1<<20), uint64(1<<12) // a part of each binade and more
	if all {
		count = step
	}
	worst, at := 0.0, uint32(0)
	for first := uint64(0); first < 1<<32; first += step {
		var w float64
		var where uint32
		if bad := run(uint32(first), count, &w, &where); bad != 0 {
			t.Fatalf("an exceptional result differs in %d values from %#x on", count, first)
		}
		if w > worst {
			worst, at = w, where
		}
	}
	t.Logf("%s: at most %.3f ULP, at %v", f.Name, worst, math.Float32frombits(at))
	if worst > f.ULP32 {
		t.Errorf("%s is off by %.3f ULP at %v, the table says %v", f.Name, worst, math.Float32frombits(at), f.ULP32)
	}
}
