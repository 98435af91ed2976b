package tirpass

import (
	"sort"

	"hone/compiler/tir"
)

// FuseNests joins neighbouring loop nests that share their leading spatial loops
// over a buffer the first one writes and the second one uses: an initialiser
// with its update, an update with its epilogue. Iteration v of both then touches
// the same elements, which no other iteration touches.
func FuseNests(s tir.Stmt) tir.Stmt { return fuseIn(s, bounds{}) }

func fuseIn(s tir.Stmt, b bounds) tir.Stmt {
	switch x := s.(type) {
	case *tir.For:
		c := *x
		c.Body = fuseIn(x.Body, b.loop(x))
		return &c
	case *tir.If:
		c := &tir.If{Cond: x.Cond, Then: fuseIn(x.Then, b)}
		if x.Else != nil {
			c.Else = fuseIn(x.Else, b)
		}
		return c
	case *tir.Seq:
		var out []tir.Stmt
		for _, y := range x.Stmts {
			if n := len(out); n > 0 {
				if f := fusePair(out[n-1], y, b); f != nil {
					out[n-1] = f
					continue
				}
				if f := fuseOver(out, y, b); f != nil {
					out[n-2], out[n-1] = out[n-1], f
					continue
				}
			}
			out = append(out, y)
		}
		for i := range out {
			out[i] = fuseIn(out[i], b)
		}
		return tir.NewSeq(out...)
	}
	return s
}

// fusePair returns the joined loop, or nil when the two must stay apart.
func fusePair(p, q tir.Stmt, b bounds) tir.Stmt {
	l, ok1 := p.(*tir.For)
	m, ok2 := q.(*tir.For)
	if !ok1 || !ok2 || l.Kind != m.Kind || l.Kind == tir.Vectorized {
		return nil
	}
	if !tir.EqualExpr(l.Min, m.Min) || !tir.EqualExpr(l.Extent, m.Extent) {
		return nil
	}
	if !fusible(l, m, b) {
		return nil
	}
	c := *l
	c.Ann = l.Ann
	for _, a := range m.Ann {
		c.Ann = c.Ann.With(a.Key, a.Value)
	}
	sub := map[*tir.Var]tir.Expr{m.Var: l.Var}
	c.Body = tir.NewSeq(l.Body, tir.SubstituteStmt(m.Body, sub))
	return &c
}

// fuseOver joins y with the nest before the last of list, which then moves behind the
// last: a stage and the partial results that are taken of it pass vectors on in
// registers, and what stands between is the initialiser of the results. Nests of tiles
// keep their places.
func fuseOver(list []tir.Stmt, y tir.Stmt, b bounds) tir.Stmt {
	n := len(list)
	if n < 2 || !overVectors(list[n-2]) || !overVectors(y) || !commute(list[n-2], list[n-1]) {
		return nil
	}
	return fusePair(list[n-2], y, b)
}

// overVectors reports whether s is a loop around vectors alone, without conditions,
// which versions of tiles would leave inside.
func overVectors(s tir.Stmt) bool {
	l, ok := s.(*tir.For)
	if !ok {
		return false
	}
	vectors := true
	tir.WalkStmt(l.Body, func(x tir.Stmt) bool {
		switch m := x.(type) {
		case *tir.For:
			vectors = vectors && m.Kind == tir.Vectorized
		case *tir.If:
			vectors = false
		}
		return vectors
	})
	return vectors
}

// commute reports whether neither statement writes what the other touches.
func commute(p, q tir.Stmt) bool {
	pa, qa := collectAccesses(p), collectAccesses(q)
	for buf := range writtenIn(p) {
		if len(qa[buf]) > 0 {
			return false
		}
	}
	for buf := range writtenIn(q) {
		if len(pa[buf]) > 0 {
			return false
		}
	}
	return true
}

// fusible checks every buffer that one nest writes and the other touches: all
// accesses must have one footprint.
func fusible(l, m *tir.For, b bounds) bool {
	pa, qa := collectAccesses(l), collectAccesses(m)
	pw, qw := writtenIn(l), writtenIn(m)
	shared := false
	for _, w := range []map[*tir.Buffer]bool{pw, qw} {
		for buf := range w {
			if len(pa[buf]) == 0 || len(qa[buf]) == 0 {
				continue
			}
			shared = true
			sub := map[*tir.Var]tir.Expr{m.Var: l.Var}
			first, ok := footprintOf(pa[buf][0], l.Var, nil, b)
			if !ok {
				return false
			}
			for _, a := range pa[buf][1:] {
				if f, ok := footprintOf(a, l.Var, nil, b); !ok || !first.equal(f) {
					return false
				}
			}
			for _, a := range qa[buf] {
				if f, ok := footprintOf(a, l.Var, sub, b); !ok || !first.equal(f) {
					return false
				}
			}
		}
	}
	return shared
}

func writtenIn(s tir.Stmt) map[*tir.Buffer]bool {
	out := map[*tir.Buffer]bool{}
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		if st, ok := x.(*tir.Store); ok {
			out[st.Buffer] = true
		}
		return true
	})
	return out
}

// footprint is the set of elements that an access touches in one iteration of
// the shared loop, as a linear form of outer variables and a multiset of
// (coefficient, extent) of the inner loops it runs over.
type footprint struct {
	outer lin
	inner []interval // lo = coefficient, hi = extent
}

func footprintOf(a access, v *tir.Var, sub map[*tir.Var]tir.Expr, b bounds) (footprint, bool) {
	var f footprint
	for _, l := range a.loops {
		b = b.loop(l)
	}
	idx := a.indices[0]
	if sub != nil {
		idx = tir.Substitute(idx, sub)
		for k := range sub {
			b = b.with(v, b[k])
		}
	}
	inner := map[*tir.Var]*tir.For{}
	for _, l := range a.loops[1:] {
		inner[l.Var] = l
	}
	in, out := b.linear(idx).split(func(x *tir.Var) bool { return inner[x] != nil })
	f.outer = out
	if c, ok := out.coefOf(v); !ok || c == 0 {
		return f, false
	}
	for _, t := range in.terms {
		w, ok := t.atom.(*tir.Var)
		if !ok {
			return f, false
		}
		n, ok := tir.AsInt(inner[w].Extent)
		if !ok || !tir.IsConst(inner[w].Min, 0) {
			return f, false
		}
		f.inner = append(f.inner, interval{t.coef, n})
	}
	sort.Slice(f.inner, func(i, j int) bool {
		return f.inner[i].lo < f.inner[j].lo || f.inner[i].lo == f.inner[j].lo && f.inner[i].hi < f.inner[j].hi
	})
	return f, true
}

func (f footprint) equal(g footprint) bool {
	if f.outer.c != g.outer.c || !f.outer.same(g.outer) || len(f.inner) != len(g.inner) {
		return false
	}
	for i := range f.inner {
		if f.inner[i] != g.inner[i] {
			return false
		}
	}
	return true
}
