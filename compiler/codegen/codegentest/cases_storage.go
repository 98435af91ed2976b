package codegentest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// storageCases are register tiles, local and workspace buffers.
func storageCases(w int) []Case {
	return []Case{
		tileCase(dtype.Float32, 4, 2, w), tileCase(dtype.Float32, 3, 1, 3*w), tileCase(dtype.Float32, 2, 2, w+3), tileCase(dtype.Float64, 3, 2, w/2), tileCase(dtype.Int32, 4, 2, w), tileCase(dtype.Float32, 4, 3, 1),
		registerBoolCase(w), localCase(w), workspaceCase(), vectorBufferCase(w),
	}
}

// tileCase is a matrix product with an mr×nv tile of accumulators of lanes
// elements each, stored with a relu.
func tileCase(t dtype.DType, mr, nv, lanes int) Case {
	const k = 7
	nr := int64(nv * lanes)
	a, b, c := buf("A", t, int64(mr*k)), buf("B", t, k*nr), buf("C", t, int64(mr)*nr)
	vt := t.WithLanes(lanes)
	acc := scoped("acc", "register", vt, int64(mr*nv))
	idx := func(base tir.Expr) tir.Expr {
		if lanes == 1 {
			return base
		}
		return ramp(base, 1, lanes)
	}
	splat := func(e tir.Expr) tir.Expr {
		if lanes == 1 {
			return e
		}
		return bcast(e, lanes)
	}
	stmts := []tir.Stmt{&tir.AllocBuffer{Buffer: acc}}
	var store []tir.Stmt
	for x := range mr {
		for y := range nv {
			r := num(int64(x*nv + y))
			stmts = append(stmts, set(acc, r, tir.Const(0, vt)))
			store = append(store, set(c, idx(num(int64(x)*nr+int64(y*lanes))), tir.Max(at(acc, r), tir.Const(0, vt))))
		}
	}
	stmts = append(stmts, serial(k, "k", func(kk *tir.Var) tir.Stmt {
		var body []tir.Stmt
		var bs []*tir.Var
		for y := range nv {
			v := tir.NewVar(fmt.Sprintf("b%d", y), vt)
			bs = append(bs, v)
			load := tir.Expr(at(b, idx(tir.Add(tir.Mul(kk, num(nr)), num(int64(y*lanes))))))
			body = append(body, &tir.Bind{Var: v, Value: call("hone.barrier", vt, load)})
		}
		for x := range mr {
			s := tir.NewVar(fmt.Sprintf("x%d", x), t)
			body = append(body, &tir.Bind{Var: s, Value: at(a, tir.Add(num(int64(x*k)), kk))})
			for y := range nv {
				r := num(int64(x*nv + y))
				body = append(body, set(acc, r, tir.Add(at(acc, r), tir.Mul(splat(s), bs[y]))))
			}
		}
		return seq(body...)
	}))
	name := fmt.Sprintf("tile-%s-%dx%dx%d", t, mr, nv, lanes)
	return Case{Name: name, Func: fn("tile", seq(append(stmts, store...)...), a, b, c)}
}

func registerBoolCase(w int) Case {
	n := w + 1
	a, b := buf("a", dtype.Float32, int64(n)), buf("b", dtype.BoolType, int64(n))
	m := scoped("m", "register", dtype.BoolType.WithLanes(n), 1)
	r := ramp(num(0), 1, n)
	body := seq(&tir.AllocBuffer{Buffer: m}, set(m, num(0), bin(tir.OpLT, at(a, r), bcast(tir.F32(1), n))), set(b, r, &tir.Not{A: at(m, num(0))}))
	return Case{Name: "register-bool", Func: fn("register_bool", body, a, b)}
}

// localCase reverses rows through an array on the stack.
func localCase(w int) Case {
	n := int64(3 * w)
	a, b := buf("a", dtype.Float32, 4*n), buf("b", dtype.Float32, 4*n)
	body := serial(4, "i", func(i *tir.Var) tir.Stmt {
		t := scoped("t", "local", dtype.Float32, n)
		return seq(&tir.AllocBuffer{Buffer: t},
			set(t, ramp(num(0), 1, int(n)), at(a, ramp(tir.Mul(i, num(n)), 1, int(n)))),
			serial(n, "j", func(j *tir.Var) tir.Stmt {
				return set(b, tir.Add(tir.Mul(i, num(n)), j), at(t, tir.Sub(num(n-1), j)))
			}))
	})
	return Case{Name: "local", Func: fn("local", body, a, b)}
}

// workspaceCase has scratch buffers whose lives overlap in part, one of them
// too large for the stack in spite of its scope.
func workspaceCase() Case {
	const n = 20000
	a, b := buf("a", dtype.Float32, n), buf("b", dtype.Float32, n)
	x, y, z := scoped("x", "global", dtype.Float32, n), scoped("y", "global", dtype.Float32, n), scoped("z", "local", dtype.Float32, n)
	each := func(f func(i *tir.Var) tir.Stmt) tir.Stmt { return serial(n, "i", f) }
	body := seq(&tir.AllocBuffer{Buffer: x},
		each(func(i *tir.Var) tir.Stmt { return set(x, i, tir.Add(at(a, i), tir.F32(1))) }),
		serial(2, "o", func(o *tir.Var) tir.Stmt {
			return seq(&tir.AllocBuffer{Buffer: y}, each(func(i *tir.Var) tir.Stmt { return set(y, i, tir.Mul(at(x, i), tir.F32(2))) }),
				each(func(i *tir.Var) tir.Stmt { return set(b, i, tir.Add(at(y, i), tir.NewCast(dtype.Float32, o))) }))
		}),
		&tir.AllocBuffer{Buffer: z},
		each(func(i *tir.Var) tir.Stmt { return set(z, i, tir.Sub(at(b, i), at(x, i))) }),
		each(func(i *tir.Var) tir.Stmt { return set(b, i, at(z, tir.Sub(num(n-1), i))) }))
	return Case{Name: "workspace", Func: fn("workspace", body, a, b)}
}

// vectorBufferCase has a buffer in memory whose elements are vectors.
func vectorBufferCase(w int) Case {
	vt := dtype.Float32.WithLanes(w)
	a, b := buf("a", dtype.Float32, int64(4*w)), buf("b", dtype.Float32, int64(4*w))
	t := scoped("t", "local", vt, 4)
	body := seq(&tir.AllocBuffer{Buffer: t},
		serial(4, "i", func(i *tir.Var) tir.Stmt { return set(t, i, at(a, index(i, w))) }),
		serial(4, "i", func(i *tir.Var) tir.Stmt { return set(b, index(i, w), at(t, tir.Sub(num(3), i))) }))
	return Case{Name: "vector-buffer", Func: fn("vector_buffer", body, a, b)}
}

// operatorCases are the named operators, on scalars and vectors.
func operatorCases(w int) []Case {
	var out []Case
	unary := []struct {
		op   string
		rtol float64
		in   func(r *rand.Rand, p int, t dtype.DType, i int) float64
	}{
		{"exp", 1e-6, wide}, {"log", 1e-6, positive}, {"tanh", 1e-6, wide}, {"sigmoid", 1e-6, wide}, {"erf", 1e-6, wide}, {"sqrt", 0, positive}, {"rsqrt", 1e-6, positive},
		{"sin", 1e-6, wide}, {"cos", 1e-6, wide}, {"atan", 1e-6, wide}, {"log1p", 1e-6, positive}, {"expm1", 1e-6, wide},
		{"floor", 0, wide}, {"ceil", 0, wide}, {"trunc", 0, wide}, {"round", 0, halves}, {"nearbyint", 0, halves}, {"abs", 0, wide},
	}
	for _, u := range unary {
		for _, t := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16} {
			for _, lanes := range []int{1, 2, w + 5} {
				c := Case{Name: fmt.Sprintf("%s-%s-%d", u.op, t, lanes), RTol: u.rtol, Input: u.in}
				if t.Bits == 16 && u.rtol > 0 {
					c.RTol, c.ATol = 2e-3, 1e-3
				}
				c.ATol = max(c.ATol, u.rtol)
				c.Func = elementwise(c.Name, t, t, lanes, func(a, _ tir.Expr) tir.Expr { return call(u.op, t.WithLanes(lanes), a) })
				out = append(out, c)
			}
		}
	}
	for _, op := range []string{"pow", "atan2", "hypot", "copysign", "fmod"} {
		for _, lanes := range []int{1, w + 1} {
			c := Case{Name: fmt.Sprintf("%s-%d", op, lanes), RTol: 1e-6, ATol: 1e-6, Input: positive}
			c.Func = elementwise(c.Name, dtype.Float32, dtype.Float32, lanes, func(a, b tir.Expr) tir.Expr { return call(op, dtype.Float32.WithLanes(lanes), a, b) })
			out = append(out, c)
		}
	}
	return append(append(out, bitCases(w)...), testCases(w)...)
}

func positive(r *rand.Rand, _ int, _ dtype.DType, _ int) float64 {
	return math.Ldexp(r.Float64()+0.01, r.IntN(8)-3)
}

func halves(r *rand.Rand, _ int, _ dtype.DType, _ int) float64 { return float64(r.IntN(41)-20) / 2 }

func bitCases(w int) []Case {
	var out []Case
	for _, t := range []dtype.DType{dtype.Int8, dtype.UInt8, dtype.Int32, dtype.UInt32, dtype.Int64} {
		for _, op := range []string{"bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right", "bitwise_not", "abs", "popcount", "clz"} {
			for _, lanes := range []int{1, w + 2} {
				c := Case{Name: fmt.Sprintf("%s-%s-%d", op, t, lanes), Input: wide}
				vt := t.WithLanes(lanes)
				c.Func = elementwise(c.Name, t, t, lanes, func(a, b tir.Expr) tir.Expr {
					switch op {
					case "bitwise_not", "abs", "popcount", "clz":
						return call(op, vt, a)
					case "shift_left", "shift_right":
						return call(op, vt, a, tir.Const(3, vt))
					}
					return call(op, vt, a, b)
				})
				out = append(out, c)
			}
		}
	}
	return out
}

// testCases are predicates and reinterpretation, with exceptional values.
func testCases(w int) []Case {
	exceptional := func(r *rand.Rand, p int, t dtype.DType, i int) float64 {
		return []float64{0, 1, math.Inf(1), math.Inf(-1), math.NaN(), -2.5}[i%6]
	}
	var out []Case
	for _, op := range []string{"isnan", "isinf", "isfinite"} {
		for _, t := range []dtype.DType{dtype.Float32, dtype.Float64} {
			for _, lanes := range []int{1, w + 2} {
				c := Case{Name: fmt.Sprintf("%s-%s-%d", op, t, lanes), Input: exceptional}
				c.Func = elementwise(c.Name, t, dtype.BoolType, lanes, func(a, _ tir.Expr) tir.Expr { return call(op, dtype.BoolType.WithLanes(lanes), a) })
				out = append(out, c)
			}
		}
	}
	for _, lanes := range []int{1, w + 2} {
		c := Case{Name: fmt.Sprintf("reinterpret-%d", lanes), Input: wide}
		c.Func = elementwise(c.Name, dtype.Float32, dtype.Int32, lanes, func(a, _ tir.Expr) tir.Expr { return call("reinterpret", dtype.Int32.WithLanes(lanes), a) })
		out = append(out, c)
	}
	return out
}
