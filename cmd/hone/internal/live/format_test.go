package live

import (
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	for ns, want := range map[float64]string{0: "-", 0.5: "0.50 ns", 9.994: "9.99 ns", 9.996: "10.0 ns", 999.4: "999 ns", 999.6: "1.00 µs", 12_345: "12.3 µs", 999_600: "1.00 ms", 1.5e6: "1.50 ms", 2.5e9: "2.50 s"} {
		if got := Time(ns); got != want {
			t.Errorf("%g: %q, want %q", ns, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 59*time.Second + 600*time.Millisecond: "1m00s", 185 * time.Second: "3m05s", 2*time.Hour + 10*time.Minute: "2h10m"} {
		if got := Span(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		times []float64
		width int
		want  string
	}{
		{nil, 4, ""},
		{[]float64{5, 5}, 4, "▁▁"},
		{[]float64{0, 8, 4, 2, 1}, 8, " █▆▃▁"},
		{[]float64{100, 90, 80, 70, 60, 50, 40, 30, 20, 10}, 4, "█▇▅▁"},
	} {
		if got := Spark(c.times, c.width); got != c.want {
			t.Errorf("%v: %q, want %q", c.times, got, c.want)
		}
	}
}

func TestGain(t *testing.T) {
	if Gain(0, 1) != "-" || Gain(1, 0) != "-" || Gain(5, 2) != "2.50x" {
		t.Error(Gain(0, 1), Gain(1, 0), Gain(5, 2))
	}
}
