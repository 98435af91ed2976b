package gbdt

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// maxValue bounds the magnitude of features. It is also the threshold of a split
// that separates all values from the missing ones: the format has no infinities.
const maxValue = 1e300

// Dataset is a table of features, binned once and usable for many trainings.
type Dataset struct {
	rows, width int
	names       []string
	binnings    []binning
	columns     [][]uint8 // columns[f][r] is the bin of row r in feature f
	splittable  []int     // features with more than one bin
	row         func(r int, dst []float64)
}

// NewDataset bins a row-major table of len(names) columns into at most maxBins
// bins a column (2..MaxBins). Values lie within ±1e300 or are NaN, which stands
// for missing.
// Names must be unique and free of white space and of the characters = and :.
// The table is kept and must not change while the data set is in use.
func NewDataset[T float32 | float64](table []T, names []string, maxBins int) (*Dataset, error) {
	width := len(names)
	switch {
	case width == 0:
		return nil, errors.New("gbdt: a data set needs at least one column")
	case len(table) == 0 || len(table)%width != 0:
		return nil, fmt.Errorf("gbdt: %d values do not fill rows of %d columns", len(table), width)
	case len(table)/width > math.MaxInt32:
		return nil, fmt.Errorf("gbdt: %d rows are more than %d", len(table)/width, math.MaxInt32)
	case maxBins < 2 || maxBins > MaxBins:
		return nil, fmt.Errorf("gbdt: maxBins must be 2 to %d, got %d", MaxBins, maxBins)
	}
	if err := checkNames(names); err != nil {
		return nil, err
	}
	for i, v := range table {
		if math.Abs(float64(v)) > maxValue {
			return nil, fmt.Errorf("gbdt: row %d, column %s: %v is beyond ±%g", i/width, names[i%width], v, maxValue)
		}
	}
	d := &Dataset{
		rows: len(table) / width, width: width, names: names,
		binnings: make([]binning, width), columns: make([][]uint8, width),
		row: func(r int, dst []float64) {
			for f, v := range table[r*width : r*width+width] {
				dst[f] = float64(v)
			}
		},
	}
	(&Params{}).parallel(width, func() func(int) {
		scratch := make([]float64, d.rows)
		return func(f int) { binColumn(d, table, f, maxBins, scratch) }
	})
	for f := range d.binnings {
		if d.binnings[f].bins() > 1 {
			d.splittable = append(d.splittable, f)
		}
	}
	return d, nil
}

func binColumn[T float32 | float64](d *Dataset, table []T, f, maxBins int, scratch []float64) {
	for r := range scratch {
		scratch[r] = float64(table[r*d.width+f])
	}
	b := newBinning(scratch, maxBins)
	column := make([]uint8, d.rows)
	for r := range column {
		column[r] = b.of(float64(table[r*d.width+f]))
	}
	d.binnings[f], d.columns[f] = b, column
}

func checkNames(names []string) error {
	seen := make(map[string]bool, len(names))
	for i, n := range names {
		switch {
		case n == "":
			return fmt.Errorf("gbdt: column %d has no name", i)
		case strings.ContainsAny(n, "=: \t\r\n"):
			return fmt.Errorf("gbdt: column name %q contains white space, = or :", n)
		case seen[n]:
			return fmt.Errorf("gbdt: column name %q is used twice", n)
		}
		seen[n] = true
	}
	return nil
}

// Rows returns the number of rows.
func (d *Dataset) Rows() int { return d.rows }

// Width returns the number of columns.
func (d *Dataset) Width() int { return d.width }
