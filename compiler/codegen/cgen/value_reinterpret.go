package cgen

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// reinterpret reads the bits of a value as another type of as many bits: lanes may
// join to wider ones or fall apart.
func (f *fn) reinterpret(e *tir.Call, off, n int) val {
	if len(e.Args) != 1 {
		fail("reinterpret takes one argument, got %d", len(e.Args))
	}
	a := e.Args[0]
	from, to := a.DType(), e.Type
	if int(from.Bits)*int(from.Lanes) != int(to.Bits)*int(to.Lanes) || isHalf(from) || isHalf(to) || from.IsBool() || to.IsBool() {
		fail("reinterpret from %s to %s has no form in C", from, to)
	}
	el := computeElem(to.Element())
	out := val{t: to.Element(), n: n}
	if from.Lanes == to.Lanes {
		v := f.value(a, off, n)
		out.text = f.k.u.pun("hone_from_"+v.elem().name+"_", v.elem(), el, n) + "(" + v.text + ")"
		return out
	}
	if from.Bits > to.Bits && off*int(to.Bits)%int(from.Bits)+n*int(to.Bits)%int(from.Bits) != 0 {
		return f.byLanes(out.t, off, n, func(l int) val { return f.partOf(a, to, l) })
	}
	at, count := off*int(to.Bits)/int(from.Bits), n*int(to.Bits)/int(from.Bits)
	if text, ok := f.loadAs(a, at, count, el, n); ok {
		out.text = text
		return out
	}
	v := f.broadcast(f.value(a, at, count), count)
	out.text = f.k.u.regroup(v.elem(), count, el, n) + "(" + v.text + ")"
	return out
}

// partOf is lane l of type t of a value with wider lanes.
func (f *fn) partOf(a tir.Expr, t dtype.DType, l int) val {
	k := int(a.DType().Bits) / int(t.Bits)
	v := f.value(a, l/k, 1)
	el := computeElem(t.Element())
	return val{text: fmt.Sprintf("%s(%s)[%d]", f.k.u.regroup(v.elem(), 1, el, k), v.text, l%k), t: t.Element(), n: 1}
}

// loadAs reads consecutive elements of memory at once as n lanes of another type.
func (f *fn) loadAs(a tir.Expr, at, count int, el elem, n int) (string, bool) {
	ld, ok := a.(*tir.Load)
	if !ok {
		return "", false
	}
	p := f.place(ld.Buffer)
	if p.kind == inRegisters {
		return "", false
	}
	first, step, ok := f.lanesOf(ld.Buffer, index(ld.Buffer, ld.Indices), at)
	if !ok || step != 1 || count < 2 {
		return "", false
	}
	helper := ""
	if n > 1 {
		helper = f.k.u.load(el, n)
	} else {
		helper = f.k.u.loadWord(el)
	}
	return fmt.Sprintf("%s(&%s[%s])", helper, p.name, f.subscript(first())), true
}

// loadWord is the helper that reads a scalar from any address.
func (u *unit) loadWord(e elem) string {
	name := "ldw_" + e.name
	return u.add(name, func() string {
		return fmt.Sprintf("%s%s %s(const void *p) { typedef %s w __attribute__((aligned(1), may_alias)); return *(const w *)p; }\n", inline, e.name, name, e.name)
	})
}

// regroup is the helper that reads the bits of count lanes as n lanes of another
// width; one lane is a scalar.
func (u *unit) regroup(from elem, count int, to elem, n int) string {
	a, b := u.vec(from, count), u.vec(to, n)
	name := "hone_regroup_" + a + "_" + b
	return u.add(name, func() string {
		if count > 1 && n > 1 {
			return fmt.Sprintf("%s%s %s(%s x) { return (%s)x; }\n", inline, b, name, a, b)
		}
		return fmt.Sprintf("%s%s %s(%s x) { union { %s a; %s b; } p = {x}; return p.b; }\n", inline, b, name, a, a, b)
	})
}
