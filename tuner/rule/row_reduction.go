package rule

// RowReduction schedules functions whose reductions run along rows: softmax,
// layer norm and other statistics of contiguous data.
func RowReduction() Rule { return dlightMove("rows") }
