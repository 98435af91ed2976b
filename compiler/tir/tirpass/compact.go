package tirpass

import (
	"slices"

	"hone/compiler/tir"
)

// access is one load or store of a buffer with the loops around it, outermost
// first.
type access struct {
	indices []tir.Expr
	loops   []*tir.For
	store   bool
}

// collectAccesses lists the accesses of every buffer in order of appearance.
func collectAccesses(s tir.Stmt) map[*tir.Buffer][]access {
	out := map[*tir.Buffer][]access{}
	var loops []*tir.For
	note := func(b *tir.Buffer, idx []tir.Expr, store bool) {
		out[b] = append(out[b], access{idx, append([]*tir.For(nil), loops...), store})
	}
	var walk func(tir.Stmt)
	walk = func(s tir.Stmt) {
		if st, ok := s.(*tir.Store); ok {
			note(st.Buffer, st.Indices, true)
		}
		tir.StmtExprs(s, func(e tir.Expr) {
			tir.Walk(e, func(x tir.Expr) bool {
				if ld, ok := x.(*tir.Load); ok {
					note(ld.Buffer, ld.Indices, false)
				}
				return true
			})
		})
		switch x := s.(type) {
		case *tir.For:
			loops = append(loops, x)
			walk(x.Body)
			loops = loops[:len(loops)-1]
		case *tir.Seq:
			for _, c := range x.Stmts {
				walk(c)
			}
		case *tir.If:
			walk(x.Then)
			if x.Else != nil {
				walk(x.Else)
			}
		}
	}
	walk(s)
	return out
}

// placement is where a buffer lives: inside loop at (nil: the whole function)
// and, per dimension, what to take off the indices and the extent that is left.
type placement struct {
	at     *tir.For
	base   []lin
	extent []int64
	buffer *tir.Buffer
}

// PlaceAllocations puts every allocated buffer at the innermost loop that
// encloses all its accesses and shrinks it to the region touched there, so that
// a tile's cache is as small as the tile.
func PlaceAllocations(f *tir.PrimFunc) (*tir.PrimFunc, error) {
	body, allocs := splitAllocs(f.Body)
	acc := collectAccesses(body)
	places := map[*tir.Buffer]*placement{}
	byLoop := map[*tir.For][]*tir.Buffer{}
	for _, buf := range allocs {
		as := acc[buf]
		if len(as) == 0 {
			continue
		}
		p := place(buf, as)
		places[buf] = p
		byLoop[p.at] = append(byLoop[p.at], p.buffer)
	}
	body = dropCarries(rebase(body, places, byLoop, bounds{}))
	return f.WithBody(withAllocs(byLoop[nil], body)), nil
}

// splitAllocs takes the allocations off the top of a function body.
func splitAllocs(s tir.Stmt) (tir.Stmt, []*tir.Buffer) {
	var allocs []*tir.Buffer
	var rest []tir.Stmt
	for _, x := range listOf(s) {
		if a, ok := x.(*tir.AllocBuffer); ok {
			allocs = append(allocs, a.Buffer)
		} else {
			rest = append(rest, x)
		}
	}
	return tir.NewSeq(rest...), allocs
}

func withAllocs(bufs []*tir.Buffer, body tir.Stmt) tir.Stmt {
	var out []tir.Stmt
	for _, b := range bufs {
		out = append(out, &tir.AllocBuffer{Buffer: b})
	}
	return tir.NewSeq(append(out, body)...)
}

// dropCarries takes the notes for this pass off the loops.
func dropCarries(s tir.Stmt) tir.Stmt {
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		l, ok := s.(*tir.For)
		if !ok {
			return s
		}
		if _, noted := l.Ann.Get(annCarries); !noted {
			return s
		}
		c := *l
		c.Ann = l.Ann.Without(annCarries)
		return &c
	}}
	return w.Rewrite(s)
}

// carried reports whether buf passes values from one iteration of l to the next.
func carried(l *tir.For, buf *tir.Buffer) bool {
	v, _ := l.Ann.Get(annCarries)
	names, _ := v.([]any)
	return slices.Contains(names, any(buf.Name))
}

func place(buf *tir.Buffer, as []access) *placement {
	depth := len(as[0].loops)
	for _, a := range as[1:] {
		n := 0
		for n < depth && n < len(a.loops) && a.loops[n] == as[0].loops[n] {
			n++
		}
		depth = n
	}
	// A buffer inside a vector loop would need one copy a lane, and one inside a loop that
	// carries its values would lose them.
	for i, l := range as[0].loops[:depth] {
		if l.Kind == tir.Vectorized || carried(l, buf) {
			depth = i
			break
		}
	}
	p := &placement{}
	for !p.touch(buf, as, depth) {
		depth-- // what an iteration loads may be what one before stored
	}
	if depth > 0 {
		p.at = as[0].loops[depth-1]
	}
	c := *buf
	p.buffer = &c
	c.Shape = make([]tir.Expr, len(buf.Shape))
	for d, n := range p.extent {
		c.Shape[d] = tir.IntOf(n, buf.Shape[d].DType())
	}
	return p
}

// touch finds the part of a buffer that the accesses reach within the loops below
// depth. It fails where the loops above move stores apart from loads.
func (p *placement) touch(buf *tir.Buffer, as []access, depth int) bool {
	p.base, p.extent = nil, nil
	for d := range buf.Shape {
		base, extent, together := touched(buf, as, depth, d)
		if !together && depth > 0 {
			return false
		}
		p.base = append(p.base, base)
		p.extent = append(p.extent, extent)
	}
	return true
}

// touched is the part of dimension d that the accesses reach within the loops
// below depth: offsets [0, extent) from base. Where the accesses do not agree on
// a base the whole dimension stays; together tells that an iteration of the loops
// above loads what it stored itself all the same: every iteration stores at the same
// places.
func touched(buf *tir.Buffer, as []access, depth, d int) (base lin, extent int64, together bool) {
	whole, _ := tir.AsInt(buf.Shape[d])
	var hull interval
	agree, still := true, true
	for i, a := range as {
		b := bounds{}
		inner, outer := map[*tir.Var]bool{}, map[*tir.Var]bool{}
		for j, l := range a.loops {
			b = b.loop(l)
			inner[l.Var], outer[l.Var] = j >= depth, j < depth
		}
		at := b.linear(a.indices[d])
		for _, t := range at.terms {
			still = still && (!a.store || !tir.UsesVar(t.atom, func(v *tir.Var) bool { return outer[v] }))
		}
		in, out := at.split(func(v *tir.Var) bool { return inner[v] })
		iv := b.bound(in)
		iv.lo, iv.hi = iv.lo+out.c, iv.hi+out.c
		out.c = 0
		switch {
		case iv.hi-iv.lo >= whole:
			agree = false
		case i == 0:
			base, hull = out, iv
		case base.same(out):
			hull = interval{min(hull.lo, iv.lo), max(hull.hi, iv.hi)}
		default:
			agree = false
		}
	}
	if n := hull.hi - hull.lo + 1; agree && n < whole {
		base.c = hull.lo
		return base, n, true
	}
	return lin{}, whole, agree || still
}

// rebase redirects accesses to the placed buffers and inserts the allocations.
func rebase(s tir.Stmt, places map[*tir.Buffer]*placement, byLoop map[*tir.For][]*tir.Buffer, b bounds) tir.Stmt {
	move := func(buf *tir.Buffer, idx []tir.Expr) (*tir.Buffer, []tir.Expr) {
		p, ok := places[buf]
		if !ok {
			return buf, idx
		}
		out := make([]tir.Expr, len(idx))
		for d, e := range idx {
			l := b.linear(e)
			l.terms = append([]term(nil), l.terms...)
			l.addScaled(p.base[d], -1)
			out[d] = l.expr()
		}
		return p.buffer, out
	}
	onExpr := func(e tir.Expr) tir.Expr {
		return tir.RewriteExpr(e, func(x tir.Expr) tir.Expr {
			if ld, ok := x.(*tir.Load); ok {
				if nb, idx := move(ld.Buffer, ld.Indices); nb != ld.Buffer {
					return &tir.Load{Buffer: nb, Indices: idx}
				}
			}
			return x
		})
	}
	switch x := s.(type) {
	case *tir.Store:
		idx := make([]tir.Expr, len(x.Indices))
		for i, e := range x.Indices {
			idx[i] = onExpr(e)
		}
		nb, idx := move(x.Buffer, idx)
		return &tir.Store{Buffer: nb, Value: onExpr(x.Value), Indices: idx}
	case *tir.For:
		c := *x
		c.Body = withAllocs(byLoop[x], rebase(x.Body, places, byLoop, b.loop(x)))
		return &c
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, c := range x.Stmts {
			out[i] = rebase(c, places, byLoop, b)
		}
		return tir.NewSeq(out...)
	case *tir.If:
		c := &tir.If{Cond: onExpr(x.Cond), Then: rebase(x.Then, places, byLoop, b)}
		if x.Else != nil {
			c.Else = rebase(x.Else, places, byLoop, b)
		}
		return c
	case *tir.Bind:
		return &tir.Bind{Var: x.Var, Value: onExpr(x.Value)}
	case *tir.Evaluate:
		return &tir.Evaluate{Value: onExpr(x.Value)}
	}
	return s
}
