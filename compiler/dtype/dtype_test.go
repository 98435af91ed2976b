package dtype

import (
	"math"
	"testing"
)

func TestParseIsInverseOfString(t *testing.T) {
	for _, d := range []DType{BoolType, Int8, UInt64, Float16, Float32, BFloat16, Float32.WithLanes(8), BoolType.WithLanes(16), HandleType,
		Float32.WithLanes(Scalable(4)), Int8.WithLanes(Scalable(1)), DType{UInt, 1, 1}.WithLanes(Scalable(16))} {
		got, err := Parse(d.String())
		if err != nil || got != d {
			t.Errorf("Parse(%q) = %v, %v", d.String(), got, err)
		}
	}
	for _, bad := range []string{"float", "int7", "floatx8", "float8", "int32x0", "bfloat32", "x8", "double", "float32xvscale", "float32xvscalex0", "float32vscalex4", "xvscalex4"} {
		if d, err := Parse(bad); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", bad, d)
		}
	}
}

func TestHalfRoundTripsAndRounds(t *testing.T) {
	for h := 0; h < 1<<16; h++ {
		f := HalfToFloat(uint16(h))
		if f != f {
			continue
		}
		if got := FloatToHalf(f); got != uint16(h) {
			t.Fatalf("FloatToHalf(HalfToFloat(%#x)) = %#x", h, got)
		}
	}
	// Between two neighbours the nearer one wins, ties go to even.
	for h := uint16(1); h < 0x7bff; h++ {
		a, b := float64(HalfToFloat(h)), float64(HalfToFloat(h+1))
		mid := float32((a + b) / 2)
		want := h
		if h&1 == 1 {
			want = h + 1
		}
		if got := FloatToHalf(mid); got != want {
			t.Fatalf("tie above %#x went to %#x", h, got)
		}
		if got := FloatToHalf(math.Nextafter32(mid, float32(b))); got != h+1 {
			t.Fatalf("above the tie of %#x: %#x", h, got)
		}
	}
}

func TestTensorElementAccess(t *testing.T) {
	for _, d := range []DType{BoolType, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float16, BFloat16, Float32, Float64} {
		x := NewTensor(d, 2, 3)
		x.SetInt(4, 1)
		if x.Int(4) != 1 || x.Float(4) != 1 || x.Int(3) != 0 {
			t.Errorf("%v: set 1, got %v and %v", d, x.Int(4), x.Float(4))
		}
		if err := x.CheckBytes(); err != nil {
			t.Error(err)
		}
	}
	y := &Tensor{Float32, []int64{2}, make([]byte, 7)}
	if y.CheckBytes() == nil {
		t.Error("a short tensor passed CheckBytes")
	}
}
