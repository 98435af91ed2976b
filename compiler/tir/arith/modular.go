package arith

import "hone/compiler/tir"

// Modular is the set of integers Base + Coeff·n. Coeff 1 is every integer,
// Coeff 0 the single integer Base; otherwise 0 <= Base < Coeff.
type Modular struct{ Coeff, Base int64 }

var everyInteger = Modular{1, 0}

func newModular(coeff, base int64) Modular {
	if coeff < 0 {
		coeff, base = -coeff, -base
	}
	if coeff != 0 {
		base = floorMod(base, coeff)
	}
	return Modular{coeff, base}
}

// Divisible reports whether every member is a multiple of k.
func (m Modular) Divisible(k int64) bool {
	return k != 0 && m.Coeff%k == 0 && m.Base%k == 0
}

// union is a set that holds both; it is that of Apache TVM, not the smallest.
func (m Modular) union(n Modular) Modular {
	c := gcd(m.Coeff, n.Coeff)
	if c == 0 {
		if m.Base == n.Base {
			return m
		}
		return everyInteger
	}
	x, y := floorMod(m.Base, c), floorMod(n.Base, c)
	if x == y {
		return Modular{c, x}
	}
	return newModular(gcd(gcd(x, y), c), x)
}

// intersect is the set of the members of both; sets that exclude each other, of
// conditions that never hold, give an empty promise: m.
func (m Modular) intersect(n Modular) Modular {
	if m.Coeff == 0 || n.Coeff == 0 {
		if m.Coeff == 0 {
			return m
		}
		return n
	}
	g := gcd(m.Coeff, n.Coeff)
	if (n.Base-m.Base)%g != 0 {
		return m
	}
	lcm := satMul(m.Coeff/g, n.Coeff)
	if lcm == PosInf {
		return m
	}
	for x := m.Base; ; x += m.Coeff {
		if floorMod(x-n.Base, n.Coeff) == 0 {
			return newModular(lcm, x)
		}
	}
}

// Modular returns the modular set of an integer expression.
func (a *Analyzer) Modular(e tir.Expr) Modular {
	switch e := e.(type) {
	case *tir.IntImm:
		return Modular{0, e.Value}
	case *tir.Var:
		if f := a.find(e); f != nil {
			if f.value != nil {
				return a.Modular(f.value)
			}
			return f.mod
		}
	case *tir.Binary:
		if isIndexElem(e.T) {
			return a.modularBinary(e)
		}
	case *tir.Select:
		return a.Modular(e.Then).union(a.Modular(e.Else))
	case *tir.Cast:
		if isIndexElem(e.Type) && isIndexElem(e.Value.DType()) {
			return a.Modular(e.Value)
		}
	case *tir.Broadcast:
		return a.Modular(e.Value)
	}
	return everyInteger
}

func (a *Analyzer) modularBinary(e *tir.Binary) Modular {
	switch e.Op {
	case tir.OpAdd:
		x, y := a.Modular(e.A), a.Modular(e.B)
		return newModular(gcd(x.Coeff, y.Coeff), x.Base+y.Base)
	case tir.OpSub:
		x, y := a.Modular(e.A), a.Modular(e.B)
		return newModular(gcd(x.Coeff, y.Coeff), x.Base-y.Base)
	case tir.OpMul:
		x, y := a.Modular(e.A), a.Modular(e.B)
		// (pa+b)(qc+d) = pa·qc + pa·d + b·qc + bd
		g := gcd(gcd(satMul(x.Coeff, y.Coeff), satMul(x.Coeff, y.Base)), satMul(x.Base, y.Coeff))
		if base := satMul(x.Base, y.Base); g < PosInf && base > NegInf && base < PosInf {
			return newModular(g, base)
		}
	case tir.OpMin, tir.OpMax:
		return a.Modular(e.A).union(a.Modular(e.B))
	case tir.OpDiv, tir.OpFloorDiv, tir.OpMod, tir.OpFloorMod:
		if k := a.Modular(e.B); k.Coeff == 0 && k.Base != 0 {
			if e.Op == tir.OpDiv || e.Op == tir.OpFloorDiv {
				return a.modularDiv(e, k.Base)
			}
			return a.modularMod(e, k.Base)
		}
	}
	return everyInteger
}

// modularDiv divides by k; a base that is no multiple of it needs to be rounded
// down.
func (a *Analyzer) modularDiv(e *tir.Binary, k int64) Modular {
	x := a.Modular(e.A)
	switch {
	case x.Coeff%k != 0:
	case x.Base == 0:
		return newModular(abs(x.Coeff/k), 0)
	case x.Base > 0 && k > 0 && (e.Op == tir.OpFloorDiv || a.atLeast(e.A, 0)):
		return newModular(x.Coeff/k, x.Base/k)
	}
	return everyInteger
}

func (a *Analyzer) modularMod(e *tir.Binary, k int64) Modular {
	x := a.Modular(e.A)
	g := gcd(x.Coeff, k)
	if x.Base%g == 0 || x.Base > 0 && (e.Op == tir.OpFloorMod || a.atLeast(e.A, 0)) {
		return newModular(g, x.Base%g)
	}
	return everyInteger
}

// gcd is the greatest common divisor; gcd(0, x) is |x|.
func gcd(x, y int64) int64 {
	for y != 0 {
		x, y = y, x%y
	}
	return abs(x)
}
