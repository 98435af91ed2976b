package filter_test

import (
	"testing"

	"hone/compiler/dlight"
	"hone/compiler/trace"
	"hone/tuner/filter"
	"hone/tuner/preset"
	"hone/tuner/space"
	"hone/tuner/tunertest"
)

// Over all choices of a sketch's tile the filter says what the registers hold,
// without replaying anything.
func TestTilesFitTheRegisters(t *testing.T) {
	for _, isa := range []string{"avx2", "avx512"} {
		tgt := tunertest.Target(t, isa, "2")
		spaces, _, err := space.Generate(tunertest.Workloads["matmul"](), preset.CPU(), &tgt)
		if err != nil {
			t.Fatal(err)
		}
		sp := spaces[0]
		rows, cols := choice(t, sp.Sketch, 0), choice(t, sp.Sketch, 1)
		refused := 0
		for i, r := range candidates(sp.Sketch, rows) {
			for k, c := range candidates(sp.Sketch, cols) {
				d := make([]any, sp.Sketch.Len())
				d[rows], d[cols] = int64(i), int64(k)
				got := sp.Limits.Allow(d, &tgt)
				if want := dlight.FitsRegisters(r, c, min(r, c), &tgt); got != want {
					t.Errorf("%s: a tile of %d×%d: allowed %v, want %v", isa, r, c, got, want)
				}
				if !got {
					refused++
				}
				d[cols] = nil
				if !sp.Limits.Allow(d, &tgt) {
					t.Errorf("%s: rows %d alone are refused", isa, r)
				}
			}
		}
		if refused == 0 {
			t.Errorf("%s: the limit refuses nothing", isa)
		}
	}
}

// choice is the n-th SampleCategorical of a sketch: rows, then columns.
func choice(t *testing.T, s trace.Trace, n int) int {
	t.Helper()
	for i, inst := range s.Insts {
		if inst.Kind.Name == "SampleCategorical" {
			if n == 0 {
				return i
			}
			n--
		}
	}
	t.Fatal("the sketch has too few choices")
	return 0
}

func candidates(s trace.Trace, i int) []int64 {
	var out []int64
	for _, c := range s.Insts[i].Attrs[0].([]any) {
		out = append(out, c.(int64))
	}
	return out
}

// A sketch without register tiles has no limits.
func TestNoLimits(t *testing.T) {
	tgt := tunertest.Target(t, "avx2", "2")
	spaces, _, err := space.Generate(tunertest.Workloads["matmul"](), preset.CPUParity(), &tgt)
	if err != nil {
		t.Fatal(err)
	}
	if l := filter.Of(spaces[0].Sketch); !l.Allow(make([]any, spaces[0].Sketch.Len()), &tgt) {
		t.Error("a limit where none is declared")
	}
}
