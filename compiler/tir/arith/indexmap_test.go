package arith

import (
	"math/rand/v2"
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// parseIndexMap reads "i j -> i // 4; j; i % 4".
func parseIndexMap(t testing.TB, s string) *tir.IndexMap {
	names, body, _ := strings.Cut(s, "->")
	sc := newScope(t, names)
	m := &tir.IndexMap{}
	for _, n := range sc.names {
		m.Initial = append(m.Initial, sc.vars[n])
	}
	for _, e := range strings.Split(body, ";") {
		m.Final = append(m.Final, sc.parse(t, e))
	}
	return m
}

// eachIndex calls f on every index of the box.
func eachIndex(shape []int64, f func(idx []int64)) {
	idx := make([]int64, len(shape))
	var rec func(d int)
	rec = func(d int) {
		if d == len(shape) {
			f(idx)
			return
		}
		for idx[d] = 0; idx[d] < shape[d]; idx[d]++ {
			rec(d + 1)
		}
		idx[d] = 0
	}
	rec(0)
}

func exprs(shape []int64) []tir.Expr {
	out := make([]tir.Expr, len(shape))
	for i, n := range shape {
		out[i] = tir.Int(n)
	}
	return out
}

func mapShape(t *testing.T, m *tir.IndexMap, shape []int64) ([]int64, error) {
	t.Helper()
	to, err := NewAnalyzer().MapShape(m, exprs(shape))
	out := make([]int64, len(to))
	for i, e := range to {
		out[i], _ = tir.AsInt(e)
	}
	return out, err
}

func applyMap(m *tir.IndexMap, idx []int64) []int64 {
	env := map[*tir.Var]int64{}
	for i, v := range m.Initial {
		env[v] = idx[i]
	}
	out := make([]int64, len(m.Final))
	for i, e := range m.Final {
		out[i], _ = eval(e, env)
	}
	return out
}

func TestIndexMap(t *testing.T) {
	for _, c := range []struct {
		m         string
		shape     []int64
		bijective bool
		mapped    []int64
		inverse   string
	}{
		{"i j -> j; i", []int64{3, 5}, true, []int64{5, 3}, "axis1; axis0"},
		{"i j -> i * 5 + j", []int64{3, 5}, true, []int64{15}, "axis0 // 5; axis0 % 5"},
		{"i -> i // 4; i % 4", []int64{16}, true, []int64{4, 4}, "axis0 * 4 + axis1"},
		{"i j -> i // 16; j // 64; i % 16; j % 64", []int64{32, 128}, true, []int64{2, 2, 16, 64}, "axis0 * 16 + axis2; axis1 * 64 + axis3"},
		{"o c h w -> o // 8; c; h; w; o % 8", []int64{16, 3, 3, 3}, true, []int64{2, 3, 3, 3, 8}, "axis0 * 8 + axis4; axis1; axis2; axis3"},
		{"i -> i // 4; i % 4", []int64{14}, false, []int64{4, 4}, ""},
		{"i -> i // 2", []int64{16}, false, []int64{8}, ""},
		{"i j -> i + j", []int64{3, 5}, false, []int64{7}, ""},
		{"i j -> i; j + 3", []int64{3, 5}, true, nil, "axis0; axis1 - 3"},
		{"i j -> i", []int64{3, 1}, true, []int64{3}, "axis0; 0"},
	} {
		m := parseIndexMap(t, c.m)
		shape, err := mapShape(t, m, c.shape)
		if (err != nil) != (c.mapped == nil) || !equalInts(shape, c.mapped) {
			t.Errorf("%s: shape %v, %v", c.m, shape, err)
		}
		inv, err := NewAnalyzer().Inverse(m, exprs(c.shape))
		if (err == nil) != c.bijective {
			t.Errorf("%s: inverse error %v", c.m, err)
		}
		if err != nil {
			continue
		}
		var out []string
		for _, e := range inv.Final {
			out = append(out, show(e))
		}
		if got := strings.Join(out, "; "); got != c.inverse {
			t.Errorf("%s: inverse %s, want %s", c.m, got, c.inverse)
		}
		eachIndex(c.shape, func(idx []int64) {
			if back := applyMap(inv, applyMap(m, idx)); !equalInts(back, idx) {
				t.Errorf("%s: %v came back as %v", c.m, idx, back)
			}
		})
	}
}

func equalInts(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestPaddedInverse checks inverse and padding condition on every new index.
func TestPaddedInverse(t *testing.T) {
	for _, c := range []struct {
		m       string
		shape   []int64
		padding string
	}{
		{"i -> i // 4; i % 4", []int64{14}, "axis0 == 3 and 2 <= axis1"},
		{"i -> i // 4; i % 4", []int64{16}, "false"},
		{"i -> i // 4; i % 4", []int64{3}, "axis1 == 3"},
		{"i -> i // 4; i % 4", []int64{2}, "2 <= axis1"},
		{"i j -> i // 4; j // 3; i % 4; j % 3", []int64{14, 5}, "axis0 == 3 and 2 <= axis2 or axis1 == 1 and axis3 == 2"},
		{"i j -> j // 8; i; j % 8", []int64{3, 20}, "axis0 == 2 and 4 <= axis2"},
		{"i -> i // 8; i % 8 // 4; i % 4", []int64{13}, "axis0 == 1 and 5 <= axis1 * 4 + axis2"},
		{"i j -> (i * 6 + j) // 4; (i * 6 + j) % 4", []int64{2, 6}, "false"},
		{"i j -> i // 4; j; i % 4", []int64{3, 4}, "axis2 == 3"},
	} {
		m := parseIndexMap(t, c.m)
		inv, padding, err := NewAnalyzer().PaddedInverse(m, exprs(c.shape))
		if err != nil {
			t.Errorf("%s over %v: %v", c.m, c.shape, err)
			continue
		}
		if got := show(padding); got != c.padding {
			t.Errorf("%s over %v: padding %s, want %s", c.m, c.shape, got, c.padding)
		}
		reached := map[string]bool{}
		key := func(idx []int64) string {
			s := ""
			for _, x := range idx {
				s += show(tir.Int(x)) + ","
			}
			return s
		}
		eachIndex(c.shape, func(idx []int64) {
			to := applyMap(m, idx)
			reached[key(to)] = true
			if back := applyMap(inv, to); !equalInts(back, idx) {
				t.Errorf("%s: %v came back as %v", c.m, idx, back)
			}
		})
		shape, _ := mapShape(t, m, c.shape)
		eachIndex(shape, func(idx []int64) {
			env := map[*tir.Var]int64{}
			for i, v := range inv.Initial {
				env[v] = idx[i]
			}
			if hole, _ := eval(padding, env); (hole != 0) == reached[key(idx)] {
				t.Errorf("%s over %v: padding %s is %d at %v", c.m, c.shape, show(padding), hole, idx)
			}
		})
	}
	if _, _, err := NewAnalyzer().PaddedInverse(parseIndexMap(t, "i j -> i + j"), exprs([]int64{3, 4})); err == nil {
		t.Error("a map that is not one to one was inverted")
	}
}

// TestSuggestIndexMap tiles random loop nests over a weight and checks that the
// suggested layout is bijective and read in increasing order of the loops.
func TestSuggestIndexMap(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for n := 0; n < 300; n++ {
		// A [K, N] weight read at k = k0*b + k1, n = n0*d + n1 in a random loop order.
		ext := []int64{2 + r.Int64N(3), 1 + r.Int64N(4), 1 + r.Int64N(3), 2 + r.Int64N(4)}
		names := []string{"k0", "k1", "n0", "n1"}
		loops := make([]Loop, 4)
		for i := range loops {
			loops[i] = Loop{tir.NewVar(names[i], dtype.Int32), tir.Range{Min: tir.Int(0), Extent: tir.Int(ext[i])}}
		}
		at := func(i int) tir.Expr { return loops[i].Var }
		idx := []tir.Expr{tir.Add(tir.Mul(at(0), tir.Int(ext[1])), at(1)), tir.Add(tir.Mul(at(2), tir.Int(ext[3])), at(3))}
		shape := []int64{ext[0] * ext[1], ext[2] * ext[3]}
		buf := tir.NewStaticBuffer("W", dtype.Float32, shape...)
		order := append([]Loop(nil), loops...)
		r.Shuffle(4, func(i, j int) { order[i], order[j] = order[j], order[i] })
		m, ok := SuggestIndexMap(buf, idx, order, nil)
		if !ok {
			t.Fatalf("no layout for %v", ext)
		}
		if _, err := NewAnalyzer().Inverse(m, exprs(shape)); err != nil {
			t.Fatalf("layout is not bijective: %v", err)
		}
		packed, err := mapShape(t, m, shape)
		if err != nil {
			t.Fatal(err)
		}
		last, env := int64(-1), map[*tir.Var]int64{}
		loopShape := make([]int64, 4)
		for i, l := range order {
			loopShape[i], _ = tir.AsInt(l.Dom.Extent)
		}
		eachIndex(loopShape, func(p []int64) {
			for i, l := range order {
				env[l.Var] = p[i]
			}
			k, _ := eval(idx[0], env)
			j, _ := eval(idx[1], env)
			flat := int64(0)
			for i, x := range applyMap(m, []int64{k, j}) {
				flat = flat*packed[i] + x
			}
			if flat != last+1 {
				t.Fatalf("extents %v: element %d is followed by %d", ext, last, flat)
			}
			last = flat
		})
	}
}
