package arith

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// The infinities of Bound and of the upper factor of a split.
const (
	PosInf = math.MaxInt64
	NegInf = -math.MaxInt64
)

// Bound is a closed interval of integers. Lo > Hi means empty.
type Bound struct{ Lo, Hi int64 }

// Unbounded is the interval of all integers.
var Unbounded = Bound{NegInf, PosInf}

// Const returns the value when the interval is a single point.
func (b Bound) Const() (int64, bool) { return b.Lo, b.Lo == b.Hi }

func (b Bound) holds(v int64) bool { return b.Lo <= v && v <= b.Hi }

// Finite reports whether both ends are known.
func (b Bound) Finite() bool { return b.Lo != NegInf && b.Hi != PosInf }

// Within reports whether every value of b lies in [lo, hi].
func (b Bound) Within(lo, hi int64) bool { return b.Lo >= lo && b.Hi <= hi }

// Union is the hull of two intervals.
func (b Bound) Union(c Bound) Bound { return Bound{min(b.Lo, c.Lo), max(b.Hi, c.Hi)} }

// Intersect is the common part of two intervals.
func (b Bound) Intersect(c Bound) Bound { return Bound{max(b.Lo, c.Lo), min(b.Hi, c.Hi)} }

func (b Bound) add(c Bound) Bound { return Bound{satAdd(b.Lo, c.Lo), satAdd(b.Hi, c.Hi)} }

func (b Bound) neg() Bound { return Bound{-b.Hi, -b.Lo} }

func (b Bound) scale(k int64) Bound {
	lo, hi := satMul(b.Lo, k), satMul(b.Hi, k)
	if lo > hi {
		lo, hi = hi, lo
	}
	return Bound{lo, hi}
}

func (b Bound) mul(c Bound) Bound {
	p, q := satMul(b.Lo, c.Lo), satMul(b.Lo, c.Hi)
	r, s := satMul(b.Hi, c.Lo), satMul(b.Hi, c.Hi)
	return Bound{min(p, q, r, s), max(p, q, r, s)}
}

// floorDiv divides by a constant k > 0.
func (b Bound) floorDiv(k int64) Bound { return Bound{infDiv(b.Lo, k), infDiv(b.Hi, k)} }

func floorMod(x, k int64) int64 { return x - tir.FloorDivInt(x, k)*k }

// satAdd adds with the infinities absorbing and overflow going to infinity.
func satAdd(x, y int64) int64 {
	switch {
	case x == PosInf || y == PosInf:
		return PosInf
	case x == NegInf || y == NegInf:
		return NegInf
	}
	s := x + y
	switch {
	case x > 0 && y > 0 && s < 0:
		return PosInf
	case x < 0 && y < 0 && (s >= 0 || s < NegInf):
		return NegInf
	}
	return s
}

// satMul multiplies likewise; 0 times infinity is 0.
func satMul(x, y int64) int64 {
	if x == 0 || y == 0 {
		return 0
	}
	positive := (x > 0) == (y > 0)
	p := x * y
	if x == PosInf || x == NegInf || y == PosInf || y == NegInf || p/y != x || (p > 0) != positive {
		if positive {
			return PosInf
		}
		return NegInf
	}
	return p
}

// typeBound is the range of values of type t. 64-bit integers are unbounded.
func typeBound(t dtype.DType) Bound {
	switch t.Code {
	case dtype.Bool:
		return Bound{0, 1}
	case dtype.UInt:
		if t.Bits >= 64 {
			return Bound{0, PosInf}
		}
		return Bound{0, 1<<t.Bits - 1}
	case dtype.Int:
		if t.Bits < 64 {
			return Bound{-1 << (t.Bits - 1), 1<<(t.Bits-1) - 1}
		}
	}
	return Unbounded
}

// Bound returns constant bounds of an integer expression: every value it can
// take under the bound variables and constraints lies within.
func (a *Analyzer) Bound(e tir.Expr) Bound {
	b := a.boundOf(e)
	if len(a.known) > 0 {
		for i := range a.known {
			if k := &a.known[i]; Same(k.expr, e) {
				b = b.Intersect(k.bound)
			}
		}
	}
	return b
}

func (a *Analyzer) boundOf(e tir.Expr) Bound {
	switch e := e.(type) {
	case *tir.IntImm:
		return Bound{e.Value, e.Value}
	case *tir.Var:
		if f := a.find(e); f != nil {
			if f.value != nil {
				return a.Bound(f.value)
			}
			return f.bound
		}
		return typeBound(e.Type)
	case *tir.Binary:
		return a.boundBinary(e)
	case *tir.Cast:
		if t := typeBound(e.Type); e.Value.DType().IsInt() || e.Value.DType().IsBool() {
			if b := a.Bound(e.Value); b.Within(t.Lo, t.Hi) {
				return b
			}
			return t
		}
		return typeBound(e.Type)
	case *tir.Select:
		return a.Bound(e.Then).Union(a.Bound(e.Else))
	case *tir.Call:
		return a.boundCall(e)
	case *tir.Ramp:
		if e.Lanes > dtype.MaxLanes {
			break
		}
		lanes := Bound{0, int64(e.Lanes) - 1}
		return a.Bound(e.Base).add(a.Bound(e.Stride).mul(lanes))
	case *tir.Broadcast:
		return a.Bound(e.Value)
	}
	return typeBound(e.DType())
}

func (a *Analyzer) boundCall(e *tir.Call) Bound {
	t := typeBound(e.Type)
	switch {
	case e.Op == "if_then_else" && len(e.Args) == 3:
		return a.Bound(e.Args[1]).Union(a.Bound(e.Args[2]))
	case e.Op == "shift_right" && len(e.Args) == 2:
		if n, ok := tir.AsInt(e.Args[1]); ok && n >= 0 && n < 62 {
			return a.Bound(e.Args[0]).floorDiv(1 << n)
		}
	case e.Op == "shift_left" && len(e.Args) == 2:
		if n, ok := tir.AsInt(e.Args[1]); ok && n >= 0 && n < 62 {
			return a.Bound(e.Args[0]).scale(1 << n).clip(t)
		}
	case e.Op == "bitwise_and" && len(e.Args) == 2:
		x, y := a.Bound(e.Args[0]), a.Bound(e.Args[1])
		if x.Lo >= 0 && y.Lo >= 0 {
			return Bound{0, min(x.Hi, y.Hi)}
		}
		if y.Lo >= 0 {
			return Bound{0, y.Hi}
		}
	}
	return t
}

// clip gives up on the whole type when b does not fit it, since the value then
// wraps.
func (b Bound) clip(t Bound) Bound {
	if b.Within(t.Lo, t.Hi) {
		return b
	}
	return t
}

func (a *Analyzer) boundBinary(e *tir.Binary) Bound {
	if e.Op.IsCompare() || e.Op.IsLogic() || !(e.T.IsInt() || e.T.IsBool()) {
		return typeBound(e.T)
	}
	b := a.boundArith(e)
	if isIndexElem(e.T) {
		return b
	}
	return b.clip(typeBound(e.T))
}

// boundArith bounds arithmetic as Apache TVM does: bounds decide what simplified
// expressions look like, so neither tighter nor wider ones will do.
func (a *Analyzer) boundArith(e *tir.Binary) Bound {
	x, y := a.Bound(e.A), a.Bound(e.B)
	switch e.Op {
	case tir.OpAdd:
		return x.add(y)
	case tir.OpSub:
		return x.add(y.neg())
	case tir.OpMul:
		return x.mul(y)
	case tir.OpMin:
		return Bound{min(x.Lo, y.Lo), min(x.Hi, y.Hi)}
	case tir.OpMax:
		return Bound{max(x.Lo, y.Lo), max(x.Hi, y.Hi)}
	}
	if y.Lo == 0 {
		y.Lo = 1 // a division by zero has no value
	}
	if y.Hi < y.Lo {
		return typeBound(e.T)
	}
	switch e.Op {
	case tir.OpFloorDiv:
		return x.quotient(y, infDiv)
	case tir.OpDiv:
		return x.quotient(y, truncInf)
	case tir.OpFloorMod:
		return a.boundFloorMod(e, x, y)
	}
	return a.boundTruncMod(e, x, y)
}

// quotient bounds x / y at the ends of both, the divisor kept away from zero.
func (b Bound) quotient(y Bound, div func(x, k int64) int64) Bound {
	if y.Lo < 0 && y.Hi > 0 {
		return b.quotient(Bound{y.Lo, -1}, div).Union(b.quotient(Bound{1, y.Hi}, div))
	}
	if y.Hi == 0 {
		y.Hi = -1
	}
	p, q, r, s := div(b.Lo, y.Lo), div(b.Lo, y.Hi), div(b.Hi, y.Lo), div(b.Hi, y.Hi)
	return Bound{min(p, q, r, s), max(p, q, r, s)}
}

func infDiv(x, k int64) int64 {
	if x == PosInf || x == NegInf {
		if k < 0 {
			return -x
		}
		return x
	}
	return tir.FloorDivInt(x, k)
}

func truncInf(x, k int64) int64 {
	if x == PosInf || x == NegInf {
		return infDiv(x, k)
	}
	return x / k
}

func (a *Analyzer) boundFloorMod(e *tir.Binary, x, y Bound) Bound {
	if y.Lo <= 0 {
		return Bound{min(0, satAdd(y.Lo, 1)), max(0, satAdd(y.Hi, -1))}.Intersect(typeBound(e.T))
	}
	last := satAdd(y.Hi, -1)
	b := Bound{0, last}
	if x.Lo >= 0 {
		b.Hi = min(x.Hi, last)
		if x.Hi < y.Lo {
			b = x
		}
	}
	if g, r := a.residue(e, y); g > 1 {
		return b.Intersect(Bound{r, y.Lo - g + r})
	}
	return b
}

// residue is the number g > 1 that divides a constant divisor y of e, and what
// e.A leaves modulo g.
func (a *Analyzer) residue(e *tir.Binary, y Bound) (g, r int64) {
	if y.Lo != y.Hi {
		return 0, 0
	}
	m := a.Modular(e.A)
	if g = gcd(m.Coeff, y.Lo); g <= 1 {
		return 0, 0
	}
	return g, floorMod(m.Base, g)
}

func (a *Analyzer) boundTruncMod(e *tir.Binary, x, y Bound) Bound {
	if y.Lo <= 0 {
		return typeBound(e.T)
	}
	last := satAdd(y.Hi, -1)
	b := Bound{max(x.Lo, -last), min(max(x.Hi, 0), last)}
	switch {
	case x.Lo >= 0 && x.Hi < y.Lo, x.Hi < 0 && x.Lo > -y.Lo:
		b = x
	case x.Lo >= 0:
		b.Lo = 0
	case x.Hi < 0:
		b.Hi = 0
	}
	g, r := a.residue(e, y)
	if g <= 1 {
		return b
	}
	lo, hi := -(y.Lo - g + (g-r)%g), y.Lo-g+r
	if x.Lo >= 0 {
		lo = r
	} else if x.Hi < 0 {
		hi = -((g - r) % g)
	}
	return b.Intersect(Bound{lo, hi})
}
