package feature

import "hone/internal/mathx"

// levelPoint is one level of a nest on the arithmetic-intensity curve.
type levelPoint struct {
	ops       float64 // float operations of one pass over the level
	intensity float64 // of them per byte touched
}

// intensity fills samples of the arithmetic-intensity curve: float operations per
// byte touched as a function of how much of the nest runs, from the innermost
// loop outwards. The reference samples at tenths of all operations, nearly all of
// which lie within the outermost loop; the columns of ours sample at fifths of
// their logarithm, so that every level of tiling shows. Zeros without float
// operations.
func (n *nest) intensity(linear, log []float32, curve []levelPoint) []levelPoint {
	curve = curve[:0]
	if n.s.flop == 0 || len(n.s.loops) == 0 {
		return curve
	}
	ops := n.s.flop
	for i := len(n.s.loops) - 1; i >= 0; i-- {
		ops *= float64(n.s.loops[i].extent)
		curve = append(curve, levelPoint{ops, ops / max(1, n.touched[i])})
	}
	sample(curve, linear[:intensitySamples])
	for i := range curve {
		curve[i].ops = mathx.Log2(curve[i].ops)
	}
	sample(curve, log[:logSamples])
	return curve
}

// sample reads the curve at equal steps of operations up to all of them,
// interpolating between levels; below the innermost level it is flat.
func sample(curve []levelPoint, row []float32) {
	total, p := curve[len(curve)-1].ops, 0
	for k := range row {
		at := total * float64(k+1) / float64(len(row))
		for p < len(curve)-1 && curve[p].ops < at-1e-4 {
			p++
		}
		v := curve[p].intensity
		if p > 0 {
			a, b := curve[p-1], curve[p]
			if d := b.ops - a.ops; d > 0 {
				v = a.intensity + float64((b.intensity-a.intensity)*max(0, min(1, (at-a.ops)/d)))
			}
		}
		row[k] = slog(v)
	}
}
