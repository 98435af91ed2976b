package rule

import "hone/compiler/dlight"

// Chain schedules functions in which a product reads what becomes of another, such as
// attention, a block of rows at a time.
func Chain() Rule { return move{"chain", dlight.Move{Name: "chain", Apply: dlight.ChainOf}} }
