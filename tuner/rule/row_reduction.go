package rule

import "hone/compiler/dlight"

// RowReduction schedules functions whose reductions run along rows: softmax,
// layer norm and other statistics of contiguous data.
func RowReduction() Rule {
	return move{"row_reduction", dlight.Move{Name: "rows", Apply: dlight.RowsOf}}
}
