package tirpass

import (
	"sort"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// annPrefetch on a block says how many steps ahead the operands are fetched that its
// innermost reduction loop streams; LowerBlocks moves it to that loop.
const annPrefetch = "hone.prefetch"

// OpPrefetch asks for the line of an element to be fetched; its second argument says how
// near it is to stay, 3 for the first-level cache. The element need not exist.
const OpPrefetch = "prefetch"

// lineBytes is what one fetch brings.
const lineBytes = 64

// PrefetchStreams makes loops that say so fetch ahead: one fetch for every line of every
// vector operand that moves with the loop. A processor's own prefetchers end at each page
// and begin anew with every panel of packed weights.
func PrefetchStreams(s tir.Stmt) tir.Stmt {
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		l, ok := s.(*tir.For)
		if !ok {
			return s
		}
		n, ok := l.Ann.Int(annPrefetch)
		if !ok || n <= 0 {
			return s
		}
		if k, ok := l.Ann.Int(annUnrollK); ok && k > 1 {
			n = (n + k - 1) / k // steps of the loop as it is now
		}
		c := *l
		c.Body = tir.NewSeq(append(fetches(l, n), listOf(l.Body)...)...)
		return &c
	}}
	return w.Rewrite(s)
}

// stream is the lines that vectors of one operand touch: their common terms and where
// they begin.
type stream struct {
	buf *tir.Buffer
	lin lin
	at  []int64
}

// fetches are those of the operands that l streams, n iterations ahead.
func fetches(l *tir.For, n int64) []tir.Stmt {
	written := writtenIn(l)
	var streams []*stream
	tir.WalkExprs(l.Body, func(e tir.Expr) bool {
		ld, ok := e.(*tir.Load)
		if !ok || written[ld.Buffer] || ld.Buffer.Scope == ScopeRegister {
			return true
		}
		r, ok := ld.Indices[0].(*tir.Ramp)
		if !ok || !tir.IsConst(r.Stride, 1) {
			return true
		}
		x := bounds{}.linear(r.Base)
		if c, ok := x.coefOf(l.Var); ok && c != 0 {
			streams = addTo(streams, ld.Buffer, x)
		}
		return true
	})
	ahead := map[*tir.Var]tir.Expr{l.Var: tir.Add(l.Var, tir.IntOf(n, l.Var.Type))}
	var out []tir.Stmt
	for _, s := range streams {
		sort.Slice(s.at, func(i, j int) bool { return s.at[i] < s.at[j] })
		step := int64(lineBytes / s.buf.Type.Bytes())
		for i, from := 0, int64(0); i < len(s.at); i++ {
			if i > 0 && s.at[i] < from+step {
				continue
			}
			from = s.at[i]
			x := lin{terms: s.lin.terms, c: from}
			at := tir.Substitute(x.expr(), ahead)
			element := &tir.Load{Buffer: s.buf, Indices: []tir.Expr{at}}
			out = append(out, &tir.Evaluate{Value: &tir.Call{Op: OpPrefetch, Type: dtype.VoidType, Args: []tir.Expr{element, tir.Int(3)}}})
		}
	}
	return out
}

func addTo(streams []*stream, buf *tir.Buffer, x lin) []*stream {
	for _, s := range streams {
		if s.buf == buf && s.lin.same(x) {
			s.at = append(s.at, x.c)
			return streams
		}
	}
	return append(streams, &stream{buf: buf, lin: x, at: []int64{x.c}})
}
