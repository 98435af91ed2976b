package feature

import "hone/internal/mathx"

// intensity fills ten samples of the arithmetic-intensity curve: float operations
// per byte touched, as a function of how much of the nest runs, from the
// innermost loop outwards. Both axes of the nest are logarithmic, so that the
// samples spread over its levels; zeros without float operations.
func (n *nest) intensity(row []float32, curve []levelPoint) []levelPoint {
	curve = curve[:0]
	if n.s.flop == 0 || len(n.s.loops) == 0 {
		return curve
	}
	ops := n.s.flop
	for i := len(n.s.loops) - 1; i >= 0; i-- {
		ops *= float64(n.s.loops[i].extent)
		curve = append(curve, levelPoint{mathx.Log2(ops), ops / max(1, n.touched[i])})
	}
	total, p := curve[len(curve)-1].logOps, 0
	for k := range intensitySamples {
		at := total * float64(k+1) / intensitySamples
		for p < len(curve)-1 && curve[p].logOps < at-1e-4 {
			p++
		}
		v := curve[p].intensity
		if p > 0 {
			a, b := curve[p-1], curve[p]
			if d := b.logOps - a.logOps; d > 0 {
				v = a.intensity + float64((b.intensity-a.intensity)*max(0, min(1, (at-a.logOps)/d)))
			}
		}
		row[k] = slog(v)
	}
	return curve
}

// levelPoint is one level of a nest on the curve.
type levelPoint struct{ logOps, intensity float64 }
