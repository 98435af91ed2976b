package rule

import "hone/compiler/dlight"

// Inline removes stages that need no buffer, padding included.
func Inline() Rule { return move{"inline", dlight.Move{Name: "inline", Apply: dlight.InlineBlock}} }
