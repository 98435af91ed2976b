package interp

import (
	"fmt"
	"strings"

	"hone/compiler/tir"
)

// access finds the position of one value of a buffer in its array; ok is false
// after a fault. lane counts the values of a vector access.
type access func(e *env, lane int) (s *storage, pos int64, ok bool)

// access compiles an address with its bounds checks and the optional checks of
// regions, initialisation and races. write tells the direction.
func (c *compiler) access(b *tir.Buffer, indices []tir.Expr, write bool) access {
	slot, ok := c.bufs[b]
	if !ok {
		c.reject("buffer %s is not defined here", b.Name)
		return nil
	}
	if len(indices) != len(b.Shape) {
		c.reject("%d indices for the %d dimensions of buffer %s", len(indices), len(b.Shape), b.Name)
		return nil
	}
	idx := make([]intFn, len(indices))
	for d, x := range indices {
		idx[d] = c.intExpr(x)
		if x.DType().Lanes == 1 {
			f := idx[d]
			idx[d] = func(e *env, _ int) int64 { return f(e, 0) }
		}
	}
	if n := len(idx); n > 1 && indices[n-1].DType().Lanes > 1 {
		idx[n-2], idx[n-1] = carried(slot, idx[n-2], idx[n-1])
	}
	verb := "load of "
	if write {
		verb = "store to "
	}
	addr := address(slot, idx, int(b.Type.Lanes), c.at, verb+b.Name)
	if check := c.regionCheck(b, idx, int(b.Type.Lanes), write); check != nil {
		addr = alsoCheck(addr, check)
	}
	if c.opt.Uninitialised || c.opt.Races {
		addr = c.shadowed(addr, b, write)
	}
	return addr
}

// carried lets a vector run from the end of one row into the next, where they lie in
// one piece, as implementations of tensor intrinsics load a matrix at once.
func carried(slot int, row, col intFn) (intFn, intFn) {
	over := func(e *env, lane int) (rows, c int64) {
		c = col(e, lane)
		s := e.bufs[slot]
		if s == nil {
			return 0, c
		}
		last := len(s.shape) - 1
		if w := s.shape[last]; w > 0 && c >= w && s.strides[last-1] == w*s.strides[last] {
			return c / w, c % w
		}
		return 0, c
	}
	return func(e *env, lane int) int64 { n, _ := over(e, lane); return row(e, lane) + n },
		func(e *env, lane int) int64 { _, c := over(e, lane); return c }
}

// address is the plain computation, with the common ranks spelled out.
func address(slot int, idx []intFn, lanes int, at *site, what string) access {
	if lanes == 1 && len(idx) == 1 {
		i0 := idx[0]
		return func(e *env, lane int) (*storage, int64, bool) {
			s := e.bufs[slot]
			a := i0(e, lane)
			if s == nil || uint64(a) >= uint64(s.shape[0]) {
				outOfBounds(e, at, what, s, a)
				return nil, 0, false
			}
			return s, s.offset + a*s.strides[0], true
		}
	}
	if lanes == 1 && len(idx) == 2 {
		i0, i1 := idx[0], idx[1]
		return func(e *env, lane int) (*storage, int64, bool) {
			s := e.bufs[slot]
			a, b := i0(e, lane), i1(e, lane)
			if s == nil || uint64(a) >= uint64(s.shape[0]) || uint64(b) >= uint64(s.shape[1]) {
				outOfBounds(e, at, what, s, a, b)
				return nil, 0, false
			}
			return s, s.offset + a*s.strides[0] + b*s.strides[1], true
		}
	}
	at2 := make([]int64, len(idx))
	return func(e *env, lane int) (*storage, int64, bool) {
		s := e.bufs[slot]
		for d, f := range idx {
			at2[d] = f(e, lane/lanes)
		}
		if s == nil {
			outOfBounds(e, at, what, s, at2...)
			return nil, 0, false
		}
		pos := s.offset
		for d, a := range at2 {
			if uint64(a) >= uint64(s.shape[d]) {
				outOfBounds(e, at, what, s, at2...)
				return nil, 0, false
			}
			pos += a * s.strides[d]
		}
		return s, pos*int64(lanes) + int64(lane%lanes), true
	}
}

func outOfBounds(e *env, at *site, what string, s *storage, idx ...int64) {
	if s == nil {
		e.fail(at, "%s%s before the buffer exists", what, brackets(idx))
		return
	}
	e.fail(at, "%s%s is outside of shape %s", what, brackets(idx), tuple(s.shape))
}

func brackets(idx []int64) string { return "[" + join(idx) + "]" }
func tuple(idx []int64) string    { return "(" + join(idx) + ")" }

func join(idx []int64) string {
	out := make([]string, len(idx))
	for i, n := range idx {
		out[i] = fmt.Sprint(n)
	}
	return strings.Join(out, ", ")
}

func alsoCheck(addr access, check func(e *env, lane int)) access {
	return func(e *env, lane int) (*storage, int64, bool) {
		s, pos, ok := addr(e, lane)
		if ok {
			check(e, lane)
		}
		return s, pos, ok && e.err == nil
	}
}

func (c *compiler) loadInt(x *tir.Load) intFn {
	addr := c.access(x.Buffer, x.Indices, false)
	if addr == nil {
		return func(*env, int) int64 { return 0 }
	}
	return func(e *env, lane int) int64 {
		if s, pos, ok := addr(e, lane); ok {
			return s.i[pos]
		}
		return 0
	}
}

func (c *compiler) loadFloat(x *tir.Load) floatFn {
	addr := c.access(x.Buffer, x.Indices, false)
	if addr == nil {
		return func(*env, int) float64 { return 0 }
	}
	return func(e *env, lane int) float64 {
		if s, pos, ok := addr(e, lane); ok {
			return s.f[pos]
		}
		return 0
	}
}

// store compiles a store; a vector store computes every lane, then writes.
func (c *compiler) store(x *tir.Store) stmtFn {
	want := (&tir.Load{Buffer: x.Buffer, Indices: x.Indices}).DType()
	if x.Value.DType() != want {
		c.reject("store to %s takes %s, the value %s is %s", x.Buffer.Name, want, tir.ExprString(x.Value), x.Value.DType())
		return func(*env) {}
	}
	if want.IsFloat() {
		return storeValues(c, x, c.floatExpr(x.Value), func(s *storage) []float64 { return s.f }, int(want.Lanes))
	}
	return storeValues(c, x, c.intExpr(x.Value), func(s *storage) []int64 { return s.i }, int(want.Lanes))
}

func storeValues[T int64 | float64](c *compiler, x *tir.Store, value func(*env, int) T, array func(*storage) []T, lanes int) stmtFn {
	addr := c.access(x.Buffer, x.Indices, true)
	if addr == nil {
		return func(*env) {}
	}
	if lanes == 1 {
		return func(e *env) {
			v := value(e, 0)
			if s, pos, ok := addr(e, 0); ok && e.err == nil {
				array(s)[pos] = v
			}
		}
	}
	values, places := make([]T, lanes), make([]int64, lanes)
	return func(e *env) {
		for k := range lanes {
			values[k] = value(e, k)
		}
		var s *storage
		for k := range lanes {
			var ok bool
			if s, places[k], ok = addr(e, k); !ok {
				return
			}
		}
		if e.err != nil {
			return
		}
		for k, pos := range places {
			array(s)[pos] = values[k]
		}
	}
}
