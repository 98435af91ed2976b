package feature

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"hone/compiler/tir/tvmscript"
)

// reference is one entry of testdata/reference.json, see reference.py.
type reference struct {
	Name   string      `json:"name"`
	Script string      `json:"script"`
	Rows   [][]float64 `json:"rows"`
}

// deviations lists where we differ on purpose: columns that start with one of the
// prefixes (a buffer's number left out) may differ by up to tolerance.
var deviations = map[string]struct {
	reason    string
	columns   []string
	tolerance float64
}{
	"matmul parallel":  {"the reference keeps a stale fact about f when it bounds f % 2, and halves B and C", []string{"buffer.unique", "intensity."}, 3},
	"matmul imperfect": {"guarded accesses do not reach beyond the buffer, so its rows are covered whole", []string{"buffer.unique", "intensity."}, 6.1},
	"conv":             {"padding reads do not reach beyond the buffer", []string{"buffer.unique", "intensity."}, 0.4},
	"conv tiled":       {"padding reads do not reach beyond the buffer", []string{"buffer.unique", "intensity."}, 0.4},
	"conv inlined":     {"padding reads do not reach beyond the buffer", []string{"buffer.unique", "intensity."}, 0.4},
}

// TestReference compares the reference's columns with those that TVM computes
// for the same scheduled functions.
func TestReference(t *testing.T) {
	b, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []reference
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for _, ref := range all {
		t.Run(ref.Name, func(t *testing.T) { compareReference(t, ref) })
	}
}

func compareReference(t *testing.T, ref reference) {
	m, err := tvmscript.Parse(ref.Name, ref.Script)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := NewExtractor(testTarget()).Extract(m.Funcs[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(ref.Rows) {
		t.Fatalf("%d rows, the reference has %d", len(rows), len(ref.Rows))
	}
	for i := range rows {
		pairBuffers(rows[i], ref.Rows[i])
		for c, want := range ref.Rows[i] {
			got := float64(rows[i][c])
			if differs(got, want) && !deviates(ref.Name, names[c], math.Abs(got-want)) {
				t.Errorf("row %d, %s: %.4f (%.4g), the reference has %.4f (%.4g)", i, names[c], got, math.Exp2(got)-1, want, math.Exp2(want)-1)
			}
		}
	}
}

func deviates(entry, column string, by float64) bool {
	d := deviations[entry]
	for i := range buffersPerStore {
		column = strings.ReplaceAll(column, fmt.Sprintf("buffer%d.", i), "buffer.")
	}
	return by <= d.tolerance && slices.ContainsFunc(d.columns, func(p string) bool { return strings.HasPrefix(column, p) })
}

func differs(got, want float64) bool { return math.Abs(got-want) > 1e-4*(1+math.Abs(want)) }

// pairBuffers reorders the buffers of a reference row whose lines and bytes are
// equal: the reference breaks ties by name, we by order of access.
func pairBuffers(row []float32, want []float64) {
	part := func(i int) []float64 { return want[colBuffers+i*bufferColumns:][:bufferColumns] }
	mismatches := func(i, j int) (n int) {
		for c, v := range part(j) {
			if differs(float64(row[colBuffers+i*bufferColumns+c]), v) {
				n++
			}
		}
		return n
	}
	for i := range buffersPerStore {
		best := i
		for j := i + 1; j < buffersPerStore; j++ {
			tie := !differs(part(i)[3], part(j)[3]) && !differs(part(i)[5], part(j)[5])
			if tie && mismatches(i, j) < mismatches(i, best) {
				best = j
			}
		}
		for c := range bufferColumns {
			part(i)[c], part(best)[c] = part(best)[c], part(i)[c]
		}
	}
}
