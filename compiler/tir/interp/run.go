package interp

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Options adds checks to a run. The zero value checks types, shapes, bounds and
// iterator domains only.
type Options struct {
	// Regions: every access of a block to a buffer from outside of it lies in
	// the regions that the block declares.
	Regions bool
	// Uninitialised: no element of an allocated buffer is read before it is
	// written.
	Uninitialised bool
	// Races: no iteration of a parallel or vectorised loop touches an element
	// that another iteration of the loop writes. Buffers allocated inside the
	// loop are private to an iteration; those that blocks allocate are exempt,
	// because lowering moves them inside the loops that use them.
	Races bool
}

// Run executes f on args, one tensor per parameter in order: buffers are read
// and written in place, scalar parameters take a tensor of one element.
// Variables in parameter shapes are bound by the shapes of the tensors. Faults
// are of type *Error; the contents of args after one are unspecified.
func Run(f *tir.PrimFunc, args []*dtype.Tensor) error { return RunWith(f, args, Options{}) }

// RunWith is Run with checks.
func RunWith(f *tir.PrimFunc, args []*dtype.Tensor, opt Options) error {
	if err := tir.VerifyComputable(f); err != nil {
		return &Error{Func: f.Name, Msg: err.(*tir.VerifyError).Msg}
	}
	c := newCompiler(f.Name, opt)
	params := make([]paramSlot, len(f.Params))
	for i, p := range f.Params {
		params[i] = c.param(p)
	}
	body := c.stmt(f.Body)
	if c.err != nil {
		return c.err
	}
	e := c.newEnv()
	if err := c.bindArgs(e, f, params, args); err != nil {
		return err
	}
	body(e)
	if e.err != nil {
		return e.err
	}
	for i, p := range params {
		if p.buffer != nil {
			e.bufs[p.slot].copyOut(args[i])
		}
	}
	return nil
}

// paramSlot is where a parameter lives: a buffer, or a scalar variable.
type paramSlot struct {
	buffer *tir.Buffer
	slot   int
	shape  []intFn
}

func (c *compiler) param(p tir.Param) paramSlot {
	switch p := p.(type) {
	case *tir.Var:
		return paramSlot{slot: c.define(p)}
	case *tir.Buffer:
		if !p.Type.IsComputed() {
			c.reject("buffer %s of %s cannot be interpreted", p.Name, p.Type)
		}
		for _, list := range [][]tir.Expr{p.Shape, p.Strides, {p.ElemOffset}} {
			for _, e := range list {
				c.defineFree(e)
			}
		}
		return paramSlot{p, c.defineBuffer(p), c.ints(p.Shape)}
	}
	panic("BUG: unknown kind of parameter")
}

// defineFree gives slots to the variables of e that have none: shape variables
// are bound by the arguments.
func (c *compiler) defineFree(e tir.Expr) {
	tir.Walk(e, func(x tir.Expr) bool {
		if v, ok := x.(*tir.Var); ok {
			if _, known := c.vars[v]; !known {
				c.define(v)
			}
		}
		return true
	})
}

func (c *compiler) bindArgs(e *env, f *tir.PrimFunc, params []paramSlot, args []*dtype.Tensor) error {
	bad := func(i int, format string, a ...any) error {
		return &Error{Func: f.Name, Msg: fmt.Sprintf("argument %d: ", i) + fmt.Sprintf(format, a...)}
	}
	if len(args) != len(params) {
		return &Error{Func: f.Name, Msg: fmt.Sprintf("%d arguments for %d parameters", len(args), len(params))}
	}
	bound := map[*tir.Var]bool{}
	for i, p := range f.Params {
		if args[i] == nil {
			return bad(i, "no tensor")
		}
		if err := args[i].CheckBytes(); err != nil {
			return bad(i, "%v", err)
		}
		if v, ok := p.(*tir.Var); ok {
			if args[i].Type != v.Type || args[i].Len() != 1 {
				return bad(i, "parameter %s is one %s, the tensor is %s%v", v.Name, v.Type, args[i].Type, args[i].Shape)
			}
			bound[v] = true
			if v.Type.IsFloat() {
				e.floats[params[i].slot] = args[i].Float(0)
			} else {
				e.ints[params[i].slot] = args[i].Int(0)
			}
		}
	}
	for i, p := range f.Params {
		if b, ok := p.(*tir.Buffer); ok {
			if msg := c.bindShape(e, b, args[i], bound); msg != "" {
				return bad(i, "%s", msg)
			}
		}
	}
	for i, p := range params {
		if p.buffer == nil {
			continue
		}
		for d, dim := range p.shape {
			if want := dim(e, 0); want != args[i].Shape[d] {
				return bad(i, "dimension %d of %s is %d, the tensor has %d", d, p.buffer.Name, want, args[i].Shape[d])
			}
		}
		s := copyIn(p.buffer, args[i])
		if c.opt.Uninitialised || c.opt.Races {
			s.shadow = newShadow(int64(len(s.f)+len(s.i)), false, c.opt.Races)
		}
		e.bufs[p.slot] = s
	}
	return nil
}

// bindShape binds the variables that stand alone in b's shape, strides and
// offset; it returns what does not fit.
func (c *compiler) bindShape(e *env, b *tir.Buffer, t *dtype.Tensor, bound map[*tir.Var]bool) string {
	if t.Type != b.Type {
		return fmt.Sprintf("buffer %s is %s, the tensor is %s", b.Name, b.Type, t.Type)
	}
	if len(t.Shape) != len(b.Shape) {
		return fmt.Sprintf("buffer %s has %d dimensions, the tensor %d", b.Name, len(b.Shape), len(t.Shape))
	}
	set := func(x tir.Expr, n int64) {
		if v, ok := x.(*tir.Var); ok && !bound[v] {
			bound[v] = true
			e.ints[c.vars[v]] = n
		}
	}
	stride := int64(1)
	for d := len(b.Shape) - 1; d >= 0; d-- {
		set(b.Shape[d], t.Shape[d])
		if len(b.Strides) == len(b.Shape) {
			set(b.Strides[d], stride)
		}
		stride *= t.Shape[d]
	}
	set(b.ElemOffset, 0)
	return ""
}
