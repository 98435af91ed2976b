package codegentest

import (
	"math/rand/v2"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// tabled makes integer arguments index tables below n.
func tabled(n int) func(r *rand.Rand, p int, t dtype.DType, i int) float64 {
	entry := tableInput(n)
	return func(r *rand.Rand, p int, t dtype.DType, i int) float64 {
		if t.IsInt() && t.Bits >= 32 {
			return entry(i)
		}
		return smallInteger(r, t)
	}
}

// controlCases are loops of all kinds, conditions and lazy expressions.
func controlCases(w int) []Case {
	return []Case{
		boundsCase(), stepCase(), unrolledCase(w), parallelCase(w), parallelSliceCase(w), parallelNestCase(), ifCase(), lazyCase(w), lazyVectorCase(w), lazyStatementCase(w),
		whileCase(), onceCase(), letCase(w), maskCase(w), selectScalarCase(w),
	}
}

// boundsCase has loop bounds that depend on outer loops, empty ones included.
func boundsCase() Case {
	a, b := buf("a", dtype.Int32, 64), buf("b", dtype.Int32, 64)
	body := serial(8, "i", func(i *tir.Var) tir.Stmt {
		inner := &tir.For{Var: iv("j"), Min: bin(tir.OpMax, tir.Sub(i, num(2)), num(0)), Extent: bin(tir.OpMin, tir.Sub(num(5), i), num(3))}
		idx := tir.Add(tir.Mul(i, num(8)), inner.Var)
		inner.Body = set(b, idx, tir.Add(at(b, idx), tir.Mul(at(a, inner.Var), i)))
		return inner
	})
	return Case{Name: "bounds", Func: fn("bounds", body, a, b)}
}

func stepCase() Case {
	a := buf("a", dtype.Int32, 64)
	l := &tir.For{Var: iv("i"), Min: num(3), Extent: num(9), Step: num(5)}
	l.Body = set(a, l.Var, tir.Mul(l.Var, num(2)))
	return Case{Name: "step", Func: fn("step", l, a)}
}

func unrolledCase(w int) Case {
	a, b := buf("a", dtype.Float32, int64(8*w)), buf("b", dtype.Float32, int64(8*w))
	body := kindLoop(tir.Unrolled, 8, "u", func(u *tir.Var) tir.Stmt {
		return kindLoop(tir.Vectorized, int64(w), "v", func(v *tir.Var) tir.Stmt {
			i := tir.Add(tir.Mul(u, num(int64(w))), v)
			return set(b, i, tir.Mul(at(a, i), tir.NewCast(dtype.Float32, u)))
		})
	})
	return Case{Name: "unrolled", Func: fn("unrolled", body, a, b)}
}

// parallelCase has a parallel loop under a serial one, with a minimum that
// varies and captured variables of both kinds.
func parallelCase(w int) Case {
	n := int64(w)
	a, b := buf("a", dtype.Float32, 64*n), buf("b", dtype.Float32, 64*n)
	body := serial(4, "i", func(i *tir.Var) tir.Stmt {
		scale := tir.NewVar("scale", dtype.Float32)
		p := &tir.For{Var: iv("p"), Min: i, Extent: tir.Sub(num(9), i), Kind: tir.Parallel}
		r := ramp(tir.Mul(tir.Add(tir.Mul(i, num(16)), p.Var), num(n)), 1, w)
		p.Body = set(b, r, tir.Mul(at(a, r), bcast(scale, w)))
		return seq(&tir.Bind{Var: scale, Value: tir.Add(at(a, i), tir.F32(1))}, p)
	})
	return Case{Name: "parallel", Func: fn("parallel", body, a, b)}
}

// parallelSliceCase gives every worker its own scratch, next to shared scratch
// filled before.
func parallelSliceCase(w int) Case {
	n := int64(40 * w)
	a, b := buf("a", dtype.Float32, 11*n), buf("b", dtype.Float32, 11*n)
	shared := scoped("shared", "global", dtype.Float32, n)
	body := seq(&tir.AllocBuffer{Buffer: shared},
		serial(n, "s", func(s *tir.Var) tir.Stmt { return set(shared, s, tir.Mul(at(a, s), tir.F32(2))) }),
		kindLoop(tir.Parallel, 11, "p", func(p *tir.Var) tir.Stmt {
			scratch, second := scoped("scratch", "global", dtype.Float32, n), scoped("scratch", "global", dtype.Int64, n)
			return seq(&tir.AllocBuffer{Buffer: scratch},
				serial(n, "x", func(x *tir.Var) tir.Stmt {
					return set(scratch, x, tir.Add(at(a, tir.Add(tir.Mul(p, num(n)), x)), at(shared, x)))
				}),
				&tir.AllocBuffer{Buffer: second},
				serial(n, "y", func(y *tir.Var) tir.Stmt { return set(second, y, tir.NewCast(dtype.Int64, tir.Add(y, p))) }),
				serial(n, "z", func(z *tir.Var) tir.Stmt {
					v := tir.Add(at(scratch, tir.Sub(num(n-1), z)), tir.NewCast(dtype.Float32, at(second, z)))
					return set(b, tir.Add(tir.Mul(p, num(n)), z), v)
				}))
		}))
	return Case{Name: "parallel-slice", Func: fn("parallel_slice", body, a, b)}
}

// parallelNestCase has several parallel loops one after another.
func parallelNestCase() Case {
	a, b := buf("a", dtype.Int32, 30), buf("b", dtype.Int32, 30)
	body := seq(
		kindLoop(tir.Parallel, 30, "p", func(p *tir.Var) tir.Stmt { return set(b, p, tir.Add(at(a, p), num(1))) }),
		kindLoop(tir.Parallel, 1, "q", func(q *tir.Var) tir.Stmt { return set(b, q, num(77)) }),
		serial(2, "r", func(r *tir.Var) tir.Stmt {
			return kindLoop(tir.Parallel, 10, "s", func(s *tir.Var) tir.Stmt {
				i := tir.Add(tir.Mul(r, num(10)), s)
				return set(a, i, tir.Sub(at(b, i), r))
			})
		}))
	return Case{Name: "parallel-many", Func: fn("parallel_many", body, a, b)}
}

func ifCase() Case {
	a, b := buf("a", dtype.Float32, 60), buf("b", dtype.Float32, 60)
	body := serial(60, "i", func(i *tir.Var) tir.Stmt {
		mod := bin(tir.OpFloorMod, i, num(5))
		cond := bin(tir.OpAnd, bin(tir.OpLT, mod, num(3)), bin(tir.OpOr, bin(tir.OpGE, at(a, i), tir.F32(0)), bin(tir.OpEQ, i, num(7))))
		return &tir.If{Cond: cond, Then: set(b, i, at(a, i)), Else: &tir.If{Cond: &tir.Not{A: bin(tir.OpEQ, mod, num(4))}, Then: set(b, i, tir.F32(-1)), Else: set(b, i, tir.F32(2))}}
	})
	return Case{Name: "if", Func: fn("if_", body, a, b)}
}

// lazyCase pads: the load is out of bounds wherever the condition is false.
func lazyCase(w int) Case {
	a, b := buf("a", dtype.Float32, 16), buf("b", dtype.Float32, 24)
	body := serial(24, "i", func(i *tir.Var) tir.Stmt {
		j := tir.Sub(i, num(4))
		cond := bin(tir.OpAnd, bin(tir.OpLE, num(0), j), bin(tir.OpLT, j, num(16)))
		return set(b, i, call("if_then_else", dtype.Float32, cond, at(a, tir.Mul(j, num(1))), tir.F32(9)))
	})
	return Case{Name: "lazy", Func: fn("lazy", body, a, b)}
}

// lazyVectorCase pads with a condition per lane, and one for all lanes.
func lazyVectorCase(w int) Case {
	n := w + 3
	a, b := buf("a", dtype.Float32, int64(2*n)), buf("b", dtype.Float32, int64(4*n))
	vt := dtype.Float32.WithLanes(n)
	body := serial(2, "i", func(i *tir.Var) tir.Stmt {
		j := ramp(tir.Sub(tir.Mul(i, num(int64(n))), num(2)), 1, n)
		inside := bin(tir.OpAnd, bin(tir.OpGE, j, bcast(num(0), n)), bin(tir.OpLT, j, bcast(num(int64(2*n)), n)))
		out := ramp(tir.Mul(i, num(int64(n))), 1, n)
		far := ramp(tir.Mul(tir.Add(i, num(2)), num(int64(n))), 1, n)
		row := ramp(tir.Mul(tir.Sub(num(1), i), num(int64(1000))), 1, n)
		return seq(set(b, out, call("if_then_else", vt, inside, at(a, j), bcast(tir.F32(-3), n))),
			set(b, far, call("if_then_else", vt, bin(tir.OpEQ, i, num(1)), at(a, row), bcast(tir.F32(4), n))))
	})
	return Case{Name: "lazy-vector", Func: fn("lazy_vector", body, a, b)}
}

// lazyStatementCase has a branch that binds variables of its own.
func lazyStatementCase(w int) Case {
	a, b := buf("a", dtype.Float32, 20), buf("b", dtype.Float32, 20)
	body := serial(20, "i", func(i *tir.Var) tir.Stmt {
		x := tir.NewVar("x", dtype.Float32)
		inner := &tir.Let{Var: x, Value: at(a, tir.Sub(num(19), i)), Body: tir.Mul(x, x)}
		return set(b, i, call("if_then_else", dtype.Float32, bin(tir.OpLT, i, num(11)), inner, at(a, i)))
	})
	return Case{Name: "lazy-statement", Func: fn("lazy_statement", body, a, b)}
}

func whileCase() Case {
	n, b := buf("n", dtype.Int32, 1), buf("b", dtype.Int32, 16)
	zero := num(0)
	body := seq(set(n, zero, num(0)), &tir.While{
		Cond: bin(tir.OpLT, at(n, zero), num(12)),
		Body: seq(set(b, at(n, zero), tir.Mul(at(n, zero), num(3))), set(n, zero, tir.Add(at(n, zero), num(1)))),
	})
	return Case{Name: "while", Func: fn("while_", body, n, b)}
}

// onceCase has loops of one iteration, whose variables are constants.
func onceCase() Case {
	a, b := buf("a", dtype.Float32, 12), buf("b", dtype.Float32, 12)
	body := serial(3, "i", func(i *tir.Var) tir.Stmt {
		one := &tir.For{Var: iv("o"), Min: tir.Add(i, num(2)), Extent: num(1)}
		one.Body = serial(2, "j", func(j *tir.Var) tir.Stmt {
			k := tir.Add(tir.Mul(one.Var, num(2)), j)
			return set(b, k, tir.Add(at(a, k), tir.NewCast(dtype.Float32, one.Var)))
		})
		return one
	})
	return Case{Name: "once", Func: fn("once", body, a, b)}
}

// letCase binds scalars and vectors, some behind a barrier, some used by lane.
func letCase(w int) Case {
	n := w + 5
	a, b := buf("a", dtype.Float32, int64(4*n)), buf("b", dtype.Float32, int64(4*n))
	body := serial(4, "i", func(i *tir.Var) tir.Stmt {
		vt := dtype.Float32.WithLanes(n)
		s, v, m := tir.NewVar("s", dtype.Float32), tir.NewVar("v", vt), tir.NewVar("m", dtype.BoolType.WithLanes(n))
		k := tir.NewVar("k", dtype.Int32)
		r := ramp(tir.Mul(k, num(int64(n))), 1, n)
		lane := call("if_then_else", vt, bin(tir.OpLT, ramp(num(0), 1, n), bcast(num(3), n)), v, bcast(s, n))
		return seq(&tir.Bind{Var: k, Value: tir.Sub(num(3), i)}, &tir.Bind{Var: s, Value: at(a, k)},
			&tir.Bind{Var: v, Value: call("hone.barrier", vt, at(a, r))}, &tir.Bind{Var: m, Value: bin(tir.OpGT, v, bcast(s, n))},
			set(b, r, &tir.Select{Cond: m, Then: tir.Add(v, bcast(s, n)), Else: lane}))
	})
	return Case{Name: "let", Func: fn("let", body, a, b)}
}

// maskCase combines conditions on types of different widths.
func maskCase(w int) Case {
	n := w + 3
	a, c := buf("a", dtype.Float32, int64(3*n)), buf("c", dtype.Int8, int64(3*n))
	d, b := buf("d", dtype.BoolType, int64(3*n)), buf("b", dtype.Float64, int64(3*n))
	e := buf("e", dtype.BoolType, int64(3*n))
	body := serial(3, "i", func(i *tir.Var) tir.Stmt {
		r := index(i, n)
		x := bin(tir.OpGT, at(a, r), bcast(tir.F32(0), n))
		y := bin(tir.OpLE, at(c, r), bcast(tir.IntOf(2, dtype.Int8), n))
		z := bin(tir.OpOr, bin(tir.OpAnd, x, y), &tir.Not{A: at(d, r)})
		val := &tir.Select{Cond: z, Then: bcast(tir.Const(1.5, dtype.Float64), n), Else: tir.NewCast(dtype.Float64.WithLanes(n), at(c, r))}
		return seq(set(b, r, val), set(e, r, bin(tir.OpEQ, z, x)))
	})
	return Case{Name: "mask", Func: fn("mask", body, a, c, d, b, e)}
}

// selectScalarCase selects vectors by one condition.
func selectScalarCase(w int) Case {
	n := w + 1
	a, b := buf("a", dtype.Float32, int64(6*n)), buf("b", dtype.Float32, int64(6*n))
	body := serial(6, "i", func(i *tir.Var) tir.Stmt {
		r := index(i, n)
		cond := bin(tir.OpGT, at(a, i), tir.F32(0))
		return set(b, r, &tir.Select{Cond: cond, Then: at(a, r), Else: tir.Mul(at(a, r), bcast(tir.F32(3), n))})
	})
	return Case{Name: "select-scalar", Func: fn("select_scalar", body, a, b)}
}
