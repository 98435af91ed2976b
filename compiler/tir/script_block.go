package tir

import "strings"

func (p *script) block(s *BlockRealize) {
	b := s.Block
	p.line("with T.sblock(" + quote(b.Name) + "):")
	p.indent++
	p.push()
	p.axes(s)
	if !IsConst(s.Predicate, 1) {
		p.line("T.where(" + p.expr(s.Predicate) + ")")
	}
	p.line("T.reads(" + p.regions(b.Reads) + ")")
	p.line("T.writes(" + p.regions(b.Writes) + ")")
	if len(b.Ann) > 0 {
		p.line("T.sblock_attr(" + p.value(b.Ann) + ")")
	}
	p.allocs(b)
	for _, m := range b.Matches {
		source := p.region(m.Source)
		name := p.define(m.Buffer)
		p.line(name + " = T.match_buffer(" + source + ", " + p.bufferArgs(m.Buffer, false, true) + ")")
	}
	if b.Init != nil {
		p.line("with T.init():")
		p.nested(b.Init)
	}
	p.whole(b.Body)
	p.pop()
	p.indent--
}

func (p *script) allocs(b *Block) {
	for _, x := range b.Allocs {
		name := p.define(x)
		p.line(name + " = T.sblock_alloc_buffer(" + p.bufferArgs(x, false, false) + ")")
	}
}

var axisNames = map[IterKind]string{Spatial: "spatial", Reduce: "reduce", Ordered: "scan", Opaque: "opaque", Thread: "opaque"}

// axes prints the iterators, runs of plain ones as T.axis.remap.
func (p *script) axes(s *BlockRealize) {
	iters := s.Block.Iters
	for i := 0; i < len(iters); {
		n := 0
		for i+n < len(iters) && p.remappable(iters[i+n], s.Values[i+n]) {
			n++
		}
		if n < 2 {
			p.axis(iters[i], s.Values[i])
			i++
			continue
		}
		vars, binds, kinds := make([]string, n), make([]string, n), make([]byte, n)
		for j, it := range iters[i : i+n] {
			binds[j] = p.expr(s.Values[i+j])
			kinds[j] = 'S'
			if it.Kind == Reduce {
				kinds[j] = 'R'
			}
		}
		for j, it := range iters[i : i+n] {
			vars[j] = p.define(it.Var)
		}
		p.line(strings.Join(vars, ", ") + " = T.axis.remap(" + quote(string(kinds)) + ", [" + strings.Join(binds, ", ") + "])")
		i += n
	}
}

func (p *script) axis(it *IterVar, value Expr) {
	dom := p.expr(it.Dom.Extent)
	if !IsConst(it.Dom.Min, 0) {
		dom = "(" + p.expr(it.Dom.Min) + ", " + p.expr(Add(it.Dom.Min, it.Dom.Extent)) + ")"
	}
	bind := p.expr(value)
	p.line(p.define(it.Var) + " = T.axis." + axisNames[it.Kind] + "(" + dom + ", " + bind + ")")
}

// remappable reports whether T.axis.remap says everything about an iterator: it
// is bound to the variable of a loop around it with the same domain.
func (p *script) remappable(it *IterVar, value Expr) bool {
	v, ok := value.(*Var)
	if !ok || it.Kind != Spatial && it.Kind != Reduce {
		return false
	}
	l := p.loops[v]
	return l != nil && v.Type == it.Var.Type && EqualExpr(l.Min, it.Dom.Min) && EqualExpr(l.Extent, it.Dom.Extent)
}
