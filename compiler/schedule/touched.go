package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// touched infers the regions of one block from its initialiser and body: per
// buffer, in the order of first appearance, the hull of all accesses, where
// loops inside the block run and everything else is a constant. Buffers that
// the block allocates do not count; one that the initialiser writes is not read.
type touched struct {
	r             relaxer
	own           []*tir.Buffer
	reads, writes []access
}

type access struct {
	buf *tir.Buffer
	ins []interval
}

func inferRegions(b *tir.Block) (reads, writes []tir.Region) {
	t := &touched{r: relaxer{a: arith.NewAnalyzer()}, own: b.Allocs}
	t.stmt(b.Init)
	inited := make([]*tir.Buffer, len(t.writes))
	for i, w := range t.writes {
		inited[i] = w.buf
	}
	t.stmt(b.Body)
	if b.Init != nil {
		t.reads = slices.DeleteFunc(t.reads, func(a access) bool { return slices.Contains(inited, a.buf) })
	}
	return t.regions(t.reads), t.regions(t.writes)
}

func (t *touched) regions(list []access) []tir.Region {
	out := make([]tir.Region, len(list))
	for i, a := range list {
		full := fullRegion(a.buf)
		for d, in := range a.ins {
			if in.bounded() {
				full[d] = in.rangeOf(t.r.a)
			}
		}
		out[i] = tir.Region{Buffer: a.buf, Ranges: full}
	}
	return out
}

func (t *touched) add(list *[]access, buf *tir.Buffer, ins []interval) {
	if slices.Contains(t.own, buf) {
		return
	}
	for i := range *list {
		a := &(*list)[i]
		if a.buf != buf {
			continue
		}
		for d := range ins {
			if !sameInterval(a.ins[d], ins[d]) {
				a.ins[d] = t.r.union(a.ins[d], ins[d])
			}
		}
		return
	}
	*list = append(*list, access{buf, ins})
}

func sameInterval(a, b interval) bool {
	return a.bounded() && b.bounded() && arith.Same(a.lo, b.lo) && arith.Same(a.hi, b.hi)
}

func (t *touched) points(idx []tir.Expr) []interval {
	out := make([]interval, len(idx))
	for i, e := range idx {
		out[i] = t.r.eval(e)
	}
	return out
}

func (t *touched) expr(e tir.Expr) {
	tir.Walk(e, func(x tir.Expr) bool {
		if l, ok := x.(*tir.Load); ok {
			t.add(&t.reads, l.Buffer, t.points(l.Indices))
		}
		return true
	})
}

func (t *touched) stmt(s tir.Stmt) {
	switch x := s.(type) {
	case nil:
	case *tir.Store:
		t.add(&t.writes, x.Buffer, t.points(x.Indices))
		t.expr(x.Value)
		for _, i := range x.Indices {
			t.expr(i)
		}
	case *tir.For:
		t.expr(x.Min)
		t.expr(x.Extent)
		n := len(t.r.vars)
		t.bind(x.Var, x.Min, x.Extent)
		t.stmt(x.Body)
		t.r.vars, t.r.doms = t.r.vars[:n], t.r.doms[:n]
	case *tir.Seq:
		n := len(t.r.vars)
		for _, k := range x.Stmts {
			if b, ok := k.(*tir.Bind); ok {
				t.expr(b.Value)
				t.r.add(b.Var, t.r.eval(b.Value))
				continue
			}
			t.stmt(k)
		}
		t.r.vars, t.r.doms = t.r.vars[:n], t.r.doms[:n]
	case *tir.If:
		t.expr(x.Cond)
		t.stmt(x.Then)
		t.stmt(x.Else)
	case *tir.Evaluate:
		t.expr(x.Value)
	case *tir.Bind:
		t.expr(x.Value)
	case *tir.AttrStmt:
		t.stmt(x.Body)
	case *tir.While:
		t.expr(x.Cond)
		t.stmt(x.Body)
	case *tir.Assert:
		t.expr(x.Cond)
	case *tir.BlockRealize:
		t.nested(x)
	}
}

func (t *touched) bind(v *tir.Var, lo, extent tir.Expr) {
	a, b := t.r.eval(lo), t.r.eval(intervalOf(tir.Range{Min: lo, Extent: extent}).hi)
	if tir.IsConst(extent, 1) {
		b = a
	}
	t.r.add(v, interval{a.lo, b.hi})
}

// nested counts the declared regions of a block inside this one.
func (t *touched) nested(x *tir.BlockRealize) {
	n := len(t.r.vars)
	for _, v := range x.Values {
		t.expr(v)
	}
	for i, it := range x.Block.Iters {
		t.r.add(it.Var, t.r.eval(x.Values[i]))
	}
	for k, list := range []*[]access{&t.reads, &t.writes} {
		rs := x.Block.Reads
		if k == 1 {
			rs = x.Block.Writes
		}
		for _, rg := range rs {
			ins := make([]interval, len(rg.Ranges))
			for d, y := range rg.Ranges {
				ins[d] = t.r.eval(y.Min)
				if !tir.IsConst(y.Extent, 1) {
					ins[d].hi = t.r.eval(intervalOf(y).hi).hi
				}
			}
			t.add(list, rg.Buffer, ins)
		}
	}
	t.r.vars, t.r.doms = t.r.vars[:n], t.r.doms[:n]
}

// infer recomputes the regions of a block of the tree.
func (st *state) infer(id nid) {
	b := *st.at(id).block
	b.Reads, b.Writes = inferRegions(st.fullBlock(st.at(id)))
	st.at(id).block = &b
	st.touch(id)
}
