package cgen

import (
	"fmt"
	"strconv"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// maxStack is the largest buffer of scope "local" that stays on the stack;
// larger ones go to the workspace.
const maxStack = 64 << 10

// maxFrame bounds the arrays of one C function together: worker threads have
// small stacks.
const maxFrame = 1 << 20

// stmt emits a statement.
func (f *fn) stmt(s tir.Stmt) {
	switch s := s.(type) {
	case nil:
	case *tir.Seq:
		f.seq(s)
	case *tir.Store:
		f.store(s)
	case *tir.For:
		f.loop(s)
	case *tir.If:
		f.ifStmt(s)
	case *tir.Bind:
		f.bind(s.Var, s.Value)
	case *tir.AllocBuffer:
		f.alloc(s.Buffer)
	case *tir.AttrStmt:
		if it, ok := s.Node.(*tir.IterVar); ok {
			fail("launches of %s have no C form", it.Tag)
		}
		f.stmt(s.Body)
	case *tir.Evaluate:
		f.evaluate(s.Value)
	case *tir.While:
		f.while(s)
	case *tir.Assert:
		f.assert(s)
	case *tir.BlockRealize:
		fail("block %s is left: lower the function first", s.Block.Name)
	default:
		fail("%T statements have no C form", s)
	}
}

// seq emits statements in order; allocations end with the sequence.
func (f *fn) seq(s *tir.Seq) {
	top := f.k.top
	for rest := s.Stmts; len(rest) > 0; {
		n := f.bunch(rest)
		if n == 0 {
			f.stmt(rest[0])
		}
		rest = rest[max(1, n):]
	}
	f.k.top = top
}

// nested emits a statement as the body of a C block.
func (f *fn) nested(open string, s tir.Stmt) {
	top := f.k.top
	f.inBlock(open, func() { f.stmt(s) })
	f.k.top = top
}

func (f *fn) ifStmt(s *tir.If) {
	f.nested("if ("+f.value(s.Cond, 0, 1).text+")", s.Then)
	if s.Else != nil {
		f.nested("else", s.Else)
	}
}

// while evaluates its condition inside the loop, where its temporaries live.
func (f *fn) while(s *tir.While) {
	top := f.k.top
	f.inBlock("for (;;)", func() {
		f.line("if (!" + f.value(s.Cond, 0, 1).text + ") break;")
		f.stmt(s.Body)
	})
	f.k.top = top
}

func (f *fn) assert(s *tir.Assert) {
	if f.worker || f.k.pack {
		fail("assertion %q stands in a parallel loop or packing function: it cannot stop the kernel there", s.Message())
	}
	f.k.asserts = true
	f.line(fmt.Sprintf("if (!%s) return %d;", f.value(s.Cond, 0, 1).text, codeAssert))
}

// evaluate emits an expression for its effect. The only ones with an effect are
// prefetches.
func (f *fn) evaluate(e tir.Expr) {
	c, ok := e.(*tir.Call)
	if !ok {
		return
	}
	if c.Op != "prefetch" {
		fail("operator %q has no C form as a statement", c.Op)
	}
	if len(c.Args) == 0 {
		fail("prefetch lacks its address")
	}
	l, ok := c.Args[0].(*tir.Load)
	if !ok || f.place(l.Buffer).kind == inRegisters {
		fail("prefetch takes an element of a buffer in memory")
	}
	first, _, _ := f.lanesOf(l.Buffer, index(l.Buffer, l.Indices), 0)
	locality := int64(3)
	if len(c.Args) > 1 {
		if n, ok := tir.AsInt(c.Args[1]); ok && n >= 0 && n <= 3 {
			locality = n
		}
	}
	f.line(fmt.Sprintf("__builtin_prefetch(&%s[%s], 0, %d);", f.place(l.Buffer).name, f.subscript(first()), locality))
}

// bind defines a variable for what follows.
func (f *fn) bind(v *tir.Var, value tir.Expr) {
	lanes := int(v.Type.Lanes)
	x := &variable{bounds: everything}
	barrier := false
	if c, ok := value.(*tir.Call); ok && c.Op == "hone.barrier" && len(c.Args) == 1 {
		barrier, value = true, c.Args[0]
	}
	if lanes == 1 {
		val := f.value(value, 0, 1)
		x.name = f.k.names.fresh(v.Name)
		if v.Type.IsInt() {
			x.bounds = f.rangeOf(value)
		}
		f.define(computeElem(v.Type), 1, x.name, val.text, false)
	} else {
		x.parts = pieces(lanes, f.k.width)
		base := f.k.names.fresh(v.Name)
		for i, p := range x.parts {
			val := f.broadcast(f.value(value, p.off, p.n), p.n)
			e := computeElem(v.Type)
			if v.Type.IsBool() && p.n > 1 {
				val, e = f.mask(val, vectorBoolBits), intElem(vectorBoolBits, true)
			}
			name := base
			if len(x.parts) > 1 {
				name = f.k.names.fresh(base + "_" + strconv.Itoa(i))
			}
			x.names = append(x.names, name)
			f.define(e, p.n, name, val.text, barrier)
		}
	}
	x.depth = f.nextSegment()
	f.k.vars[v] = x
}

// define declares a C variable; barrier pins it into a vector register.
func (f *fn) define(e elem, n int, name, text string, barrier bool) {
	barrier = barrier && e.bits*n >= 128 && e.bits*n <= f.k.u.tgt.VectorBits
	qualifier := "const "
	if barrier {
		qualifier = ""
	}
	f.line(qualifier + f.k.u.vec(e, n) + " " + name + " = " + text + ";")
	if barrier {
		f.line(f.k.u.barrier(name))
	}
}

// alloc creates a buffer for what follows.
func (f *fn) alloc(b *tir.Buffer) {
	size := bufferSize(b)
	bytes := size * int64(storeElem(b.Type).bits/8)
	switch b.Scope {
	case "register":
		f.allocRegisters(b)
		return
	case "local":
		if bytes <= maxStack && f.onStack+bytes <= maxFrame {
			f.onStack += bytes
			p := &place{name: f.k.names.fresh(b.Name), elem: storeElem(b.Type), kind: onStack}
			f.k.buffers[b] = p
			f.line(fmt.Sprintf("%s %s[%d] __attribute__((aligned(64)));", p.elem.name, p.name, max(size, 1)))
			return
		}
	case "global", "":
	default:
		fail("buffer %s has scope %q, which a CPU does not have", b.Name, b.Scope)
	}
	p := &place{name: f.k.names.fresh(b.Name), elem: storeElem(b.Type)}
	f.k.buffers[b] = p
	base := "ws"
	if f.worker {
		base = "slice"
	}
	restrict := "restrict "
	if f.k.alias {
		restrict = ""
	}
	f.line(fmt.Sprintf("%s *%s%s = (%s *)(%s + %d);", p.elem.name, restrict, p.name, p.elem.name, base, f.k.reserve(bytes)))
}

// store writes a value, piece by piece for a vector. When the value reads the
// buffer it is written to, all pieces are computed before the first is stored.
func (f *fn) store(s *tir.Store) {
	p := f.place(s.Buffer)
	idx := index(s.Buffer, s.Indices)
	lanes := int(s.Buffer.Type.Lanes) * int(idx.DType().Lanes)
	if got := int(s.Value.DType().Lanes); got != lanes && got != 1 {
		fail("a value of %d lanes is stored to %d elements of %s", got, lanes, s.Buffer.Name)
	}
	parts := pieces(lanes, f.k.width)
	first := len(parts) > 1 && tir.LoadsFrom(s.Value, s.Buffer)
	values := make([]val, len(parts))
	emit := func(i int) {
		values[i] = f.broadcast(f.value(s.Value, parts[i].off, parts[i].n), parts[i].n)
		if s.Buffer.Type.IsBool() && !values[i].t.IsBool() {
			values[i] = f.convert(values[i], dtype.BoolType)
		}
	}
	if first {
		for i := range parts {
			emit(i)
			name := f.k.names.fresh("v")
			f.line(fmt.Sprintf("const %s %s = %s;", f.k.u.vec(values[i].elem(), parts[i].n), name, values[i].text))
			values[i].text, values[i].half = name, ""
		}
	}
	for i, q := range parts {
		if !first {
			emit(i)
		}
		f.storePiece(s.Buffer, p, idx, q, values[i])
	}
}

// storePiece writes the lanes of one piece.
func (f *fn) storePiece(b *tir.Buffer, p *place, idx tir.Expr, q piece, v val) {
	if p.kind == inRegisters {
		name, part := f.register(b, p, idx, q.off, q.n)
		if part != q {
			fail("register buffer %s is written in part", b.Name)
		}
		if v.maskBits > 0 {
			v = f.mask(v, vectorBoolBits)
		}
		f.line(name + " = " + v.text + ";")
		return
	}
	first, step, ok := f.lanesOf(b, idx, q.off)
	switch {
	case q.n == 1:
		f.line(fmt.Sprintf("%s[%s] = %s;", p.name, f.subscript(first()), f.toMemory(v)))
	case ok && step == 1:
		f.line(fmt.Sprintf("%s(&%s[%s], %s);", f.k.u.store(p.elem, q.n), p.name, f.subscript(first()), f.toMemory(v)))
	default:
		name := f.k.names.fresh("v")
		f.line(fmt.Sprintf("const %s %s = %s;", f.k.u.vec(p.elem, q.n), name, f.toMemory(v)))
		for l := range q.n {
			at, _, _ := f.lanesOf(b, idx, q.off+l)
			f.line(fmt.Sprintf("%s[%s] = %s[%d];", p.name, f.subscript(at()), name, l))
		}
	}
}
