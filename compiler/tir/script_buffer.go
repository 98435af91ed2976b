package tir

import (
	"strconv"
	"strings"

	"hone/compiler/dtype"
)

// bufferArgs prints the arguments that declare a buffer: shape, element type,
// then what is not the default. Parameters always name the type; allocations
// have no elem_offset variable of their own to define.
func (p *script) bufferArgs(b *Buffer, param, defines bool) string {
	args := []string{p.dims(b.Shape, defines)}
	if param || b.Type != dtype.Float32 {
		args = append(args, quote(b.Type.String()))
	}
	return strings.Join(append(args, p.bufferOptions(b, defines)...), ", ")
}

// declArgs prints the arguments that declare a buffer over a pointer.
func (p *script) declArgs(b *Buffer, data string) string {
	args := []string{p.dims(b.Shape, false)}
	if b.Type != dtype.Float32 {
		args = append(args, quote(b.Type.String()))
	}
	args = append(args, "data="+data)
	return strings.Join(append(args, p.bufferOptions(b, false)...), ", ")
}

func (p *script) bufferOptions(b *Buffer, defines bool) []string {
	var args []string
	if len(b.Strides) > 0 {
		args = append(args, "strides="+p.strides(b, defines))
	}
	offset, ownOffset := p.offset(b, defines)
	if offset != "" {
		args = append(args, "elem_offset="+offset)
	}
	if b.Scope != "global" && b.Scope != "" {
		args = append(args, "scope="+quote(b.Scope))
	}
	if b.Align != DefaultAlign && b.Align > 0 {
		args = append(args, "align="+strconv.Itoa(b.Align))
	}
	if b.OffsetFactor > 1 || ownOffset {
		args = append(args, "offset_factor="+strconv.Itoa(max(b.OffsetFactor, 1)))
	}
	return args
}

// offset prints elem_offset. A variable that nothing has defined yet is the
// buffer's own: an offset_factor declares it, and uses read `B.elem_offset`.
func (p *script) offset(b *Buffer, defines bool) (text string, own bool) {
	c, ok := b.ElemOffset.(*IntImm)
	if b.ElemOffset == nil || ok && c.Value == 0 && c.Type == b.OffsetType() {
		if b.OffsetFactor > 1 { // without it the factor would declare a variable
			return "0", false
		}
		return "", false
	}
	if v, ok := b.ElemOffset.(*Var); ok && defines && !p.known(v) {
		p.bind(v, p.name(b)+".elem_offset")
		return "", true
	}
	return p.expr(b.ElemOffset), false
}

// strides prints the strides tuple. A variable that nothing has defined yet is
// the buffer's own: its quoted name declares it, and uses read `B.strides[i]`.
func (p *script) strides(b *Buffer, defines bool) string {
	declare := p.onQuoted
	p.onQuoted = nil
	defer func() { p.onQuoted = declare }()
	out := make([]string, len(b.Strides))
	for i, e := range b.Strides {
		v, ok := e.(*Var)
		if !ok || !defines || p.known(v) {
			out[i] = p.dim(e, defines)
			continue
		}
		hint := legalName(v.Name)
		if p.used[hint] {
			out[i] = p.dim(e, defines)
			continue
		}
		out[i] = quote(hint)
		p.bind(v, p.name(b)+".strides["+strconv.Itoa(i)+"]")
	}
	return tuple(out)
}

// dims prints a shape. With defines, an entry that mentions a variable for the
// first time is quoted, which declares it.
func (p *script) dims(es []Expr, defines bool) string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = p.dim(e, defines)
	}
	return tuple(out)
}

func (p *script) dim(e Expr, defines bool) string {
	if !defines {
		return p.expr(e)
	}
	fresh, typed := false, false
	Walk(e, func(x Expr) bool {
		if v, ok := x.(*Var); ok {
			typed = typed || p.typeVar[v]
			if _, named := p.names[v]; !named {
				fresh = true
				p.define(v)
				if p.onQuoted != nil && !p.isParam[v] {
					p.onQuoted(v)
				}
			}
		}
		return true
	})
	_, alone := e.(*Var)
	s := p.expr(e)
	if fresh || typed && !alone {
		return quote(s)
	}
	return s
}

func tuple(items []string) string {
	if len(items) == 1 {
		return "(" + items[0] + ",)"
	}
	return "(" + strings.Join(items, ", ") + ")"
}

// region prints a box: extent 1 as an index, otherwise min:min + extent.
func (p *script) region(r Region) string {
	out := make([]string, len(r.Ranges))
	for i, x := range r.Ranges {
		out[i] = p.expr(x.Min)
		if !isOne(x.Extent) {
			out[i] += ":" + p.expr(Add(x.Min, x.Extent))
		}
	}
	if len(out) == 0 {
		out = []string{"()"}
	}
	return p.name(r.Buffer) + "[" + strings.Join(out, ", ") + "]"
}

func (p *script) regions(rs []Region) string {
	out := make([]string, len(rs))
	for i, r := range rs {
		out[i] = p.region(r)
	}
	return strings.Join(out, ", ")
}

func isOne(e Expr) bool { return IsConst(e, 1) }
