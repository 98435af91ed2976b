package cgen

import (
	"math"

	"hone/compiler/tir"
)

// interval is a closed range of integers; the ends saturate.
type interval struct{ lo, hi int64 }

// limit is where intervals stop being tracked: far above any index, far below
// overflow of a product of two.
const limit = math.MaxInt64 / 4

var everything = interval{-limit, limit}

func point(v int64) interval { return interval{v, v}.clamp() }

func (i interval) clamp() interval {
	return interval{min(max(i.lo, -limit), limit), min(max(i.hi, -limit), limit)}
}

func (i interval) add(j interval) interval { return interval{i.lo + j.lo, i.hi + j.hi}.clamp() }

func (i interval) neg() interval { return interval{-i.hi, -i.lo} }

func (i interval) mul(j interval) interval {
	out := interval{limit, -limit}
	for _, a := range []int64{i.lo, i.hi} {
		for _, b := range []int64{j.lo, j.hi} {
			p := mulSaturate(a, b)
			out.lo, out.hi = min(out.lo, p), max(out.hi, p)
		}
	}
	return out
}

func mulSaturate(a, b int64) int64 {
	if f := float64(a) * float64(b); f > limit {
		return limit
	} else if f < -limit {
		return -limit
	}
	return a * b
}

// rangeOf bounds the value of an integer expression over the loops around it.
func (f *fn) rangeOf(e tir.Expr) interval {
	switch e := e.(type) {
	case *tir.IntImm:
		return point(e.Value)
	case *tir.Var:
		if v := f.k.vars[e]; v != nil {
			return v.bounds
		}
	case *tir.Cast:
		if e.Value.DType().IsInt() && e.Type.IsInt() {
			return f.rangeOf(e.Value)
		}
	case *tir.Binary:
		return f.rangeOfBinary(e)
	}
	return everything
}

func (f *fn) rangeOfBinary(e *tir.Binary) interval {
	if e.Op.IsCompare() || e.Op.IsLogic() {
		return interval{0, 1}
	}
	if !e.T.IsInt() {
		return everything
	}
	a, b := f.rangeOf(e.A), f.rangeOf(e.B)
	switch e.Op {
	case tir.OpAdd:
		return a.add(b)
	case tir.OpSub:
		return a.add(b.neg())
	case tir.OpMul:
		return a.mul(b)
	case tir.OpMin:
		return interval{min(a.lo, b.lo), min(a.hi, b.hi)}
	case tir.OpMax:
		return interval{max(a.lo, b.lo), max(a.hi, b.hi)}
	case tir.OpFloorDiv:
		if b.lo == b.hi && b.lo > 0 {
			return interval{tir.FloorDivInt(a.lo, b.lo), tir.FloorDivInt(a.hi, b.lo)}
		}
	case tir.OpFloorMod:
		if b.lo > 0 {
			if a.lo >= 0 && a.hi < b.lo {
				return a
			}
			return interval{0, b.hi - 1}
		}
	}
	return everything
}
