package rule

// Inline removes stages that need no buffer, padding included.
func Inline() Rule { return dlightMove("inline") }
