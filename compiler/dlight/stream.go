package dlight

// weights is how many bytes a column of tiles reads for one step of the longest
// reduction axis.
func (x *tiler) weights() int64 {
	bytes := 4 * x.cols * x.r.Lanes
	for _, a := range x.r.Reduce {
		if a != x.longest {
			bytes *= x.r.Extents[a]
		}
	}
	return bytes
}

// streams reports whether all weights pass by for every tile of rows, in the order in
// which they lie: the processor fetches ahead what is contiguous, while the rows of the
// other operand wait in the nearest cache. The weights are more than the second-level
// cache takes in few parts, for each of which the rows come again, and stay in an eighth
// of the last one: in a model others use it too. Where rows are many, they may do so in
// parts of the reduction. Threads have columns of their own.
func (x *tiler) streams() bool {
	if x.t.L3 == 0 || len(x.taps) > 0 || x.r.Row < 0 || x.r.Vectors > 1 || x.r.Dot != nil {
		return false
	}
	step := x.weights() * x.panels
	all := step * x.r.Extents[x.longest]
	if all >= x.t.L3/2 {
		return x.t.L3/8/step >= leastSteps && x.r.Extents[x.r.Row] >= leastRows*x.rows
	}
	return all > 2*x.t.L2 && all <= x.t.L3/8
}

// What it takes to load and store accumulators between parts of a reduction: steps of a
// part, and tiles of rows that read its weights.
const (
	leastSteps = 256
	leastRows  = 128
)

// panelPart is the inner part of the longest reduction axis. Where weights stream, it is
// all of it, unless they fill half of the last cache: then the part for which they stay
// in an eighth of it, and rows in half of the first one. Else the weights that one column
// of tiles reads stay in a quarter of the second-level cache: a tile streams them, and has
// its accumulators to load and store between two parts.
func (x *tiler) panelPart() int64 {
	bytes, longest := x.weights(), x.r.Extents[x.longest]
	if !x.streams() {
		return largestDivisor(longest, min(max(x.t.L2/4/bytes, 1), 1024))
	}
	if all := bytes * x.panels; all*longest >= x.t.L3/2 {
		return largestDivisor(longest, max(1, min(x.t.L3/8/all, x.t.L1D/2/(4*x.rows))))
	}
	return longest
}

// blocked reports whether the reduction is cut so that weights stay close; rows
// then pass over one part of it before the next comes.
func (x *tiler) blocked() bool {
	longest := x.r.Extents[x.longest]
	return x.r.Vectors < 2 && longest >= minTiled && x.panelPart() < longest
}
