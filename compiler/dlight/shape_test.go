package dlight

import (
	"testing"

	"hone/compiler/target"
)

// Tiles are as large as registers allow, and give way to those that leave little at
// the ends of an extent.
func TestBestTile(t *testing.T) {
	for _, c := range []struct {
		mcpu             string
		rows, vectors    int64
		wantR, wantC, ku int64
	}{
		{"znver3", 512, 64, 6, 2, 2},
		{"znver3", 128, 16, 6, 2, 2},
		{"znver3", 56, 8, 6, 2, 2},
		{"znver3", 14, 32, 5, 2, 2}, // 5, 5 and 4 rows: 6, 6 and 2 wait for their last tile
		{"znver3", 1, 125, 1, 6, 2}, // one row lives on many vectors
		{"znver3", 512, 3, 4, 3, 1}, // the third column fills the registers: no step ahead
		{"znver3", 4096, 1, 12, 1, 2},
		{"skylake-avx512", 512, 32, 12, 2, 2},
	} {
		tgt, err := target.Parse(`{"kind":"cpu","isa":"x86_64","mcpu":"` + c.mcpu + `"}`)
		if err != nil {
			t.Fatal(err)
		}
		r, v := bestTile(c.rows, c.vectors, choices(RowChoices, c.rows), choices(ColChoices, c.vectors), 1, &tgt)
		if r != c.wantR || v != c.wantC || unrollFor(r, v, &tgt) != c.ku {
			t.Errorf("%s, %d × %d vectors: tile %d × %d in %d steps, want %d × %d in %d", c.mcpu, c.rows, c.vectors, r, v, unrollFor(r, v, &tgt), c.wantR, c.wantC, c.ku)
		}
	}
}
