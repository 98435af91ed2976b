package codegentest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Cases are the functions of the suite; w is the number of float32 lanes of the
// target, from which vector lengths below, at and above a register follow.
func Cases(w int) []Case {
	var out []Case
	for _, bulk := range [][]Case{arithmeticCases(w), castCases(w), operatorCases(w), strideCases(w)} {
		for _, c := range bulk {
			c.bulk = true
			out = append(out, c)
		}
	}
	out = append(out, accessCases(w)...)
	out = append(out, controlCases(w)...)
	return append(out, storageCases(w)...)
}

// lengths are vector lengths: a scalar, short, odd, one register, and more.
func lengths(w int) []int { return []int{1, 2, 3, w, w + 5, 3 * w} }

var allTypes = []dtype.DType{
	dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.UInt8, dtype.UInt16, dtype.UInt32, dtype.UInt64,
	dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64,
}

// index is i·n + 0 … n−1 as an index of n lanes.
func index(i tir.Expr, n int) tir.Expr {
	base := tir.Mul(i, num(int64(n)))
	if n == 1 {
		return base
	}
	return ramp(base, 1, n)
}

// wide draws integers over the whole range of the type and floats of all sizes.
func wide(r *rand.Rand, _ int, t dtype.DType, _ int) float64 {
	switch {
	case t.IsBool():
		return float64(r.IntN(2))
	case t.IsFloat():
		return math.Ldexp(r.Float64()*2-1, r.IntN(12)-4)
	}
	span := math.Ldexp(1, min(int(t.Bits), 52))
	if t.Code == dtype.UInt {
		return math.Floor(r.Float64() * span)
	}
	return math.Floor((r.Float64() - 0.5) * span)
}

// nonZero is wide without zeros in the second argument, and without the one
// quotient that overflows.
func nonZero(r *rand.Rand, p int, t dtype.DType, i int) float64 {
	v := wide(r, p, t, i)
	if p == 1 {
		if t.IsFloat() {
			return v + math.Copysign(1, v)
		}
		v = float64(r.IntN(100) + 1)
		if t.IsSigned() && r.IntN(2) == 0 {
			v = -v - 1
		}
	}
	return v
}

// elementwise is c[i] = f(a[i], b[i]) over n iterations of lanes elements.
func elementwise(name string, t, result dtype.DType, lanes int, f func(a, b tir.Expr) tir.Expr) *tir.PrimFunc {
	const n = 5
	a, b, c := buf("a", t, int64(n*lanes)), buf("b", t, int64(n*lanes)), buf("c", result, int64(n*lanes))
	body := serial(n, "i", func(i *tir.Var) tir.Stmt {
		idx := index(i, lanes)
		return set(c, idx, f(at(a, idx), at(b, idx)))
	})
	return fn(name, body, a, b, c)
}

// arithmeticCases are all binary operations on all types.
func arithmeticCases(w int) []Case {
	ops := []struct {
		name string
		op   tir.BinOp
		div  bool
	}{
		{"add", tir.OpAdd, false}, {"sub", tir.OpSub, false}, {"mul", tir.OpMul, false}, {"min", tir.OpMin, false}, {"max", tir.OpMax, false},
		{"div", tir.OpDiv, true}, {"mod", tir.OpMod, true}, {"floordiv", tir.OpFloorDiv, true}, {"floormod", tir.OpFloorMod, true},
		{"eq", tir.OpEQ, false}, {"ne", tir.OpNE, false}, {"lt", tir.OpLT, false}, {"le", tir.OpLE, false}, {"gt", tir.OpGT, false}, {"ge", tir.OpGE, false},
	}
	var out []Case
	for _, t := range allTypes {
		for _, o := range ops {
			for _, lanes := range []int{1, w + 5} {
				c := Case{Name: fmt.Sprintf("%s-%s-%d", o.name, t, lanes), Input: wide}
				if o.div {
					c.Input = nonZero
				}
				if t.IsFloat() && o.op == tir.OpFloorMod {
					// a − floor(a/b)·b may be contracted.
					c.RTol, c.ATol = 1e-2, map[bool]float64{true: 1e-1, false: 1e-5}[t.Bits == 16]
				}
				result := t
				if o.op.IsCompare() {
					result = dtype.BoolType
				}
				c.Func = elementwise(c.Name, t, result, lanes, func(a, b tir.Expr) tir.Expr { return bin(o.op, a, b) })
				out = append(out, c)
			}
		}
	}
	return out
}

// castCases convert between all pairs of types, and bool.
func castCases(w int) []Case {
	var out []Case
	types := append([]dtype.DType{dtype.BoolType}, allTypes...)
	for _, from := range types {
		for _, to := range types {
			if from == to {
				continue
			}
			for _, lanes := range []int{1, w, w + 3} {
				name := fmt.Sprintf("cast-%s-%s-%d", from, to, lanes)
				f := elementwise(name, from, to, lanes, func(a, _ tir.Expr) tir.Expr {
					return &tir.Cast{Type: to.WithLanes(lanes), Value: a}
				})
				in := wide
				if from.IsFloat() && !to.IsFloat() {
					in = func(r *rand.Rand, _ int, _ dtype.DType, _ int) float64 {
						v := math.Round((r.Float64()*200-100)*8) / 8
						if to.Code == dtype.UInt {
							return math.Abs(v)
						}
						return v
					}
				}
				out = append(out, Case{Name: name, Func: f, Input: in})
			}
		}
	}
	return out
}
