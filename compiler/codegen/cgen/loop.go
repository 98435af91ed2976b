package cgen

import (
	"fmt"
	"strings"

	"hone/compiler/tir"
)

// loop emits a loop by its kind. Unrolled loops are left to a pragma: what must
// be unrolled for its meaning has been unrolled before.
func (f *fn) loop(s *tir.For) {
	switch s.Kind {
	case tir.ThreadBinding:
		fail("loop %s is bound to a thread, which a CPU does not have", s.Var.Name)
	case tir.Parallel:
		if f.worker {
			fail("loop %s is parallel inside a parallel loop", s.Var.Name)
		}
		if !f.k.pack {
			f.parallel(s)
			return
		}
	}
	f.serial(s)
}

func (f *fn) serial(s *tir.For) {
	lo, ext := f.linear(s.Min), f.linear(s.Extent)
	step := int64(1)
	if s.Step != nil {
		n, ok := tir.AsInt(s.Step)
		if !ok || n < 1 {
			fail("loop %s has a step that is not a positive constant", s.Var.Name)
		}
		step = n
	}
	if len(ext.terms) == 0 && ext.c <= 0 {
		return
	}
	if len(ext.terms) == 0 && ext.c <= step {
		f.once(s, lo)
		return
	}
	x := &variable{name: f.k.names.fresh(s.Var.Name), loop: true, bounds: f.loopBounds(s)}
	end := lin{c: lo.c, terms: append([]term{}, lo.terms...)}
	end.add(ext, 1)
	advance := x.name + "++"
	if step != 1 {
		advance = fmt.Sprintf("%s += %d", x.name, step)
	}
	open := fmt.Sprintf("for (i64 %s = %s; %s < %s; %s)", x.name, f.subscript(lo), x.name, f.subscript(end), advance)
	if s.Kind == tir.Unrolled && len(ext.terms) == 0 && ext.c <= maxPragmaUnroll {
		f.line(fmt.Sprintf("_Pragma(\"GCC unroll %d\")", ext.c))
	}
	top := f.k.top
	b := &block{open: open}
	f.enter(b)
	x.depth = f.depth()
	f.k.vars[s.Var] = x
	f.stmt(s.Body)
	f.leave()
	f.put(b)
	f.k.top = top
}

// maxPragmaUnroll is the largest factor that is asked of the C compiler.
const maxPragmaUnroll = 64

// once emits the body of a loop of one iteration; the variable is its value.
func (f *fn) once(s *tir.For, lo lin) {
	f.k.vars[s.Var] = &variable{fixed: &lo, bounds: f.rangeOf(s.Min)}
	f.nested("", s.Body)
}

// loopBounds bounds the values of a loop variable.
func (f *fn) loopBounds(s *tir.For) interval {
	lo, n := f.rangeOf(s.Min), f.rangeOf(s.Extent)
	return interval{lo.lo, max(lo.lo, lo.add(n).add(point(-1)).hi)}
}

// parallel outlines a loop into a function of a range of iterations and calls
// the runtime once. Pointers travel in a struct and arrive as restrict
// parameters, which compilers trust more than local pointers.
func (f *fn) parallel(s *tir.For) {
	k := f.k
	if s.Step != nil && !tir.IsConst(s.Step, 1) {
		fail("parallel loop %s has a step", s.Var.Name)
	}
	id := k.loops
	k.loops++
	bufs, vars := k.captured(s.Body)
	bufs, vars = f.withBounds(s, bufs, vars)
	lo, ext := f.linear(s.Min), f.linear(s.Extent)

	saved := map[*tir.Var]variable{}
	for _, v := range vars {
		saved[v] = *k.vars[v]
		k.vars[v].depth = 0
	}
	base := k.top
	k.top = 0
	peak := k.peak
	k.peak = 0
	g := newFn(k, "")
	g.worker = true
	start, end := "lo", "hi"
	x := &variable{name: k.names.fresh(s.Var.Name), loop: true, bounds: f.loopBounds(s)}
	if len(lo.terms) > 0 || lo.c != 0 {
		first := g.sum(g.linear(s.Min))
		start, end = first+" + lo", first+" + hi"
	}
	b := &block{open: fmt.Sprintf("for (i64 %s = %s; %s < %s; %s++)", x.name, start, x.name, end, x.name)}
	g.enter(b)
	x.depth = g.depth()
	k.vars[s.Var] = x
	g.stmt(s.Body)
	g.leave()
	g.put(b)
	g.leave()
	slice := k.peak
	k.top, k.peak = base, peak
	offset := int64(0)
	if slice > 0 {
		k.workers = true
		offset = k.reserve(slice * int64(max(1, k.u.tgt.Threads)))
		k.top = base
	}
	for _, v := range vars {
		*k.vars[v] = saved[v]
	}
	k.outlined = append(k.outlined, outline{k: k, id: id, fn: g, bufs: bufs, vars: vars, slice: slice, offset: offset}.text())
	f.callParallel(id, bufs, vars, slice > 0, ext)
}

// withBounds adds the variables in the bounds of the loop.
func (f *fn) withBounds(s *tir.For, bufs []*tir.Buffer, vars []*tir.Var) ([]*tir.Buffer, []*tir.Var) {
	have := map[*tir.Var]bool{}
	for _, v := range vars {
		have[v] = true
	}
	tir.Walk(s.Min, func(e tir.Expr) bool {
		if v, ok := e.(*tir.Var); ok && !have[v] && f.k.vars[v] != nil && f.k.vars[v].fixed == nil {
			have[v] = true
			vars = append(vars, v)
		}
		if l, ok := e.(*tir.Load); ok {
			fail("parallel loop %s begins at an element of %s", s.Var.Name, l.Buffer.Name)
		}
		return true
	})
	for _, b := range bufs {
		if k := f.k.buffers[b].kind; k != inMemory {
			fail("parallel loop %s uses %s, which lives on the stack of another thread", s.Var.Name, b.Name)
		}
	}
	for _, v := range vars {
		if f.k.vars[v].parts != nil {
			fail("parallel loop %s uses the vector variable %s of an outer scope", s.Var.Name, v.Name)
		}
	}
	return bufs, vars
}

// callParallel emits the environment and the call of the runtime.
func (f *fn) callParallel(id int, bufs []*tir.Buffer, vars []*tir.Var, slice bool, ext lin) {
	k := f.k
	var fields []string
	for _, b := range bufs {
		fields = append(fields, k.buffers[b].name)
	}
	for _, v := range vars {
		fields = append(fields, k.vars[v].name)
	}
	if slice {
		fields = append(fields, "ws")
	}
	if len(fields) == 0 {
		fields = []string{"0"}
	}
	f.inBlock("", func() {
		f.line(fmt.Sprintf("%s_env%d e = {%s};", k.symbol, id, strings.Join(fields, ", ")))
		f.line(fmt.Sprintf("rt->parallel(rt->ctx, %s_body%d, &e, %s);", k.symbol, id, f.sum(ext)))
	})
}

// outline is a parallel loop as functions of its own.
type outline struct {
	k             *kernel
	id            int
	fn            *fn
	bufs          []*tir.Buffer
	vars          []*tir.Var
	slice, offset int64
}

// text is the environment, the loop function and the body that the runtime
// calls.
func (o outline) text() string {
	k := o.k
	var fields, params, args []string
	params = append(params, "i64 lo", "i64 hi")
	args = append(args, "lo", "hi")
	add := func(field, param, name string) {
		fields = append(fields, field+";")
		params = append(params, param)
		args = append(args, "e->"+name)
	}
	for _, b := range o.bufs {
		name := k.buffers[b].name
		add(strings.ReplaceAll(k.pointer(b, name), "restrict ", ""), k.pointer(b, name), name)
	}
	for _, v := range o.vars {
		x := k.vars[v]
		ct := "i64"
		if !x.loop {
			ct = computeElem(v.Type).name
		}
		add(ct+" "+x.name, ct+" "+x.name, x.name)
	}
	if o.slice > 0 {
		fields = append(fields, "u8 *ws;")
		params = append(params, "u8 *slice")
		args = append(args, fmt.Sprintf("e->ws + %d + worker * %d", o.offset, o.slice))
	}
	if len(fields) == 0 {
		fields = []string{"int unused;"}
	}
	var w strings.Builder
	fmt.Fprintf(&w, "typedef struct { %s } %s_env%d;\n", strings.Join(fields, " "), k.symbol, o.id)
	o.fn.root.open = fmt.Sprintf("static __attribute__((noinline)) void %s_loop%d(%s)", k.symbol, o.id, strings.Join(params, ", "))
	o.fn.root.write(&w, "")
	fmt.Fprintf(&w, "static void %s_body%d(void *env, i64 lo, i64 hi, i32 worker) {\n  const %s_env%d *e = env;\n  (void)e, (void)worker;\n  %s_loop%d(%s);\n}\n",
		k.symbol, o.id, k.symbol, o.id, k.symbol, o.id, strings.Join(args, ", "))
	return w.String()
}
