package rule

import "hone/compiler/dlight"

// Spatial makes what no other rule scheduled parallel and vector.
func Spatial() Rule { return move{"spatial", dlight.Move{Name: "spatial", Apply: dlight.SpatialBlock}} }
