package schedule

import (
	"reflect"
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// matcher holds a block against the description of a tensor intrinsic. The two
// agree when they are the same statement for statement once loops, iterators and
// buffers of the description stand for those of the block: a buffer of the
// description for the part of a buffer that the block accesses, which may have
// more dimensions, of extent 1, in front.
type matcher struct {
	a    *arith.Analyzer // knows variables of the block as those of the description
	own  *arith.Analyzer // knows the domains of the block's iterators
	vars map[*tir.Var]*tir.Var
	bufs map[*tir.Buffer]*tir.Buffer // of the description → of the block
	base map[*tir.Buffer][]tir.Expr  // where the part of a buffer starts
	why  string                      // the first disagreement
}

// match compares a block with the root block of a description.
func match(r *tir.BlockRealize, desc *tir.BlockRealize) *matcher {
	m := &matcher{a: arith.NewAnalyzer(), own: arith.NewAnalyzer(), vars: map[*tir.Var]*tir.Var{},
		bufs: map[*tir.Buffer]*tir.Buffer{}, base: map[*tir.Buffer][]tir.Expr{}}
	for _, it := range r.Block.Iters {
		m.own.Bind(it.Var, it.Dom)
	}
	if m.expr(r.Predicate, desc.Predicate) && m.regions(r.Block.Writes, desc.Block.Writes, true) && m.regions(r.Block.Reads, desc.Block.Reads, true) {
		m.stmt(r.Block.Body, desc.Block.Body)
	}
	return m
}

func (m *matcher) differ(why string) bool {
	if m.why == "" {
		m.why = why
	}
	return false
}

func (m *matcher) stmt(x, y tir.Stmt) bool {
	switch x := x.(type) {
	case *tir.For:
		if y, ok := y.(*tir.For); ok {
			return m.loop(x, y)
		}
	case *tir.Seq:
		if y, ok := y.(*tir.Seq); ok && len(x.Stmts) == len(y.Stmts) {
			for i := range x.Stmts {
				if !m.stmt(x.Stmts[i], y.Stmts[i]) {
					return false
				}
			}
			return true
		}
	case *tir.Store:
		if y, ok := y.(*tir.Store); ok {
			return m.access(x.Buffer, x.Indices, y.Buffer, y.Indices) && m.expr(x.Value, y.Value)
		}
	case *tir.BlockRealize:
		if y, ok := y.(*tir.BlockRealize); ok {
			return m.realize(x, y)
		}
	}
	return m.differ("a statement is of another form, or of one that descriptions cannot have")
}

func (m *matcher) loop(x, y *tir.For) bool {
	switch {
	case x.Kind != y.Kind || x.Kind == tir.ThreadBinding:
		return m.differ("loop " + x.Var.Name + " is of another kind than " + y.Var.Name + ", or bound to a thread")
	case !m.sameAnn(x.Ann, y.Ann):
		return m.differ("loop " + x.Var.Name + " has other annotations than " + y.Var.Name)
	}
	return m.define(x.Var, y.Var) && m.expr(x.Min, y.Min) && m.expr(x.Extent, y.Extent) && m.stmt(x.Body, y.Body)
}

func (m *matcher) sameAnn(x, y tir.Annotations) bool {
	return slices.EqualFunc(x, y, func(a, b tir.Annotation) bool { return a.Key == b.Key && reflect.DeepEqual(a.Value, b.Value) })
}

func (m *matcher) realize(x, y *tir.BlockRealize) bool {
	b, c := x.Block, y.Block
	if len(x.Values) != len(y.Values) || len(b.Allocs) != len(c.Allocs) {
		return m.differ("block " + b.Name + " has more or fewer iterators or allocations than block " + c.Name)
	}
	for i := range x.Values {
		if !m.expr(x.Values[i], y.Values[i]) {
			return false
		}
	}
	if !m.expr(x.Predicate, y.Predicate) {
		return false
	}
	for i, it := range b.Iters {
		m.own.Bind(it.Var, it.Dom)
		if it.Kind != c.Iters[i].Kind {
			return m.differ("iterator " + it.Var.Name + " is of another kind than " + c.Iters[i].Var.Name)
		}
		if !m.define(it.Var, c.Iters[i].Var) {
			return false
		}
	}
	for i := range b.Allocs {
		if !m.buffer(b.Allocs[i], c.Allocs[i]) {
			return false
		}
	}
	return m.regions(b.Writes, c.Writes, false) && m.regions(b.Reads, c.Reads, false) && m.stmt(b.Body, c.Body)
}

// define makes a variable of the block stand for one of the description.
func (m *matcher) define(x, y *tir.Var) bool {
	if known, ok := m.vars[x]; ok {
		return known == y || m.differ("variable "+x.Name+" stands for two")
	}
	m.vars[x] = y
	m.a.BindValue(x, tir.NewCast(x.Type, y))
	return true
}

func (m *matcher) buffer(x, y *tir.Buffer) bool {
	if known, ok := m.bufs[y]; ok {
		return known == x || m.differ("buffer "+y.Name+" would be "+known.Name+" and "+x.Name)
	}
	switch {
	case x.Type != y.Type:
		return m.differ("buffer " + x.Name + " has elements of type " + x.Type.String() + ", want " + y.Type.String())
	case x.Scope != y.Scope:
		return m.differ("buffer " + x.Name + " is in scope " + x.Scope + ", want " + y.Scope)
	}
	for z, known := range m.bufs {
		if known == x {
			return m.differ("buffer " + x.Name + " would be " + z.Name + " and " + y.Name)
		}
	}
	m.bufs[y] = x
	return true
}

// regions compares what two blocks access. In the outermost block, the scope of
// the description, they say where its buffers lie.
func (m *matcher) regions(x, y []tir.Region, outermost bool) bool {
	if len(x) != len(y) {
		return m.differ("a block accesses more or fewer buffers")
	}
	for i := range x {
		if !m.buffer(x[i].Buffer, y[i].Buffer) || !m.region(x[i], y[i], outermost) {
			return false
		}
	}
	return true
}

func (m *matcher) region(x, y tir.Region, outermost bool) bool {
	front := len(x.Ranges) - len(y.Ranges)
	if front < 0 {
		return m.differ("buffer " + x.Buffer.Name + " has fewer dimensions than " + y.Buffer.Name)
	}
	base, placed := m.base[x.Buffer]
	if !placed {
		if !outermost {
			return m.differ("buffer " + x.Buffer.Name + " is not one of the block's arguments")
		}
		for _, r := range x.Ranges {
			base = append(base, r.Min)
		}
	}
	for i, r := range x.Ranges {
		if i < front {
			if !tir.IsConst(r.Extent, 1) || placed && !m.own.CanProveEqual(base[i], r.Min) {
				return m.differ("more than one position in front of the last dimensions of buffer " + x.Buffer.Name)
			}
			continue
		}
		want := y.Ranges[i-front]
		switch {
		case !m.same(r.Extent, want.Extent):
			return m.differ("the part of buffer " + x.Buffer.Name + " has extent " + tir.ExprString(r.Extent) + ", want " + tir.ExprString(want.Extent))
		case placed && !m.same(m.own.Simplify(tir.Sub(r.Min, base[i])), want.Min):
			return m.differ("the part of buffer " + x.Buffer.Name + " lies elsewhere")
		}
	}
	m.base[x.Buffer] = base
	return true
}

// same proves that an expression of the block is one of the description.
func (m *matcher) same(x, y tir.Expr) bool {
	x, y = tir.MatchTypes(x, y)
	return m.a.CanProveEqual(x, y)
}

// access compares two loads or stores: indices are those of the description
// from where the buffer's part starts.
func (m *matcher) access(x *tir.Buffer, xs []tir.Expr, y *tir.Buffer, ys []tir.Expr) bool {
	if !m.buffer(x, y) {
		return false
	}
	base, ok := m.base[x]
	front := len(xs) - len(ys)
	if !ok || front < 0 {
		return m.differ("an access of buffer " + x.Name + " is not one of " + y.Name)
	}
	for i, want := range ys {
		if !m.same(tir.Sub(xs[i+front], base[i+front]), want) {
			return m.differ("index " + tir.ExprString(xs[i+front]) + " of buffer " + x.Name + " is not " + tir.ExprString(want) + " in its part")
		}
	}
	return true
}
