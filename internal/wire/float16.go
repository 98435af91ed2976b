package wire

import "math"

// Float16 rounds to nearest even and returns the IEEE 754 binary16 bits; values beyond
// the range become infinities.
func Float16(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	exp := int32(b>>23&0xff) - 127
	frac := b & 0x7fffff
	switch {
	case exp == 128 && frac != 0:
		return sign | 0x7e00
	case exp >= 16:
		return sign | 0x7c00
	case exp >= -14:
		h := uint32(exp+15)<<10 | frac>>13
		return sign | uint16(roundEven(h, frac&0x1fff, 0x1000))
	case exp >= -25: // subnormal: the hidden bit becomes explicit
		frac |= 0x800000
		shift := uint32(-exp - 1) // the bits below 2^-24 are dropped
		return sign | uint16(roundEven(frac>>shift, frac&(1<<shift-1), 1<<(shift-1)))
	}
	return sign
}

// roundEven adds one to h when the dropped bits are above half, or half with h odd. A
// carry into the exponent is the right result.
func roundEven(h, dropped, half uint32) uint32 {
	if dropped > half || dropped == half && h&1 == 1 {
		h++
	}
	return h
}

// FromFloat16 is the exact value of binary16 bits.
func FromFloat16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h >> 10 & 0x1f)
	frac := uint32(h & 0x3ff)
	switch exp {
	case 0:
		v := float32(frac) * 0x1p-24
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}
