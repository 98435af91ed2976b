package codegentest

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// strideCases are vectors at strides, forward, backward and repeated.
func strideCases(w int) []Case {
	var out []Case
	for _, t := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Int8, dtype.BoolType, dtype.Float16} {
		for _, lanes := range lengths(w) {
			for _, stride := range []int64{1, 2, -1, 0} {
				out = append(out, stridedCase(t, lanes, stride))
			}
		}
	}
	return out
}

// accessCases are loads and stores by every other kind of index.
func accessCases(w int) []Case {
	return []Case{gatherCase(w), scatterCase(w), shiftCase(w), shiftCase(3 * w), rampAlgebraCase(w), rampValueCase(w), divisionCase(), twoClassesCase(w)}
}

func stridedCase(t dtype.DType, lanes int, stride int64) Case {
	if lanes == 1 {
		stride = 1
	}
	span := int64(lanes)*max(stride, -stride, 1) + 8
	a, b := buf("a", t, 4*span), buf("b", t, 4*span)
	body := serial(3, "i", func(i *tir.Var) tir.Stmt {
		base := tir.Add(tir.Mul(i, num(span)), num(3))
		if stride < 0 {
			base = tir.Add(base, num(int64(lanes)))
		}
		if lanes == 1 {
			return set(b, base, at(a, base))
		}
		// Contiguous from strided, then strided from contiguous.
		load := set(b, ramp(tir.Mul(i, num(span)), 1, lanes), at(a, ramp(base, stride, lanes)))
		if stride == 0 {
			return load
		}
		return seq(load, set(b, ramp(tir.Add(base, num(span)), stride, lanes), at(a, ramp(tir.Mul(i, num(span)), 1, lanes))))
	})
	name := fmt.Sprintf("stride-%s-%d-%d", t, lanes, stride)
	return Case{Name: name, Func: fn(name, body, a, b)}
}

// tableInput makes argument 0 an index table of n entries.
func tableInput(n int) func(i int) float64 {
	return func(i int) float64 { return float64((i*7 + 3) % n) }
}

func gatherCase(w int) Case {
	n := int64(4 * w)
	idx, a, b := buf("idx", dtype.Int32, n), buf("a", dtype.Float32, n), buf("b", dtype.Float32, n)
	body := serial(4, "i", func(i *tir.Var) tir.Stmt {
		r := ramp(tir.Mul(i, num(int64(w))), 1, w)
		return set(b, r, at(a, at(idx, r)))
	})
	return Case{Name: "gather", Func: fn("gather", body, idx, a, b), Input: tabled(int(n))}
}

func scatterCase(w int) Case {
	n := int64(4 * w)
	idx, a, b := buf("idx", dtype.Int64, n), buf("a", dtype.Float32, n), buf("b", dtype.Float32, n)
	body := serial(4, "i", func(i *tir.Var) tir.Stmt {
		r := ramp(tir.Mul(i, num(int64(w))), 1, w)
		one := at(idx, tir.Mul(i, num(int64(w))))
		return seq(set(b, at(idx, r), at(a, r)), set(b, one, tir.Add(at(b, one), tir.F32(1))))
	})
	return Case{Name: "scatter", Func: fn("scatter", body, idx, a, b), Input: tabled(int(n))}
}

// shiftCase moves a vector within one buffer: every lane is read before any is
// written.
func shiftCase(lanes int) Case {
	a := buf("a", dtype.Float32, int64(3*lanes+4))
	body := seq(
		set(a, ramp(num(1), 1, lanes), at(a, ramp(num(0), 1, lanes))),
		set(a, ramp(num(int64(lanes)), 1, lanes), tir.Add(at(a, ramp(num(int64(lanes)+3), 1, lanes)), at(a, ramp(num(int64(lanes-1)), 1, lanes)))),
	)
	name := fmt.Sprintf("shift-%d", lanes)
	return Case{Name: name, Func: fn(name, body, a)}
}

// rampAlgebraCase has vector indices that are sums and products of ramps.
func rampAlgebraCase(w int) Case {
	n := int64(w)
	a, b := buf("a", dtype.Float32, 16*n), buf("b", dtype.Float32, 16*n)
	body := serial(3, "i", func(i *tir.Var) tir.Stmt {
		r := ramp(num(0), 1, w)
		sum := bin(tir.OpAdd, bcast(tir.Mul(i, num(n)), w), r)
		double := bin(tir.OpMul, r, bcast(num(2), w))
		folded := bin(tir.OpFloorMod, bin(tir.OpAdd, r, bcast(i, w)), bcast(num(3), w))
		return seq(
			set(b, sum, at(a, sum)),
			set(b, bin(tir.OpAdd, double, bcast(num(4*n), w)), at(a, bin(tir.OpSub, bcast(num(6*n), w), double))),
			set(b, bin(tir.OpAdd, sum, bcast(num(8*n), w)), at(a, folded)),
		)
	})
	return Case{Name: "ramp-algebra", Func: fn("ramp_algebra", body, a, b)}
}

// rampValueCase stores ramps and loop variables as values.
func rampValueCase(w int) Case {
	n := int64(w + 3)
	a, b := buf("a", dtype.Int32, 4*n), buf("b", dtype.Float32, 4*n)
	body := serial(4, "i", func(i *tir.Var) tir.Stmt {
		r := ramp(tir.Mul(i, num(n)), 1, int(n))
		v := &tir.Ramp{Base: tir.Sub(i, num(7)), Stride: tir.Add(i, num(-1)), Lanes: int(n)}
		return seq(set(a, r, v), set(b, r, &tir.Cast{Type: dtype.Float32.WithLanes(int(n)), Value: v}))
	})
	return Case{Name: "ramp-value", Func: fn("ramp_value", body, a, b)}
}

// divisionCase divides loop variables, negative ones too, by constants and by
// other variables.
func divisionCase() Case {
	a := buf("a", dtype.Int32, 40*5*8)
	body := &tir.For{Var: iv("i"), Min: num(-20), Extent: num(40)}
	body.Body = serial(5, "j", func(j *tir.Var) tir.Stmt {
		base := tir.Add(tir.Mul(tir.Add(body.Var, num(20)), num(40)), tir.Mul(j, num(8)))
		put := func(k int64, e tir.Expr) tir.Stmt { return set(a, tir.Add(base, num(k)), e) }
		d := tir.Add(j, num(1))
		// As values and, shifted into range, as parts of an index.
		q := bin(tir.OpFloorDiv, body.Var, num(3))
		inside := bin(tir.OpAdd, bin(tir.OpMul, bin(tir.OpFloorMod, body.Var, num(4)), num(2)), bin(tir.OpFloorMod, j, num(2)))
		return seq(put(0, q), put(1, bin(tir.OpFloorMod, body.Var, num(3))), put(2, bin(tir.OpFloorDiv, body.Var, num(4))), put(3, bin(tir.OpFloorMod, body.Var, num(8))),
			put(4, bin(tir.OpFloorDiv, body.Var, d)), put(5, bin(tir.OpFloorMod, body.Var, d)), put(6, bin(tir.OpDiv, body.Var, num(3))), put(7, bin(tir.OpMod, body.Var, d)),
			set(a, inside, bin(tir.OpMin, q, bin(tir.OpMax, j, num(1)))))
	})
	return Case{Name: "division", Func: fn("division", body, a)}
}

// twoClassesCase reads one buffer through bases that depend on different
// loops, with constants around them.
func twoClassesCase(w int) Case {
	a, b := buf("a", dtype.Float32, 4096), buf("b", dtype.Float32, int64(4*4*w))
	body := serial(4, "i", func(i *tir.Var) tir.Stmt {
		return serial(4, "j", func(j *tir.Var) tir.Stmt {
			row := tir.Mul(i, num(97))
			out := ramp(tir.Mul(tir.Add(tir.Mul(i, num(4)), j), num(int64(w))), 1, w)
			load := func(e tir.Expr) tir.Expr { return at(a, ramp(e, 1, w)) }
			v := tir.Add(load(tir.Add(row, num(5))), load(tir.Add(tir.Add(row, tir.Mul(j, num(3))), num(100))))
			v = tir.Add(v, load(tir.Add(tir.Mul(j, num(3)), num(9))))
			v = tir.Add(v, load(tir.Sub(tir.Add(row, num(200)), tir.Mul(j, num(11)))))
			return set(b, out, v)
		})
	})
	return Case{Name: "two-classes", Func: fn("two_classes", body, a, b)}
}
