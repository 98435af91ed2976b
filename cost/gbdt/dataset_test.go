package gbdt

import (
	"math"
	"strings"
	"testing"
)

func TestNewDatasetRejects(t *testing.T) {
	for _, c := range []struct {
		name    string
		table   []float64
		columns []string
		bins    int
		want    string
	}{
		{"no columns", []float64{1}, nil, 10, "at least one column"},
		{"no rows", nil, []string{"a"}, 10, "do not fill rows"},
		{"ragged", []float64{1, 2, 3}, []string{"a", "b"}, 10, "do not fill rows"},
		{"too many bins", []float64{1}, []string{"a"}, 256, "maxBins must be 2 to 255"},
		{"infinite", []float64{1, 2, math.Inf(1), 3}, []string{"a", "b"}, 10, "row 1, column a"},
		{"same name", []float64{1, 2}, []string{"a", "a"}, 10, `"a" is used twice`},
		{"bad name", []float64{1, 2}, []string{"a", "b c"}, 10, "white space"},
		{"empty name", []float64{1, 2}, []string{"a", ""}, 10, "column 1 has no name"},
	} {
		_, err := NewDataset(c.table, c.columns, c.bins)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func TestDatasetOfFloat32EqualsFloat64(t *testing.T) {
	x, y := tuningData(500, 14, 3, true)
	narrow := make([]float32, len(x))
	for i, v := range x {
		narrow[i] = float32(v)
		x[i] = float64(narrow[i])
	}
	a := mustDataset(t, x, 14, 63)
	b, err := NewDataset(narrow, columnNames(14), 63)
	if err != nil {
		t.Fatal(err)
	}
	if a.Rows() != 500 || a.Width() != 14 {
		t.Fatalf("%d × %d", a.Rows(), a.Width())
	}
	o := mustSquared(t, y)
	if text(t, mustTrain(t, a, o, DefaultParams())) != text(t, mustTrain(t, b, o, DefaultParams())) {
		t.Error("the models differ")
	}
}
