package graph

import (
	"strconv"
	"strings"
)

// node reads `%1: T, %2: T = op(%0, …) {attrs} @group "name"`.
func (p *parser) node() {
	var ids []int64
	var types []Type
	for {
		ids = append(ids, p.valueID())
		p.expect(":")
		types = append(types, p.typ())
		if !p.accept(",") {
			break
		}
	}
	p.expect("=")
	op, err := Lookup(p.next())
	if p.err == nil && err != nil {
		p.fail("%v", err)
	}
	p.expect("(")
	var in []ValueID
	for p.err == nil && !p.accept(")") {
		in = append(in, p.value())
		if !p.at(")") {
			p.expect(",")
		}
	}
	attrs := p.attrs()
	group := NoGroup
	if p.accept("@") {
		group = int32(p.integer())
	}
	name := ""
	if p.err == nil && !p.at("") {
		name = p.quoted()
	}
	if p.err != nil {
		return
	}
	outs, err := p.g.Add(op, name, attrs, in...)
	if err != nil {
		p.fail("%v", err)
		return
	}
	if len(outs) != len(ids) {
		p.fail("%s has %d results, not %d", op.Name, len(outs), len(ids))
		return
	}
	p.g.Nodes[len(p.g.Nodes)-1].Group = group
	for i, v := range outs {
		if !p.g.Type(v).SameLogical(types[i]) {
			p.fail("%s gives %s, not %s", op.Name, p.g.Type(v), types[i])
		}
		p.g.Values[v].Type = types[i]
		p.define(ids[i], v)
	}
}

func (p *parser) attrs() Attrs {
	var a Attrs
	if !p.accept("{") {
		return a
	}
	for p.err == nil && !p.accept("}") {
		key := p.next()
		p.expect("=")
		a = a.With(key, p.attrValue())
		if !p.at("}") {
			p.expect(",")
		}
	}
	return a
}

func (p *parser) attrValue() any {
	if !p.accept("[") {
		return p.scalar()
	}
	var vals []any
	for p.err == nil && !p.accept("]") {
		vals = append(vals, p.scalar())
		if !p.at("]") {
			p.expect(",")
		}
	}
	if len(vals) == 0 {
		return []int64{}
	}
	switch vals[0].(type) {
	case float64:
		return listOf[float64](p, vals)
	case string:
		return listOf[string](p, vals)
	}
	return listOf[int64](p, vals)
}

func listOf[T any](p *parser, vals []any) []T {
	out := make([]T, len(vals))
	for i, v := range vals {
		t, ok := v.(T)
		if !ok {
			p.fail("a list mixes types")
		}
		out[i] = t
	}
	return out
}

func (p *parser) scalar() any {
	t := p.next()
	switch {
	case t == "true" || t == "false":
		return t == "true"
	case strings.HasPrefix(t, `"`):
		s, _ := strconv.Unquote(t)
		return s
	case !strings.ContainsAny(t, ".eIN"):
		n, err := strconv.ParseInt(t, 10, 64)
		if err != nil {
			p.fail("%q is not a value", t)
		}
		return n
	}
	f, err := strconv.ParseFloat(t, 64)
	if err != nil {
		p.fail("%q is not a value", t)
	}
	return f
}
