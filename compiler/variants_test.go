package compiler_test

import (
	"encoding/hex"
	"maps"
	"path/filepath"
	"testing"

	"hone/compiler"
	"hone/compiler/target"
)

// site is a site whose estimated form calls workload 1 twice and 2 once, and whose other
// forms call 3, and 3 and 4, beside the common 2.
func site() []compiler.Variant {
	task := func(id byte, n int) compiler.Task { return compiler.Task{Hash: [32]byte{id}, Weight: n} }
	return []compiler.Variant{
		{Site: "s", Form: 0, Tasks: []compiler.Task{task(1, 2), task(2, 1)}},
		{Site: "s", Form: 2, Tasks: []compiler.Task{task(2, 1), task(3, 2)}},
		{Site: "s", Form: 4, Tasks: []compiler.Task{task(2, 1), task(3, 1), task(4, 1)}},
	}
}

// The fastest program decides, by what the forms differ in; without times of that, the
// estimate stands.
func TestMeasuredTimesChooseForms(t *testing.T) {
	key := func(id byte) string { h := [32]byte{id}; return hex.EncodeToString(h[:]) }
	for _, c := range []struct {
		name string
		ns   map[string]float64
		want map[string]int64
	}{
		{"nothing measured", nil, map[string]int64{}},
		{"the estimate is right", map[string]float64{key(1): 10, key(3): 11, key(4): 10}, map[string]int64{}},
		{"another is hardly faster", map[string]float64{key(1): 10, key(3): 9.8, key(4): 10}, map[string]int64{}},
		{"another is faster", map[string]float64{key(1): 10, key(3): 9, key(4): 10}, map[string]int64{"s": 2}},
		{"the last is fastest", map[string]float64{key(1): 10, key(3): 9, key(4): 3}, map[string]int64{"s": 4}},
		{"what is not measured cannot win", map[string]float64{key(1): 10, key(3): 4}, map[string]int64{"s": 2}},
		{"nor can anything win over it", map[string]float64{key(3): 4, key(4): 3}, map[string]int64{}},
	} {
		if got := compiler.Fastest([][]compiler.Variant{site()}, c.ns); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The variants of a model are its own program and those of the other forms, and every
// form that the model is then loaded with is the variant that was listed.
func TestVariantsOfAModel(t *testing.T) {
	tgt, err := target.Parse(`{"kind":"cpu","mcpu":"znver3","num-cores":2}`)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(modelDir(t, "demo"), "model.onnx")
	load := func(forms map[string]int64) *compiler.Loaded {
		l, err := compiler.Load(path, &tgt, compiler.LoadOptions{Forms: forms})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	base := load(nil)
	sites, err := compiler.Variants(path, base, &tgt, compiler.LoadOptions{})
	if err != nil || len(sites) == 0 {
		t.Fatalf("%d sites, %v: the demo has convolutions of 3×3", len(sites), err)
	}
	for _, forms := range sites {
		calls := compiler.Calls(forms)
		for i, v := range forms {
			l := load(map[string]int64{v.Site: v.Form})
			if got := compiler.Calls([]compiler.Variant{{Tasks: l.Tasks}})[0]; !maps.Equal(got, calls[i]) {
				t.Errorf("%s as %d is not the variant listed", v.Site, v.Form)
			}
			if i > 0 && maps.Equal(calls[i], calls[0]) {
				t.Errorf("%s: forms %d and %d are the same program", v.Site, forms[0].Form, v.Form)
			}
		}
	}
}
