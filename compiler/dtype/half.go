package dtype

import "math"

// HalfToFloat widens an IEEE 754 binary16 value.
func HalfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp := uint32(h>>10) & 31
	frac := uint32(h) & 0x3ff
	switch {
	case exp == 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case exp != 0:
		return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
	}
	// Zero and subnormals: frac · 2^-24, exact in float32.
	v := float32(frac) / (1 << 24)
	if sign != 0 {
		v = float32(math.Copysign(float64(v), -1))
	}
	return v
}

// FloatToHalf rounds to nearest even; overflow gives infinity.
func FloatToHalf(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b>>16) & 0x8000
	exp := int(b>>23&255) - 127
	frac := b & 0x7fffff
	switch {
	case exp == 128:
		if frac != 0 {
			return sign | 0x7e00
		}
		return sign | 0x7c00
	case exp > 15:
		return sign | 0x7c00
	case exp >= -14:
		return sign | roundShift(uint32(exp+15)<<23|frac, 13)
	case exp >= -25:
		return sign | roundShift(frac|0x800000, uint(-1-exp))
	}
	return sign
}

// roundShift shifts right by n bits, rounding to nearest even.
func roundShift(v uint32, n uint) uint16 {
	half := uint32(1) << (n - 1)
	r := v >> n
	rest := v & (1<<n - 1)
	if rest > half || rest == half && r&1 == 1 {
		r++
	}
	return uint16(r)
}

func floatToBrain(f float32) uint16 {
	b := math.Float32bits(f)
	if f != f {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
