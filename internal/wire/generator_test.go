package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"
)

func floats(b []byte) []float64 {
	v := make([]float64, len(b)/4)
	for i := range v {
		v[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return v
}

func TestGenerateRanges(t *testing.T) {
	const n = 20000
	cases := []struct {
		g  Generator
		ok func(float64) bool
	}{
		{Ints(-3, 3), func(v float64) bool { return v == math.Trunc(v) && v != 0 && v >= -3 && v <= 3 }},
		{Ints(1, 1), func(v float64) bool { return v == 1 }},
		{Ints(-2, 0), func(v float64) bool { return v == -1 || v == -2 }},
		{Uniform(-1, 1), func(v float64) bool { return v >= -1 && v < 1 }},
		{Uniform(1, 1.0000001), func(v float64) bool { return v == 1 }},
		{Positive(0.5, 2), func(v float64) bool { return v >= 0.5 && v < 2 }},
		{Normal(1, 2), func(v float64) bool { return math.Abs(v-1) <= 7 }},
		{Index(7), func(v float64) bool { return v == math.Trunc(v) && v >= 0 && v < 7 }},
		{Mask(-1e4, 0, 0.75), func(v float64) bool { return v == 0 || v == -1e4 }},
		{Const(2.5), func(v float64) bool { return v == 2.5 }},
	}
	for _, c := range cases {
		b, err := Generate(Arg{DType: "float32", Shape: []int64{n}, Role: RoleIn, Generator: c.g}, 0, 42)
		if err != nil {
			t.Fatalf("%+v: %v", c.g, err)
		}
		distinct := map[float64]bool{}
		for i, v := range floats(b) {
			if !c.ok(v) {
				t.Fatalf("%+v: element %d is %g", c.g, i, v)
			}
			distinct[v] = true
		}
		if c.g.Kind == GenInts && len(distinct) != int(c.g.Hi-c.g.Lo)+1-btoi(c.g.Lo <= 0 && c.g.Hi >= 0) {
			t.Errorf("%+v: %d distinct values", c.g, len(distinct))
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestGenerateMoments(t *testing.T) {
	moments := func(g Generator) (mean, dev float64) {
		b, _ := Generate(Arg{DType: "float32", Shape: []int64{300, 1000}, Generator: g}, 3, 7)
		v := floats(b)
		for _, x := range v {
			mean += x / float64(len(v))
		}
		for _, x := range v {
			dev += (x - mean) * (x - mean) / float64(len(v))
		}
		return mean, math.Sqrt(dev)
	}
	if m, d := moments(Normal(1, 2)); math.Abs(m-1) > 0.02 || math.Abs(d-2) > 0.02 {
		t.Errorf("normal(1,2): mean %g deviation %g", m, d)
	}
	if m, d := moments(Uniform(-1, 1)); math.Abs(m) > 0.01 || math.Abs(d-1/math.Sqrt(3)) > 0.01 {
		t.Errorf("uniform: mean %g deviation %g", m, d)
	}
	if m, _ := moments(Mask(0, 1, 0.25)); math.Abs(m-0.25) > 0.01 {
		t.Errorf("mask: mean %g", m)
	}
}

// TestGenerateIsFrozen pins the bytes: records measured with one build must be
// reproducible by the next, on any processor.
func TestGenerateIsFrozen(t *testing.T) {
	h := sha256.New()
	for _, dtype := range []string{"float32", "float16", "float64", "int32", "int64", "int8", "uint8", "bool"} {
		for _, g := range []Generator{Ints(1, 1), Index(2), Iota(2), Mask(0, 1, 0.5), Const(1)} {
			b, err := Generate(Arg{DType: dtype, Shape: []int64{33, 3}, Generator: g}, 1, 5)
			if err != nil {
				t.Fatalf("%s %+v: %v", dtype, g, err)
			}
			if len(b) != 99*DTypeSize(dtype) {
				t.Fatalf("%s: %d bytes", dtype, len(b))
			}
			h.Write(b)
		}
	}
	for _, g := range []Generator{Uniform(-1, 3), Normal(0, 1), Positive(0.1, 1)} {
		for _, dtype := range []string{"float32", "float16", "float64"} {
			b, _ := Generate(Arg{DType: dtype, Shape: []int64{1000}, Generator: g}, 1, 5)
			h.Write(b)
		}
	}
	const want = "0d334eb4f19a8c2cfe2cccc1931f27f475d12c45ac25b4ed229b5acf3476c88d"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestGenerateStreamsDiffer(t *testing.T) {
	a := Arg{DType: "float32", Shape: []int64{64}, Generator: Uniform(0, 1)}
	base, _ := Generate(a, 0, 1)
	again, _ := Generate(a, 0, 1)
	other, _ := Generate(a, 1, 1)
	fresh, _ := Generate(a, 0, 2)
	if !bytes.Equal(base, again) || bytes.Equal(base, other) || bytes.Equal(base, fresh) {
		t.Error("streams must depend on seed and argument, and on nothing else")
	}
	longer, _ := Generate(Arg{DType: "float32", Shape: []int64{128}, Generator: Uniform(0, 1)}, 0, 1)
	if !bytes.Equal(base, longer[:len(base)]) {
		t.Error("an element's value depends on the extent")
	}
}

func TestGenerateRejects(t *testing.T) {
	for dtype, gs := range map[string][]Generator{
		"float32": {{}, {Kind: "zipf"}, Ints(0, 0), Ints(3, 1), Positive(0, 1), Normal(0, -1), Index(0), Mask(0, 1, 2), Uniform(math.NaN(), 1), Ints(1, 1<<25)},
		"int32":   {Normal(0, 1), Mask(0, 0.5, 0.5), Const(0.5), Uniform(0, 1e12)},
		"int8":    {Index(200), Ints(-300, 3)},
		"uint8":   {Ints(-1, 1)},
		"bool":    {Index(3), Const(2)},
	} {
		for _, g := range gs {
			if _, err := Generate(Arg{DType: dtype, Shape: []int64{4}, Generator: g}, 0, 0); err == nil {
				t.Errorf("%s %+v was accepted", dtype, g)
			}
		}
	}
}

func TestFloat16(t *testing.T) {
	for h := 0; h <= 0xffff; h++ {
		f := FromFloat16(uint16(h))
		if f != f {
			if got := Float16(f); got&0x7c00 != 0x7c00 || got&0x3ff == 0 {
				t.Fatalf("NaN %#x became %#x", h, got)
			}
			continue
		}
		if got := Float16(f); got != uint16(h) {
			t.Fatalf("%#x -> %g -> %#x", h, f, got)
		}
	}
	// Halfway cases go to the even neighbour, others to the nearest.
	for h := 0; h < 0x7bff; h++ {
		a, b := FromFloat16(uint16(h)), FromFloat16(uint16(h+1))
		mid := (a + b) / 2
		even := uint16(h + h&1)
		if got := Float16(mid); got != even {
			t.Fatalf("halfway %g between %#x and %#x became %#x", mid, h, h+1, got)
		}
		if got := Float16(math.Nextafter32(mid, b)); got != uint16(h+1) {
			t.Fatalf("above halfway of %#x became %#x", h, got)
		}
	}
	if Float16(65520) != 0x7c00 || Float16(-1e9) != 0xfc00 {
		t.Error("overflow must become infinity")
	}
}
