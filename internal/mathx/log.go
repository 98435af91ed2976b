package mathx

import "math"

// logSeries holds 2/(2k+1) for k = 10 down to 1: the odd series of
// ln((1+s)/(1-s)) after its first term. On |s| <= 0.1716 the first omitted term
// is below 1e-18.
var logSeries = [...]float64{
	2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3,
}

// Log returns the natural logarithm of x within two units in the last place.
// Log(0) is -Inf; Log of a negative number or NaN is NaN.
func Log(x float64) float64 {
	if y, ok := logSpecial(x); ok {
		return y
	}
	m, e := split(x)
	k := float64(e)
	return float64(k*ln2Hi) + (logMantissa(m) + float64(k*ln2Lo))
}

// Log2 returns the binary logarithm of x, exactly for powers of two, otherwise
// within two units in the last place (near 1: of the mantissa's logarithm).
func Log2(x float64) float64 {
	if y, ok := logSpecial(x); ok {
		return y
	}
	m, e := split(x)
	return float64(e) + float64(logMantissa(m)*invLn2)
}

func logSpecial(x float64) (float64, bool) {
	switch {
	case math.IsNaN(x) || x < 0:
		return math.NaN(), true
	case x == 0:
		return math.Inf(-1), true
	case math.IsInf(x, 1):
		return x, true
	}
	return 0, false
}

// split returns m in [√½, √2) and e with x = m·2**e, for positive finite x.
func split(x float64) (m float64, e int) {
	if x < 0x1p-1022 {
		x *= 0x1p54
		e = -54
	}
	b := math.Float64bits(x)
	e += int(b>>52) - 1023
	m = math.Float64frombits(b&(1<<52-1) | 1023<<52)
	if m >= math.Sqrt2 {
		m /= 2
		e++
	}
	return m, e
}

// logMantissa returns ln m for m in [√½, √2) with s = (m-1)/(m+1).
func logMantissa(m float64) float64 {
	f := m - 1
	s := f / (m + 1)
	z := float64(s * s)
	p := logSeries[0]
	for _, c := range logSeries[1:] {
		p = float64(p*z) + c
	}
	// 2s = f - s·f, which keeps f exact near 1.
	return f - float64(s*(f-float64(z*p)))
}
