package cgen
type mathFunc struct{ args int }
var mathTable = map[string]mathFunc{}
func (u *unit) math(op string, e elem, n int) string { fail("no math"); return "" }
