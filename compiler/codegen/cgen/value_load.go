package cgen

import (
	"fmt"
	"strconv"

	"hone/compiler/tir"
)

// place looks up a buffer in scope.
func (f *fn) place(b *tir.Buffer) *place {
	p := f.k.buffers[b]
	if p == nil {
		fail("buffer %s is used outside its scope", b.Name)
	}
	return p
}

func index(b *tir.Buffer, indices []tir.Expr) tir.Expr {
	switch len(indices) {
	case 0:
		return tir.Int(0)
	case 1:
		return indices[0]
	}
	fail("buffer %s is accessed with %d indices: flatten it first", b.Name, len(indices))
	return nil
}

// load reads n lanes of an access from lane off on.
func (f *fn) load(e *tir.Load, off, n int) val {
	p := f.place(e.Buffer)
	t := e.Buffer.Type.Element()
	idx := index(e.Buffer, e.Indices)
	if p.kind == inRegisters {
		return f.loadRegister(e.Buffer, p, idx, off, n)
	}
	first, step, ok := f.lanesOf(e.Buffer, idx, off)
	switch {
	case n == 1:
		return f.fromMemory(val{text: fmt.Sprintf("%s[%s]", p.name, f.subscript(first())), t: t, n: 1})
	case ok && step == 1:
		v := val{text: fmt.Sprintf("%s(&%s[%s])", f.k.u.load(p.elem, n), p.name, f.subscript(first())), t: t, n: n}
		return f.fromMemory(v)
	case ok && step == 0:
		return f.broadcast(f.load(e, off, 1), n)
	}
	return f.byLanes(t, off, n, func(l int) val { return f.load(e, l, 1) })
}

// lanesOf describes the element indices of an access from lane off on: the
// first one, and the step to the next when it is a known constant.
func (f *fn) lanesOf(b *tir.Buffer, idx tir.Expr, off int) (first func() lin, step int64, ok bool) {
	wide := int(b.Type.Lanes)
	if idx.DType().Lanes == 1 {
		return func() lin {
			out := constant(int64(off))
			out.add(f.linear(idx), int64(wide))
			return out
		}, 1, true
	}
	if wide > 1 {
		fail("buffer %s of %s is indexed by a vector", b.Name, b.Type)
	}
	base, stride, isRamp := asRamp(idx)
	if !isRamp {
		return func() lin { return f.linear(f.laneOf(idx, off)) }, 0, false
	}
	step, ok = tir.AsInt(stride)
	return func() lin {
		out := f.linear(base)
		shift := f.linear(stride)
		sum := lin{c: out.c, terms: append([]term{}, out.terms...)}
		sum.add(shift, int64(off))
		return sum
	}, step, ok
}

// laneOf is one lane of a vector of integers as a scalar expression.
func (f *fn) laneOf(e tir.Expr, l int) tir.Expr {
	if e.DType().Lanes == 1 {
		return e
	}
	switch e := e.(type) {
	case *tir.Ramp:
		return tir.Add(e.Base, tir.Mul(e.Stride, tir.IntOf(int64(l), e.Base.DType())))
	case *tir.Broadcast:
		return e.Value
	case *tir.Binary:
		return tir.NewBinary(e.Op, f.laneOf(e.A, l), f.laneOf(e.B, l))
	case *tir.Cast:
		return tir.NewCast(e.Type.Element(), f.laneOf(e.Value, l))
	case *tir.Select:
		return &tir.Select{Cond: f.laneOf(e.Cond, l), Then: f.laneOf(e.Then, l), Else: f.laneOf(e.Else, l)}
	case *tir.Load:
		return &tir.Load{Buffer: e.Buffer, Indices: []tir.Expr{f.laneOf(index(e.Buffer, e.Indices), l)}}
	}
	fail("a vector index contains %T", e)
	return nil
}

// subscript spells an element index without outer parentheses.
func (f *fn) subscript(l lin) string {
	s := f.sum(l)
	if len(s) > 1 && s[0] == '(' && s[len(s)-1] == ')' && balanced(s[1:len(s)-1]) {
		return s[1 : len(s)-1]
	}
	return s
}

func balanced(s string) bool {
	depth := 0
	for _, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// fromMemory turns stored bits into a value: halves widen, bytes become masks.
func (f *fn) fromMemory(v val) val {
	switch {
	case isHalf(v.t):
		v.half = v.text
		v.text = f.k.u.widen(v.t, v.n) + "(" + v.text + ")"
	case v.t.IsBool() && v.n > 1:
		v.maskBits = 8
		f.k.u.vec(intElem(8, true), v.n)
		v.text = "(" + v.text + " != 0)"
	case v.t.IsBool():
		v.text = "(" + v.text + " != 0)"
	}
	return v
}

// toMemory turns a value into the bits that are stored.
func (f *fn) toMemory(v val) string {
	switch {
	case isHalf(v.t) && v.half != "":
		return v.half
	case isHalf(v.t):
		return f.k.u.narrow(v.t, v.n) + "(" + v.text + ")"
	case v.t.IsBool() && v.n > 1:
		return fmt.Sprintf("__builtin_convertvector(%s, %s)", f.asNumber(v).text, f.k.u.vec(u8, v.n))
	}
	return v.text
}

// loadRegister reads lanes of a register buffer.
func (f *fn) loadRegister(b *tir.Buffer, p *place, idx tir.Expr, off, n int) val {
	t := b.Type.Element()
	name, part := f.register(b, p, idx, off, n)
	v := val{text: name, t: t, n: part.n}
	if t.IsBool() && part.n > 1 {
		v.maskBits = vectorBoolBits
	}
	if part.n == n {
		return v
	}
	return f.lane(v, off-part.off)
}

// register names the C variable that holds lanes of an element.
func (f *fn) register(b *tir.Buffer, p *place, idx tir.Expr, off, n int) (string, piece) {
	i, ok := tir.AsInt(idx)
	if !ok {
		if l := f.linear(idx); len(l.terms) == 0 && idx.DType().Lanes == 1 {
			i, ok = l.c, true
		}
	}
	names := p.regs[i]
	if !ok || names == nil {
		fail("register buffer %s is indexed by something other than a constant in range", b.Name)
	}
	for j, q := range pieces(int(b.Type.Lanes), f.k.width) {
		if q.off == off && q.n == n || n == 1 && off >= q.off && off < q.off+q.n {
			return names[j], q
		}
	}
	fail("register buffer %s has no lanes %d to %d in one piece", b.Name, off, off+n)
	return "", piece{}
}

// allocRegisters declares one C variable per piece of every element.
func (f *fn) allocRegisters(b *tir.Buffer) {
	size := bufferSize(b) / int64(b.Type.Lanes)
	if size > maxRegisters {
		fail("register buffer %s has %d elements, at most %d are possible", b.Name, size, maxRegisters)
	}
	p := &place{name: "r" + strconv.Itoa(f.k.registers), elem: computeElem(b.Type), kind: inRegisters, regs: map[int64][]string{}}
	f.k.registers++
	e := p.elem
	parts := pieces(int(b.Type.Lanes), f.k.width)
	for i := range size {
		for j, q := range parts {
			name := fmt.Sprintf("%s_%d", p.name, i)
			if len(parts) > 1 {
				name = fmt.Sprintf("%s_%d_%d", p.name, i, j)
			}
			name = f.k.names.fresh(name)
			ct := e
			if b.Type.IsBool() && q.n > 1 {
				ct = intElem(vectorBoolBits, true)
			}
			f.line(f.k.u.vec(ct, q.n) + " " + name + ";")
			p.regs[i] = append(p.regs[i], name)
		}
	}
	f.k.buffers[b] = p
}

// maxRegisters bounds the variables of one register buffer; more would not
// compile in reasonable time.
const maxRegisters = 1024
