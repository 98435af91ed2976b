package tirpass

import (
	"fmt"
	"maps"
	"slices"

	"hone/compiler/tir"
)

// LowerBlocks replaces every block by its body, iterators by their bindings and
// predicates by conditions. A reduction initialiser that was not decomposed runs
// under the condition that all reduce iterators are at their start. Unit loops
// disappear on the way. Allocations end up at the top of the function, in full
// shape.
func LowerBlocks(f *tir.PrimFunc) (*tir.PrimFunc, error) {
	l := &blockLowerer{sub: map[*tir.Var]tir.Expr{}, match: map[*tir.Buffer]tir.MatchRegion{}, layout: map[*tir.Var]*tir.Buffer{}, owner: map[*tir.Buffer]string{}, carry: map[*tir.Var]map[string]bool{}, ahead: map[*tir.Var]int64{}}
	body, err := l.stmt(f.Body)
	if err == nil {
		err = l.err
	}
	if err != nil {
		return nil, err
	}
	return f.WithBody(withAllocs(l.allocs, body)), nil
}

type blockLowerer struct {
	sub    map[*tir.Var]tir.Expr
	match  map[*tir.Buffer]tir.MatchRegion
	layout map[*tir.Var]*tir.Buffer     // offsets and strides of match buffers
	owner  map[*tir.Buffer]string       // the blocks of match buffers
	carry  map[*tir.Var]map[string]bool // buffers that pass values from one iteration to the next, by loop
	path   []*tir.Var                   // of the loops around
	ahead  map[*tir.Var]int64           // how far ahead a loop fetches what it streams
	allocs []*tir.Buffer
	err    error
}

// annCarries on a loop names the buffers that blocks in it write and write again, by
// iterators that are not spatial: reductions, and buffers that roll. Such a buffer has to
// outlive an iteration of the loop.
const annCarries = "hone.carries"

func (l *blockLowerer) expr(e tir.Expr) tir.Expr {
	e = tir.Substitute(e, l.sub)
	if len(l.match) == 0 {
		return e
	}
	return tir.RewriteExpr(e, func(x tir.Expr) tir.Expr {
		switch x := x.(type) {
		case *tir.Load:
			if b, idx := l.access(x.Buffer, x.Indices); b != x.Buffer {
				return &tir.Load{Buffer: b, Indices: idx}
			}
		case *tir.BufferRef:
			if _, ok := l.match[x.Buffer]; ok {
				l.pointer(x.Buffer)
			}
		case *tir.Var:
			if b := l.layout[x]; b != nil {
				l.pointer(b)
			}
		}
		return x
	})
}

// pointer refuses what needs the address of a region, as calls of foreign code do.
func (l *blockLowerer) pointer(b *tir.Buffer) {
	if l.err == nil {
		l.err = fmt.Errorf("block %q: match buffer %s is used by its pointer, offset or strides, which have no lowered form: index it", l.owner[b], b.Name)
	}
}

// access maps an access of a match buffer to its source, whose leading extra
// dimensions have extent 1.
func (l *blockLowerer) access(b *tir.Buffer, idx []tir.Expr) (*tir.Buffer, []tir.Expr) {
	m, ok := l.match[b]
	if !ok {
		return b, idx
	}
	lead := len(m.Source.Ranges) - len(idx)
	out := make([]tir.Expr, len(m.Source.Ranges))
	for i, r := range m.Source.Ranges {
		out[i] = r.Min
		if i >= lead {
			out[i] = tir.Add(r.Min, idx[i-lead])
		}
	}
	return l.access(m.Source.Buffer, out)
}

func (l *blockLowerer) exprs(es []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(es))
	for i, e := range es {
		out[i] = l.expr(e)
	}
	return out
}

func (l *blockLowerer) stmt(s tir.Stmt) (tir.Stmt, error) {
	switch x := s.(type) {
	case nil:
		return nil, nil
	case *tir.Store:
		b, idx := l.access(x.Buffer, l.exprs(x.Indices))
		return &tir.Store{Buffer: b, Value: l.expr(x.Value), Indices: idx}, nil
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, c := range x.Stmts {
			var err error
			if out[i], err = l.stmt(c); err != nil {
				return nil, err
			}
		}
		return tir.NewSeq(out...), nil
	case *tir.If:
		a, err := l.stmt(x.Then)
		if err != nil {
			return nil, err
		}
		b, err := l.stmt(x.Else)
		return &tir.If{Cond: l.expr(x.Cond), Then: a, Else: b}, err
	case *tir.Bind:
		return &tir.Bind{Var: x.Var, Value: l.expr(x.Value)}, nil
	case *tir.Evaluate:
		if _, ok := x.Value.(*tir.IntImm); ok {
			return nil, nil
		}
		return &tir.Evaluate{Value: l.expr(x.Value)}, nil
	case *tir.AllocBuffer:
		l.allocs = append(l.allocs, x.Buffer)
		return nil, nil
	case *tir.For:
		return l.loop(x)
	case *tir.BlockRealize:
		return l.realize(x)
	}
	return nil, fmt.Errorf("cannot lower %T on a CPU", s)
}

func (l *blockLowerer) loop(x *tir.For) (tir.Stmt, error) {
	if x.Kind == tir.ThreadBinding {
		return nil, fmt.Errorf("loop %s is bound to a GPU thread: not a CPU schedule", x.Var.Name)
	}
	if x.Step != nil && !tir.IsConst(x.Step, 1) {
		return nil, fmt.Errorf("loop %s has a step: normalise it before lowering", x.Var.Name)
	}
	c := *x
	c.Owner = nil
	c.Min, c.Extent = l.expr(x.Min), l.expr(x.Extent)
	if tir.IsConst(c.Extent, 1) {
		l.sub[x.Var] = c.Min
		return l.stmt(x.Body)
	}
	// Loops get fresh variables: a schedule may share one between copies.
	c.Var = tir.NewVar(x.Var.Name, x.Var.Type)
	l.sub[x.Var] = c.Var
	l.path = append(l.path, c.Var)
	body, err := l.stmt(x.Body)
	l.path = l.path[:len(l.path)-1]
	if body == nil || err != nil {
		return nil, err
	}
	c.Body = body
	if n := l.ahead[c.Var]; n > 0 {
		c.Ann = c.Ann.With(annPrefetch, n)
	}
	if names := slices.Sorted(maps.Keys(l.carry[c.Var])); len(names) > 0 {
		list := make([]any, len(names))
		for i, n := range names {
			list[i] = n
		}
		c.Ann = c.Ann.With(annCarries, list)
	}
	return &c, nil
}

// carries notes the loops that the iterators of a block which are not spatial move
// along, for everything that the block writes.
func (l *blockLowerer) carries(b *tir.Block, values []tir.Expr) {
	var loops []*tir.Var
	for i, it := range b.Iters {
		if it.Kind != tir.Spatial {
			tir.Walk(values[i], func(e tir.Expr) bool {
				if v, ok := e.(*tir.Var); ok {
					loops = append(loops, v)
				}
				return true
			})
		}
	}
	if len(loops) == 0 {
		return
	}
	l.prefetches(b, loops)
	tir.WalkStmt(b.Body, func(s tir.Stmt) bool {
		st, ok := s.(*tir.Store)
		if !ok {
			return true
		}
		buf := st.Buffer
		for m, matched := l.match[buf]; matched; m, matched = l.match[buf] {
			buf = m.Source.Buffer
		}
		for _, v := range loops {
			if l.carry[v] == nil {
				l.carry[v] = map[string]bool{}
			}
			l.carry[v][buf.Name] = true
		}
		return true
	})
}

// prefetches notes how far ahead the innermost of a block's loops fetches.
func (l *blockLowerer) prefetches(b *tir.Block, loops []*tir.Var) {
	n, ok := b.Ann.Int(annPrefetch)
	if !ok {
		return
	}
	for _, v := range slices.Backward(l.path) {
		if slices.Contains(loops, v) {
			l.ahead[v] = max(l.ahead[v], n)
			return
		}
	}
}

func (l *blockLowerer) realize(x *tir.BlockRealize) (tir.Stmt, error) {
	b := x.Block
	if len(x.Values) != len(b.Iters) {
		return nil, fmt.Errorf("block %q binds %d of its %d iterators", b.Name, len(x.Values), len(b.Iters))
	}
	pred := l.expr(x.Predicate)
	values := l.exprs(x.Values)
	for i, it := range b.Iters {
		l.sub[it.Var] = values[i]
	}
	for _, m := range b.Matches {
		src := tir.Region{Buffer: m.Source.Buffer, Ranges: make([]tir.Range, len(m.Source.Ranges))}
		for i, r := range m.Source.Ranges {
			src.Ranges[i] = tir.Range{Min: l.expr(r.Min), Extent: l.expr(r.Extent)}
		}
		l.match[m.Buffer] = tir.MatchRegion{Buffer: m.Buffer, Source: src}
		l.owner[m.Buffer] = b.Name
		for _, e := range append([]tir.Expr{m.Buffer.ElemOffset}, m.Buffer.Strides...) {
			if v, ok := e.(*tir.Var); ok {
				l.layout[v] = m.Buffer
			}
		}
	}
	l.allocs = append(l.allocs, b.Allocs...)
	l.carries(b, values)
	var init tir.Stmt
	if b.Init != nil {
		first := tir.Expr(tir.True)
		for i, it := range b.Iters {
			if it.Kind == tir.Reduce {
				first = tir.And(first, tir.CompareFold(tir.OpEQ, values[i], l.expr(it.Dom.Min)))
			}
		}
		s, err := l.stmt(b.Init)
		if err != nil {
			return nil, err
		}
		init = guarded(first, s)
	}
	body, err := l.stmt(b.Body)
	if err != nil {
		return nil, err
	}
	return guarded(pred, tir.NewSeq(init, body)), nil
}

// guarded runs s where cond holds; constants decide at once.
func guarded(cond tir.Expr, s tir.Stmt) tir.Stmt {
	if v, ok := tir.AsInt(cond); ok {
		if v != 0 {
			return s
		}
		return nil
	}
	if s == nil {
		return nil
	}
	return &tir.If{Cond: cond, Then: s}
}
