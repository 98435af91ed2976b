package gbdt

import (
	"flag"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

var writeFixture = flag.Bool("write-fixture", false, "write testdata/lightgbm/model.txt and rows.csv anew")

// TestLightGBMFixture compares with predictions that LightGBM made from a file of
// ours; see testdata/lightgbm/README.md.
func TestLightGBMFixture(t *testing.T) {
	const dir, width = "testdata/lightgbm/", 14
	if *writeFixture {
		fixture(t, dir, width)
	}
	file, err := os.Open(dir + "model.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := ReadText(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, want := readCSV(t, dir+"rows.csv"), readCSV(t, dir+"predictions.csv")
	if len(rows) != len(want)*width || len(want) < 100 {
		t.Fatalf("%d values for %d predictions", len(rows), len(want))
	}
	p, err := NewPredictor(m)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, len(want))
	if err := p.Predict(rows, got, 1); err != nil {
		t.Fatal(err)
	}
	for i, own := range predictAll(m, rows) {
		if math.Abs(own-want[i]) > 1e-12 || got[i] != own {
			t.Errorf("row %d: we predict %v, leaves %v, LightGBM %v", i, own, got[i], want[i])
		}
	}
}

func fixture(t *testing.T, dir string, width int) {
	x, y := tuningData(2000, width, 50, true)
	p := DefaultParams()
	p.Trees, p.Leaves, p.LearningRate = 12, 12, 0.3
	m := mustTrain(t, mustDataset(t, x, width, 63), mustSquared(t, y), p)
	if err := os.WriteFile(dir+"model.txt", []byte(text(t, m)), 0o644); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, v := range x[:120*width] {
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		if (i+1)%width == 0 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(',')
		}
	}
	if err := os.WriteFile(dir+"rows.csv", []byte(strings.ReplaceAll(b.String(), "NaN", "nan")), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readCSV(t *testing.T, name string) (values []float64) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range strings.FieldsFunc(string(b), func(r rune) bool { return r == ',' || r == '\n' }) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		values = append(values, v)
	}
	return values
}
