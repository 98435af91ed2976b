package rule

// Spatial makes what no other rule scheduled parallel and vector.
func Spatial() Rule { return dlightMove("spatial") }
