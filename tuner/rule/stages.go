package rule

import "hone/compiler/dlight"

// Stages lets chains of stages that are not inlined work on one tile at a time.
func Stages() Rule { return move{"stages", dlight.Move{Name: "stages", Apply: dlight.StagesBlock}} }
