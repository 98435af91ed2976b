package interp

import (
	"hone/compiler/tir"
)

// env is the state of a run: variables by slot, buffers by slot, the first
// fault.
type env struct {
	ints   []int64
	floats []float64
	bufs   []*storage
	spare  []*storage // storage of an allocation, reused when it runs again
	err    *Error

	// For Options.Races: the iterations of concurrent loops so far, the one that
	// is running, and the number of the latest entry into such a loop.
	stamps []stamp
	now    int32
	entry  int32
	nEntry int32
}

// Compiled code. Expressions take the lane to compute, 0 for scalars; integers
// and bools are intFn, floats floatFn.
type (
	intFn   func(e *env, lane int) int64
	floatFn func(e *env, lane int) float64
	stmtFn  func(e *env)
)

// compiler turns nodes into closures; vars and bufs give slots.
type compiler struct {
	opt     Options
	vars    map[*tir.Var]int
	bufs    map[*tir.Buffer]int
	nInts   int
	nFloats int
	at      *site
	scopes  []*blockScope
	err     *Error
}

func newCompiler(name string, opt Options) *compiler {
	return &compiler{opt: opt, vars: map[*tir.Var]int{}, bufs: map[*tir.Buffer]int{}, at: &site{fn: name}}
}

func (c *compiler) newEnv() *env {
	return &env{stamps: make([]stamp, 1), ints: make([]int64, c.nInts), floats: make([]float64, c.nFloats),
		bufs: make([]*storage, len(c.bufs)), spare: make([]*storage, len(c.bufs))}
}

// define gives v a slot, lanes of them for a vector.
func (c *compiler) define(v *tir.Var) int {
	if slot, ok := c.vars[v]; ok {
		return slot
	}
	var slot int
	if v.Type.IsFloat() {
		slot = c.nFloats
		c.nFloats += int(v.Type.Lanes)
	} else {
		slot = c.nInts
		c.nInts += int(v.Type.Lanes)
	}
	c.vars[v] = slot
	return slot
}

func (c *compiler) defineBuffer(b *tir.Buffer) int {
	if slot, ok := c.bufs[b]; ok {
		return slot
	}
	slot := len(c.bufs)
	c.bufs[b] = slot
	return slot
}

func (c *compiler) ints(es []tir.Expr) []intFn {
	out := make([]intFn, len(es))
	for i, e := range es {
		out[i] = c.intExpr(e)
	}
	return out
}

// allocate compiles the creation of b, fresh at every execution; races says
// that the check of races applies to it.
func (c *compiler) allocate(b *tir.Buffer, races bool) stmtFn {
	shape, slot, at, t := c.ints(b.Shape), c.defineBuffer(b), c.at, b.Type
	name, opt := b.Name, c.opt
	if !t.IsComputed() {
		c.reject("buffer %s of %s cannot be interpreted", name, t)
	}
	return func(e *env) {
		dims, n := make([]int64, len(shape)), int64(1)
		for d, f := range shape {
			dims[d] = f(e, 0)
			if dims[d] < 0 || dims[d] > 0 && n > maxElements/dims[d] {
				e.fail(at, "buffer %s: dimension %d is %d", name, d, dims[d])
				return
			}
			n *= dims[d]
		}
		s := e.spare[slot]
		if s == nil || !sameDims(s.shape, dims) {
			s = newStorage(t, dims)
			e.spare[slot] = s
		}
		s.spoil(t)
		if opt.Uninitialised || opt.Races {
			s.shadow = newShadow(n*s.lanes, true, opt.Races && races)
		}
		e.bufs[slot] = s
	}
}

// maxElements bounds one buffer, so that a nonsensical shape is an error.
const maxElements = 1 << 31

func sameDims(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
