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

// floorMod reduces modulo a constant k > 0.
func (b Bound) floorMod(k int64) Bound {
	if b.Finite() && tir.FloorDivInt(b.Lo, k) == tir.FloorDivInt(b.Hi, k) {
		return Bound{floorMod(b.Lo, k), floorMod(b.Hi, k)}
	}
	return Bound{0, k - 1}
}

func infDiv(x, k int64) int64 {
	if x == PosInf || x == NegInf {
		return x
	}
	return tir.FloorDivInt(x, k)
}

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
		return a.boundBranches(e.Cond, e.Then, e.Else)
	case *tir.Call:
		return a.boundCall(e)
	case *tir.Ramp:
		lanes := Bound{0, int64(e.Lanes) - 1}
		return a.Bound(e.Base).add(a.Bound(e.Stride).mul(lanes))
	case *tir.Broadcast:
		return a.Bound(e.Value)
	}
	return typeBound(e.DType())
}

func (a *Analyzer) boundBranches(cond, x, y tir.Expr) Bound {
	if c, ok := tir.AsInt(cond); ok {
		if c != 0 {
			return a.Bound(x)
		}
		return a.Bound(y)
	}
	return a.Bound(x).Union(a.Bound(y))
}

func (a *Analyzer) boundCall(e *tir.Call) Bound {
	t := typeBound(e.Type)
	switch {
	case e.Op == "if_then_else" && len(e.Args) == 3:
		return a.boundBranches(e.Args[0], e.Args[1], e.Args[2])
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

func (a *Analyzer) boundArith(e *tir.Binary) Bound {
	x := a.Bound(e.A)
	if k, ok := tir.AsInt(e.B); ok && k > 0 {
		switch e.Op {
		case tir.OpFloorDiv:
			return x.floorDiv(k)
		case tir.OpFloorMod:
			return a.boundMod(e.A, x, k)
		case tir.OpDiv:
			return Bound{truncInf(x.Lo, k), truncInf(x.Hi, k)}
		case tir.OpMod:
			return boundTruncMod(x, k)
		}
	}
	y := a.Bound(e.B)
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
	return boundDivVar(e.Op, x, y)
}

func truncInf(x, k int64) int64 {
	if x == PosInf || x == NegInf {
		return x
	}
	return x / k
}

func boundTruncMod(x Bound, k int64) Bound {
	if x.Lo >= 0 {
		if x.Hi < k {
			return x
		}
		return Bound{0, k - 1}
	}
	return Bound{1 - k, k - 1}
}

// boundMod bounds e % k, knowing that e lies in x: within one period the bounds
// shift, otherwise the residues of e's modular set are taken.
func (a *Analyzer) boundMod(e tir.Expr, x Bound, k int64) Bound {
	b := x.floorMod(k)
	if b.Lo != 0 || b.Hi != k-1 {
		return b
	}
	m := a.Modular(e)
	g := gcd(m.Coeff, k)
	if g <= 1 {
		return b
	}
	r := floorMod(m.Base, g)
	return Bound{r, k - g + r}
}

// boundDivVar bounds quotients and remainders by something not constant.
func boundDivVar(op tir.BinOp, x, y Bound) Bound {
	if y.Lo <= 0 {
		return Unbounded
	}
	switch op {
	case tir.OpFloorMod:
		if x.Lo >= 0 {
			if x.Hi < y.Lo {
				return x
			}
			return Bound{0, min(x.Hi, satAdd(y.Hi, -1))}
		}
		return Bound{0, satAdd(y.Hi, -1)}
	case tir.OpFloorDiv:
		lo, hi := x.Lo, x.Hi
		return Bound{min(quot(lo, y.Lo), quot(lo, y.Hi)), max(quot(hi, y.Lo), quot(hi, y.Hi))}
	}
	return Unbounded
}

func quot(x, y int64) int64 {
	switch {
	case x == PosInf || x == NegInf:
		return x
	case y == PosInf:
		if x < 0 {
			return -1
		}
		return 0
	}
	return tir.FloorDivInt(x, y)
}
