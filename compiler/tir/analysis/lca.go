package analysis

import (
	"slices"

	"hone/compiler/tir"
)

// BufferLCA returns, for every buffer that f's body accesses, the innermost loop
// (*tir.For) or block (*tir.BlockRealize) that contains all accesses, nil for the
// function itself. A block that reduces keeps its outputs outside the loops that
// its reduce iterators run over; opaque and ordered iterators keep everything
// that they index outside theirs. Buffers made by match_buffer are left out: they
// count as their sources.
func BufferLCA(f *tir.PrimFunc) map[*tir.Buffer]tir.Stmt {
	l := lcaFinder{at: map[*tir.Buffer]*place{}, matched: map[*tir.Buffer]bool{}}
	l.cur = &place{}
	l.stmt(f.Body)
	out := make(map[*tir.Buffer]tir.Stmt, len(l.at))
	for b, p := range l.at {
		out[b] = p.stmt
	}
	return out
}

// place is a loop or block on the way from the root, which has a nil stmt.
type place struct {
	parent *place
	stmt   tir.Stmt
	depth  int
}

type lcaFinder struct {
	cur     *place
	at      map[*tir.Buffer]*place
	matched map[*tir.Buffer]bool
}

func (l *lcaFinder) inside(s tir.Stmt, f func()) {
	l.cur = &place{l.cur, s, l.cur.depth + 1}
	f()
	l.cur = l.cur.parent
}

func (l *lcaFinder) touch(b *tir.Buffer, p *place) {
	if l.matched[b] {
		return
	}
	if old, ok := l.at[b]; ok {
		p = common(old, p)
	}
	l.at[b] = p
}

func common(p, q *place) *place {
	for p != q {
		if p.depth >= q.depth {
			p = p.parent
		} else {
			q = q.parent
		}
	}
	return p
}

func (l *lcaFinder) stmt(s tir.Stmt) {
	switch x := s.(type) {
	case *tir.For:
		tir.StmtExprs(x, l.expr)
		l.inside(x, func() { l.stmt(x.Body) })
	case *tir.BlockRealize:
		l.realize(x)
	case *tir.Seq:
		for _, c := range x.Stmts {
			l.stmt(c)
		}
	case *tir.If:
		l.expr(x.Cond)
		l.stmt(x.Then)
		l.stmt(x.Else)
	case *tir.While:
		l.expr(x.Cond)
		l.stmt(x.Body)
	case *tir.AttrStmt:
		l.stmt(x.Body)
	case *tir.Store:
		l.touch(x.Buffer, l.cur)
		tir.StmtExprs(x, l.expr)
	case nil:
	default:
		tir.StmtExprs(x, l.expr)
	}
}

func (l *lcaFinder) expr(e tir.Expr) {
	tir.Walk(e, func(x tir.Expr) bool {
		switch x := x.(type) {
		case *tir.Load:
			l.touch(x.Buffer, l.cur)
		case *tir.BufferRef:
			l.touch(x.Buffer, l.cur)
		}
		return true
	})
}

func (l *lcaFinder) realize(x *tir.BlockRealize) {
	for _, v := range x.Values {
		l.expr(v)
	}
	l.expr(x.Predicate)
	b := x.Block
	for _, m := range b.Matches {
		l.matched[m.Buffer] = true
	}
	l.ordered(x)
	l.inside(x, func() {
		for _, m := range b.Matches {
			l.touch(m.Source.Buffer, l.cur)
		}
		l.stmt(b.Init)
		l.stmt(b.Body)
	})
}

// ordered moves buffers out of the loops whose order of iterations matters.
func (l *lcaFinder) ordered(x *tir.BlockRealize) {
	b := x.Block
	for i, it := range b.Iters {
		if it.Kind == tir.Spatial {
			continue
		}
		out := l.outsideOf(x.Values[i])
		if out == nil {
			continue
		}
		if it.Kind == tir.Reduce {
			for _, w := range b.Writes {
				l.touch(w.Buffer, out)
			}
			continue
		}
		for _, r := range slices.Concat(b.Reads, b.Writes) {
			if slices.ContainsFunc(r.Ranges, func(d tir.Range) bool { return tir.UsesVar(d.Min, func(v *tir.Var) bool { return v == it.Var }) }) {
				l.touch(r.Buffer, out)
			}
		}
	}
}

// outsideOf is the place around the outermost loop, up to the next block, whose
// variable occurs in e.
func (l *lcaFinder) outsideOf(e tir.Expr) *place {
	var out *place
	for p := l.cur; p != nil; p = p.parent {
		loop, ok := p.stmt.(*tir.For)
		if !ok {
			break
		}
		if tir.UsesVar(e, func(v *tir.Var) bool { return v == loop.Var }) {
			out = p.parent
		}
	}
	return out
}
