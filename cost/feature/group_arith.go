package feature

// arith fills the counts of executed operations: each operation of the stored
// value times the iterations of all enclosing loops.
func (n *nest) arith(row []float32) {
	times := n.iterations()
	o := &n.s.ops
	for k := range opKinds {
		row[k] = slog(o.float[k] * times)
		row[opKinds+k] = slog(o.integer[k] * times)
	}
	row[2*opKinds] = slog(o.logic * times)
	row[2*opKinds+1] = slog(o.selects * times)
}

// iterations is how often the store runs.
func (n *nest) iterations() float64 {
	if d := len(n.s.loops); d > 0 {
		return n.s.loops[d-1].outer
	}
	return 1
}
