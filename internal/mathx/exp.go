package mathx

import "math"

const (
	// ln2Hi + ln2Lo is ln 2; ln2Hi has 32 trailing zero bits, so that its
	// product with an exponent is exact.
	ln2Hi  = 6.93147180369123816490e-01
	ln2Lo  = 1.90821492927058770002e-10
	invLn2 = 1.44269504088896338700e+00

	expOverflow  = 709.782712893384
	expUnderflow = -745.1332191019412
)

// expTaylor holds 1/k! for k = 13 down to 2. On |r| <= ln2/2 the first omitted
// term is below 5e-18 relative to exp(r).
var expTaylor = [...]float64{
	1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
	1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2,
}

// Exp returns e**x within one unit in the last place (two in rare cases) for
// normal results.
// Exp(NaN) is NaN; results beyond the range of float64 are +Inf or 0.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > expOverflow:
		return math.Inf(1)
	case x < expUnderflow:
		return 0
	}
	k := math.Floor(float64(x*invLn2) + 0.5)
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo
	p := expTaylor[0]
	for _, c := range expTaylor[1:] {
		p = float64(p*r) + c
	}
	// exp(r) = 1 + r + r²·p; the rounding error of r itself is added back.
	tail := (hi - r) - lo
	y := 1 + (r + (float64(float64(r*r)*p) + tail))
	return scale(y, int(k))
}

// scale returns y·2**k for y in [0.5, 2], correct for subnormal results too.
func scale(y float64, k int) float64 {
	if k < -1021 {
		return y * pow2(k+100) * pow2(-100)
	}
	if k > 1023 {
		return y * 2 * pow2(k-1)
	}
	return y * pow2(k)
}

// pow2 returns 2**k for a normal exponent k in [-1022, 1023].
func pow2(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }
