package live

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Time spells nanoseconds with three digits and a unit: "1.23 ms".
func Time(ns float64) string {
	switch {
	case ns <= 0:
		return "-"
	case ns < 999.5:
		return digits(ns) + " ns"
	case ns < 999.5e3:
		return digits(ns/1e3) + " µs"
	case ns < 999.5e6:
		return digits(ns/1e6) + " ms"
	}
	return digits(ns/1e9) + " s"
}

func digits(x float64) string {
	switch {
	case x < 9.995:
		return fmt.Sprintf("%.2f", x)
	case x < 99.95:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// Span spells a duration for people: "12s", "3m05s", "2h10m".
func Span(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
}

// Gain spells how many times faster best is than def: "2.31x".
func Gain(def, best float64) string {
	if def <= 0 || best <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2fx", def/best)
}

var ticks = []rune("▁▂▃▄▅▆▇█")

// Spark draws times as a row of width bars on a logarithmic scale, from the
// least to the greatest; times of 0 are unknown and leave a blank.
func Spark(times []float64, width int) string {
	cells := resample(times, width)
	low, high := math.Inf(1), 0.0
	for _, x := range cells {
		if x > 0 {
			low, high = min(low, x), max(high, x)
		}
	}
	var b strings.Builder
	for _, x := range cells {
		switch {
		case x <= 0:
			b.WriteByte(' ')
		case high <= low:
			b.WriteRune(ticks[0])
		default:
			at := math.Log(x/low) / math.Log(high/low)
			b.WriteRune(ticks[min(len(ticks)-1, int(at*float64(len(ticks))))])
		}
	}
	return b.String()
}

// resample picks width values, evenly from the first to the last.
func resample(xs []float64, width int) []float64 {
	if len(xs) <= width {
		return xs
	}
	out := make([]float64, width)
	for i := range out {
		out[i] = xs[i*(len(xs)-1)/max(1, width-1)]
	}
	return out
}
