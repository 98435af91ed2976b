package rule

import "hone/compiler/dlight"

// Between schedules functions in which a product stands between stages, such as
// Winograd's convolution, a block of tiles at a time.
func Between() Rule {
	return move{"between", dlight.Move{Name: "between", Apply: dlight.BetweenOf}}
}
