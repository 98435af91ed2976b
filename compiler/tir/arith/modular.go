package arith

import "hone/compiler/tir"

// Modular is the set of integers Base + Coeff·n. Coeff 1 is every integer,
// Coeff 0 the single integer Base; otherwise 0 <= Base < Coeff.
type Modular struct{ Coeff, Base int64 }

var everyInteger = Modular{1, 0}

func newModular(coeff, base int64) Modular {
	if coeff < 0 {
		coeff = -coeff
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

// union is the smallest set of the form that holds both.
func (m Modular) union(n Modular) Modular {
	if m == n {
		return m
	}
	g := gcd(gcd(m.Coeff, n.Coeff), m.Base-n.Base)
	return newModular(g, m.Base)
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
		if t := typeBound(e.Type); isIndexElem(e.Type) && isIndexElem(e.Value.DType()) {
			if b := a.Bound(e.Value); b.Within(t.Lo, t.Hi) {
				return a.Modular(e.Value)
			}
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
	case tir.OpFloorDiv:
		return a.modularDiv(e)
	case tir.OpFloorMod:
		k, ok := tir.AsInt(e.B)
		if x := a.Modular(e.A); ok && k > 0 {
			if x.Coeff == 0 {
				return Modular{0, floorMod(x.Base, k)}
			}
			return newModular(gcd(x.Coeff, k), x.Base)
		}
	}
	return everyInteger
}

func (a *Analyzer) modularDiv(e *tir.Binary) Modular {
	k, ok := tir.AsInt(e.B)
	if !ok || k <= 0 {
		return everyInteger
	}
	x := a.Modular(e.A)
	if x.Coeff%k != 0 {
		return everyInteger
	}
	// (c·k·n + b) // k = c·n + b//k
	return newModular(x.Coeff/k, tir.FloorDivInt(x.Base, k))
}

// gcd is the greatest common divisor; gcd(0, x) is |x|.
func gcd(x, y int64) int64 {
	for y != 0 {
		x, y = y, x%y
	}
	if x < 0 {
		return -x
	}
	return x
}
