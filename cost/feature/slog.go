package feature

import (
	"math"

	"hone/internal/mathx"
)

// slogs holds log2(x+1) of the small integers, by far the most frequent values.
var slogs = func() (t [4097]float32) {
	for i := range t {
		t[i] = float32(mathx.Log2(float64(i) + 1))
	}
	return t
}()

// slog returns log2(|x| + 1), the scale of most columns. It is finite for every
// x: infinities count as the largest number and NaN as 0.
func slog(x float64) float32 {
	x = math.Abs(x)
	if x < float64(len(slogs)) {
		if i := int(x); float64(i) == x {
			return slogs[i]
		}
	}
	if math.IsNaN(x) {
		return 0
	}
	return float32(mathx.Log2(min(x, math.MaxFloat64/2) + 1))
}
