package interp

import (
	"hone/compiler/tir"
)

// blockScope is a block around the code being compiled.
type blockScope struct {
	block *tir.Block
	owned map[*tir.Buffer]bool // allocated by the block
	views map[*tir.Buffer]tir.Region
	reads []checkedRegion
	write []checkedRegion
}

func (c *compiler) block(s *tir.BlockRealize) stmtFn {
	b, at := s.Block, c.at
	if len(b.Iters) != len(s.Values) {
		c.reject("block %q has %d iterators and %d bindings", b.Name, len(b.Iters), len(s.Values))
		return func(*env) {}
	}
	pred := c.intExpr(s.Predicate)
	always := tir.IsConst(s.Predicate, 1)
	values := c.ints(s.Values)
	inner := &site{fn: c.at.fn, block: b.Name}
	bind := c.iterators(b, values, inner)
	atStart := reduceAtStart(c, b)

	c.at = inner
	scope := &blockScope{block: b, owned: map[*tir.Buffer]bool{}, views: map[*tir.Buffer]tir.Region{}}
	enter := c.enter(scope)
	c.scopes = append(c.scopes, scope)
	init, body := c.stmt(b.Init), c.stmt(b.Body)
	c.scopes = c.scopes[:len(c.scopes)-1]
	c.at = at
	return func(e *env) {
		if !always && pred(e, 0) == 0 {
			return
		}
		bind(e)
		for _, f := range enter {
			f(e)
		}
		if e.err != nil {
			return
		}
		if b.Init != nil && atStart(e) {
			init(e)
		}
		body(e)
	}
}

// iterators compiles the binding of b's iterators; a value outside of its
// domain is a fault.
func (c *compiler) iterators(b *tir.Block, values []intFn, inner *site) stmtFn {
	type iter struct {
		slot    int
		name    string
		min     intFn
		extent  intFn
		nMin, n int64 // when constant
		static  bool
		value   intFn
	}
	iters := make([]iter, len(b.Iters))
	for i, it := range b.Iters {
		x := iter{name: it.Var.Name, min: c.intExpr(it.Dom.Min), extent: c.intExpr(it.Dom.Extent), value: values[i]}
		lo, ok1 := tir.AsInt(it.Dom.Min)
		n, ok2 := tir.AsInt(it.Dom.Extent)
		x.nMin, x.n, x.static = lo, n, ok1 && ok2
		iters[i] = x
	}
	for i, it := range b.Iters {
		iters[i].slot = c.define(it.Var)
		inner.iters = append(inner.iters, namedSlot{it.Var.Name, iters[i].slot})
	}
	tmp := make([]int64, len(iters))
	return func(e *env) {
		for i := range iters {
			tmp[i] = iters[i].value(e, 0)
		}
		for i := range iters {
			e.ints[iters[i].slot] = tmp[i]
		}
		for i := range iters {
			it := &iters[i]
			lo, n := it.nMin, it.n
			if !it.static {
				lo, n = it.min(e, 0), it.extent(e, 0)
			}
			if tmp[i] < lo || tmp[i] >= lo+n {
				e.fail(inner, "iterator %s is %d, outside of its domain [%d, %d)", it.name, tmp[i], lo, lo+n)
			}
		}
	}
}

// reduceAtStart tells whether every reduce iterator is at its start.
func reduceAtStart(c *compiler, b *tir.Block) func(e *env) bool {
	var slots []int
	var mins []intFn
	for _, it := range b.Iters {
		if it.Kind == tir.Reduce {
			slots, mins = append(slots, c.define(it.Var)), append(mins, c.intExpr(it.Dom.Min))
		}
	}
	return func(e *env) bool {
		for i, slot := range slots {
			if e.ints[slot] != mins[i](e, 0) {
				return false
			}
		}
		return true
	}
}

// enter compiles what happens before a block's body: match buffers, then
// allocations, then the regions to check against.
func (c *compiler) enter(scope *blockScope) []stmtFn {
	var out []stmtFn
	for _, b := range scope.block.Allocs {
		scope.owned[b] = true
		out = append(out, c.allocate(b, false))
	}
	if c.opt.Regions {
		scope.reads = c.checked(scope.block.Reads, &out)
		scope.write = c.checked(scope.block.Writes, &out)
	}
	for _, m := range scope.block.Matches {
		scope.views[m.Buffer] = m.Source
		out = append(out, c.match(m))
	}
	return out
}

// match compiles a match buffer: a view of its source, whose free shape, stride
// and offset variables it binds.
func (c *compiler) match(m tir.MatchRegion) stmtFn {
	src, ok := c.bufs[m.Source.Buffer]
	if !ok {
		c.reject("match buffer %s: buffer %s is not defined here", m.Buffer.Name, m.Source.Buffer.Name)
		return func(*env) {}
	}
	v := viewCode{at: c.at, name: m.Buffer.Name}
	for _, r := range m.Source.Ranges {
		v.mins, v.extents = append(v.mins, c.intExpr(r.Min)), append(v.extents, c.intExpr(r.Extent))
	}
	binds := c.viewVars(m.Buffer)
	shape, slot := c.ints(m.Buffer.Shape), c.defineBuffer(m.Buffer)
	v.rank = len(shape)
	if m.Buffer.Type != m.Source.Buffer.Type || v.rank > len(v.mins) {
		c.reject("match buffer %s does not fit its source %s", v.name, m.Source.Buffer.Name)
	}
	return func(e *env) {
		view := v.view(e, e.bufs[src])
		if view == nil {
			return
		}
		for _, b := range binds {
			e.ints[b.slot] = b.f(view)
		}
		for d, f := range shape {
			if n := f(e, 0); n != view.shape[d] {
				e.fail(v.at, "match buffer %s has extent %d in dimension %d, its region %d", v.name, n, d, view.shape[d])
				return
			}
		}
		e.bufs[slot] = view
	}
}

// viewVar is a variable that a match buffer defines.
type viewVar struct {
	slot int
	f    func(s *storage) int64
}

// viewVars defines the variables that stand alone in b's shape, strides and
// offset and have no value yet.
func (c *compiler) viewVars(b *tir.Buffer) []viewVar {
	var out []viewVar
	free := func(x tir.Expr, f func(s *storage) int64) {
		if v, ok := x.(*tir.Var); ok {
			if _, known := c.vars[v]; !known {
				out = append(out, viewVar{c.define(v), f})
			}
		}
	}
	for d, x := range b.Shape {
		free(x, func(s *storage) int64 { return s.shape[d] })
	}
	for d, x := range b.Strides {
		free(x, func(s *storage) int64 { return s.strides[d] })
	}
	free(b.ElemOffset, func(s *storage) int64 { return s.offset })
	return out
}

// viewCode computes the view of a region; its first dimensions beyond rank are
// dropped.
type viewCode struct {
	at            *site
	name          string
	mins, extents []intFn
	rank          int
}

// view returns nil after a fault.
func (v viewCode) view(e *env, s *storage) *storage {
	out := &storage{f: s.f, i: s.i, lanes: s.lanes, offset: s.offset, shadow: s.shadow}
	lead := len(v.mins) - v.rank
	for d := range v.mins {
		lo, n := v.mins[d](e, 0), v.extents[d](e, 0)
		if lo < 0 || n < 0 || lo+n > s.shape[d] {
			e.fail(v.at, "match buffer %s takes [%d, %d) of dimension %d of its source, which has %d", v.name, lo, lo+n, d, s.shape[d])
			return nil
		}
		out.offset += lo * s.strides[d]
		out.mins = append(out.mins, lo)
		if d >= lead {
			out.shape, out.strides = append(out.shape, n), append(out.strides, s.strides[d])
		} else if n != 1 {
			e.fail(v.at, "match buffer %s drops dimension %d of its source, which has extent %d", v.name, d, n)
			return nil
		}
	}
	return out
}
