package ops

import (
	"fmt"
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// resize samples a tensor at scaled coordinates. sizes is the result's shape,
// scales the factor of every dimension (1 keeps it), mode "nearest" or
// "linear"; coordinates and rounding are ONNX's coordinate_transformation_mode
// and nearest_mode. All coordinates are known, so the lowering reads constant
// tables of positions and weights written out as closed forms of the index.
var _ = graph.Register(&graph.Op{
	Name: "resize", Min: 1, Max: 1, Class: graph.Injective, Layout: graph.Spatial, KeepsZero: true,
	Attrs: []graph.AttrSpec{
		{Key: "coordinates", Zero: ""}, {Key: "mode", Zero: ""}, {Key: "rounding", Zero: ""},
		{Key: "scales", Zero: []float64(nil)}, {Key: "sizes", Zero: []int64(nil)},
	},
	LayoutOK: func(c *graph.Call) bool {
		s := c.Attrs.Ints("sizes")
		return len(s) > 2 && s[0] == c.In[0].Shape[0] && s[1] == c.In[0].Shape[1]
	},
	Infer: inferResize, Eval: evalResize, Lower: lowerResize,
})

func inferResize(c *graph.Call) ([]graph.Type, error) {
	x, sizes, scales := c.In[0], c.Attrs.Ints("sizes"), c.Attrs.Floats("scales")
	if len(sizes) != x.Rank() || len(scales) != x.Rank() || !x.Elem.IsFloat() && c.Attrs.Str("mode") != "nearest" {
		return nil, fmt.Errorf("cannot resize %s to %v by %v", x, sizes, scales)
	}
	for d, n := range sizes {
		if n < 0 || n > 1<<31 || n > 0 && x.Shape[d] == 0 || !(scales[d] > 0) || math.IsInf(scales[d], 0) {
			return nil, fmt.Errorf("cannot resize dimension %d of %s to %d by %g", d, x, n, scales[d])
		}
	}
	switch c.Attrs.Str("mode") {
	case "nearest", "linear":
	default:
		return nil, fmt.Errorf("mode %q is not supported (nearest and linear are)", c.Attrs.Str("mode"))
	}
	if _, ok := coordinateForms[c.Attrs.Str("coordinates")]; !ok {
		return nil, fmt.Errorf("coordinate transformation %q is not supported", c.Attrs.Str("coordinates"))
	}
	if _, ok := roundings[c.Attrs.Str("rounding")]; !ok {
		return nil, fmt.Errorf("nearest mode %q is not supported", c.Attrs.Str("rounding"))
	}
	return oneType(x.Elem, sizes), nil
}

// coordinateForms give the coordinate in the original of result index i as
// mul·i + add, for n original and m resized elements at scale s.
var coordinateForms = map[string]func(n, m int64, s float64) (mul, add float64){
	"half_pixel": func(_, _ int64, s float64) (float64, float64) { return 1 / s, 0.5/s - 0.5 },
	"half_pixel_symmetric": func(n, m int64, s float64) (float64, float64) {
		// The result's true extent may be less than s·n: centre what is left.
		adjust := float64(m) / (s * float64(n))
		return 1 / s, float64(n)/2*(1-adjust) + 0.5/s - 0.5
	},
	"pytorch_half_pixel": func(_, m int64, s float64) (float64, float64) {
		if m <= 1 {
			return 0, 0
		}
		return 1 / s, 0.5/s - 0.5
	},
	"align_corners": func(n, m int64, _ float64) (float64, float64) {
		if m <= 1 {
			return 0, 0
		}
		return float64(n-1) / float64(m-1), 0
	},
	"asymmetric":           func(_, _ int64, s float64) (float64, float64) { return 1 / s, 0 },
	"tf_half_pixel_for_nn": func(_, _ int64, s float64) (float64, float64) { return 1 / s, 0.5 / s },
}

var roundings = map[string]func(x float64) float64{
	"round_prefer_floor": func(x float64) float64 { return math.Ceil(x - 0.5) },
	"round_prefer_ceil":  func(x float64) float64 { return math.Floor(x + 0.5) },
	"floor":              math.Floor,
	"ceil":               math.Ceil,
}

// sample is what one result index of one dimension reads: weight lo·(1−frac) +
// hi·frac.
type sample struct {
	lo, hi int64
	frac   float64
}

func samples(c *graph.Call, d int) []sample {
	n, m, s := c.In[0].Shape[d], c.Attrs.Ints("sizes")[d], c.Attrs.Floats("scales")[d]
	out := make([]sample, m)
	mul, add := coordinateForms[c.Attrs.Str("coordinates")](n, m, s)
	for i := range out {
		if n == m && s == 1 {
			out[i] = sample{int64(i), int64(i), 0}
			continue
		}
		x := mul*float64(i) + add
		if c.Attrs.Str("mode") == "nearest" {
			p := min(max(int64(roundings[c.Attrs.Str("rounding")](snap(x))), 0), n-1)
			out[i] = sample{p, p, 0}
			continue
		}
		x = math.Min(math.Max(x, 0), float64(n-1))
		lo := int64(x)
		out[i] = sample{lo, min(lo+1, n-1), x - float64(lo)}
	}
	return out
}

// snap removes the error of a coordinate that is a multiple of ½ but for
// rounding, so that rounding modes see the exact tie.
func snap(x float64) float64 {
	if r := math.Round(x*2) / 2; math.Abs(x-r) < 1e-6 {
		return r
	}
	return x
}

// evalResize samples one dimension after the other.
func evalResize(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	v, shape := doubles(in[0]), slices.Clone(in[0].Shape)
	for d := range shape {
		if shape[d] == c.Out[0].Shape[d] && c.Attrs.Floats("scales")[d] == 1 {
			continue
		}
		ss := samples(c, d)
		inner, outer := dtype.NumElements(shape[d+1:]), dtype.NumElements(shape[:d])
		w := make([]float64, 0, outer*int64(len(ss))*inner)
		for o := range outer {
			for _, s := range ss {
				lo, hi := (o*shape[d]+s.lo)*inner, (o*shape[d]+s.hi)*inner
				for k := range inner {
					x := v[lo+k]
					if s.frac != 0 {
						x = x*(1-s.frac) + v[hi+k]*s.frac
					}
					w = append(w, x)
				}
			}
		}
		v, shape[d] = w, int64(len(ss))
	}
	return one(fromDoubles(c.Out[0], v))
}

func lowerResize(l *graph.Lowering) error {
	l.Compute("resize", l.Outs[0], func(idx []tir.Expr) tir.Expr { return resizeRead(l, slices.Clone(idx), 0) })
	return nil
}

// resizeRead replaces the indices from dimension d on and interpolates.
func resizeRead(l *graph.Lowering, idx []tir.Expr, d int) tir.Expr {
	if d == len(idx) {
		return l.Args[0].At(idx)
	}
	ss := samples(l.Call, d)
	same, whole := true, true
	for i, s := range ss {
		same = same && s.lo == int64(i) && s.frac == 0
		whole = whole && s.frac == 0
	}
	if same {
		return resizeRead(l, idx, d+1)
	}
	at := func(e tir.Expr) tir.Expr {
		next := slices.Clone(idx)
		next[d] = e
		return resizeRead(l, next, d+1)
	}
	lo := tableInt(idx[d], len(ss), func(i int) int64 { return ss[i].lo })
	if whole {
		return at(lo)
	}
	hi := tableInt(idx[d], len(ss), func(i int) int64 { return ss[i].hi })
	frac := tableFloat(idx[d], ss, l.Out[0].Elem)
	a, b := at(lo), at(hi)
	return tir.Add(a, tir.Mul(tir.Sub(b, a), frac))
}

// tableInt is an expression for f over [0, n): a floor-divided linear form where
// one fits (which holds for regular scales), clamped to the table's range; else
// a search over the steps.
func tableInt(i tir.Expr, n int, f func(int) int64) tir.Expr {
	first, last := f(0), f(n-1)
	for q := int64(1); q <= 64; q++ {
		// A slope of p/q: p from the whole run, shifted by r.
		for _, p := range slopes(n, q, f) {
			for r := -2 * q; r <= 2*q; r++ {
				if fits(n, f, p, r, q, first, last) {
					e := tir.FloorDiv(tir.Add(tir.Mul(i, tir.Int(p)), tir.Int(r)), tir.Int(q))
					return tir.Min(tir.Max(e, tir.Int(first)), tir.Int(last))
				}
			}
		}
	}
	return searchTable(i, 0, n, f)
}

func slopes(n int, q int64, f func(int) int64) []int64 {
	if n == 1 {
		return []int64{0}
	}
	p := int64(math.Round(float64(f(n-1)-f(0)) / float64(n-1) * float64(q)))
	return []int64{p, p + 1, max(p-1, 0)}
}

func fits(n int, f func(int) int64, p, r, q, first, last int64) bool {
	for i := range n {
		if min(max(tir.FloorDivInt(int64(i)*p+r, q), first), last) != f(i) {
			return false
		}
	}
	return true
}

func searchTable(i tir.Expr, lo, hi int, f func(int) int64) tir.Expr {
	if f(lo) == f(hi-1) {
		return tir.Int(f(lo))
	}
	mid := (lo + hi) / 2
	return tir.NewSelect(less(i, tir.Int(int64(mid))), searchTable(i, lo, mid, f), searchTable(i, mid, hi, f))
}

// tableFloat is the interpolation weight as an expression: the coordinate
// minus its integer part, in closed form.
func tableFloat(i tir.Expr, ss []sample, t dtype.DType) tir.Expr {
	return searchFrac(i, ss, 0, len(ss), t)
}

// searchFrac finds runs that repeat with a short period, as every rational
// scale gives, and selects within them.
func searchFrac(i tir.Expr, ss []sample, lo, hi int, t dtype.DType) tir.Expr {
	for period := 1; period <= 8 && period <= hi-lo; period++ {
		if !periodic(ss, lo, hi, period) {
			continue
		}
		var e tir.Expr = tir.Const(ss[lo+period-1].frac, t)
		phase := tir.FloorMod(tir.Sub(i, tir.Int(int64(lo))), tir.Int(int64(period)))
		for k := period - 2; k >= 0; k-- {
			e = tir.NewSelect(tir.Compare(tir.OpEQ, phase, tir.Int(int64(k))), tir.Const(ss[lo+k].frac, t), e)
		}
		return e
	}
	// Peel the borders first: clamping makes them irregular.
	mid := (lo + hi) / 2
	if periodic(ss, lo+1, hi, min(8, hi-lo-1)) || periodicAny(ss, lo+1, hi) {
		mid = lo + 1
	} else if periodicAny(ss, lo, hi-1) {
		mid = hi - 1
	} else if periodicAny(ss, lo+1, hi-1) {
		mid = lo + 1
	}
	return tir.NewSelect(less(i, tir.Int(int64(mid))), searchFrac(i, ss, lo, mid, t), searchFrac(i, ss, mid, hi, t))
}

func periodicAny(ss []sample, lo, hi int) bool {
	for p := 1; p <= 8 && p < hi-lo; p++ {
		if periodic(ss, lo, hi, p) {
			return true
		}
	}
	return false
}

func periodic(ss []sample, lo, hi, period int) bool {
	for k := lo + period; k < hi; k++ {
		if math.Abs(ss[k].frac-ss[k-period].frac) > 1e-9 {
			return false
		}
	}
	return true
}
