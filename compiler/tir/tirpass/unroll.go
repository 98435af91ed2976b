package tirpass

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// maxUnrolled bounds the statements that one unrolled nest may become.
const maxUnrolled = 256

// unrollLoop returns the iterations of l one after another; ok is false when its
// range is not constant.
func unrollLoop(l *tir.For) (tir.Stmt, bool) {
	lo, ok1 := tir.AsInt(l.Min)
	n, ok2 := tir.AsInt(l.Extent)
	if !ok1 || !ok2 || n > maxUnrolled {
		return nil, false
	}
	out := make([]tir.Stmt, n)
	for i := range out {
		v := tir.IntOf(lo+int64(i), l.Var.Type)
		out[i] = decide(freshen(tir.SubstituteStmt(l.Body, map[*tir.Var]tir.Expr{l.Var: v})))
	}
	return tir.NewSeq(out...), true
}

// decide takes the branch of every choice whose condition has become a constant, so
// that an iteration holds its own formula only.
func decide(s tir.Stmt) tir.Stmt {
	an := arith.NewAnalyzer()
	w := tir.StmtRewriter{Expr: func(e tir.Expr) tir.Expr {
		return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr { return decided(e, an) })
	}}
	return w.Rewrite(s)
}

func decided(e tir.Expr, an *arith.Analyzer) tir.Expr {
	var cond, then, els tir.Expr
	switch x := e.(type) {
	case *tir.Select:
		cond, then, els = x.Cond, x.Then, x.Else
	case *tir.Call:
		if x.Op != "if_then_else" {
			return e
		}
		cond, then, els = x.Args[0], x.Args[1], x.Args[2]
	default:
		return e
	}
	switch cond = an.Simplify(cond); {
	case tir.IsConst(cond, 1):
		return then
	case tir.IsConst(cond, 0):
		return els
	}
	return e
}

// freshen gives the loops and bindings of a copied statement variables of their
// own, so that no variable is defined twice.
func freshen(s tir.Stmt) tir.Stmt {
	sub := map[*tir.Var]tir.Expr{}
	bufs := map[*tir.Buffer]*tir.Buffer{}
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		switch x := x.(type) {
		case *tir.For:
			sub[x.Var] = tir.NewVar(x.Var.Name, x.Var.Type)
		case *tir.Bind:
			sub[x.Var] = tir.NewVar(x.Var.Name, x.Var.Type)
		case *tir.AllocBuffer:
			c := *x.Buffer
			bufs[x.Buffer] = &c
		}
		return true
	})
	if len(sub) > 0 {
		w := tir.StmtRewriter{
			Expr: func(e tir.Expr) tir.Expr { return tir.Substitute(e, sub) },
			Stmt: func(s tir.Stmt) tir.Stmt {
				switch x := s.(type) {
				case *tir.For:
					c := *x
					c.Var = sub[x.Var].(*tir.Var)
					return &c
				case *tir.Bind:
					return &tir.Bind{Var: sub[x.Var].(*tir.Var), Value: x.Value}
				}
				return s
			},
		}
		s = w.Rewrite(s)
	}
	if len(bufs) > 0 {
		s = tir.ReplaceBuffers(s, func(b *tir.Buffer) *tir.Buffer {
			if n, ok := bufs[b]; ok {
				return n
			}
			return b
		})
	}
	return s
}

// unrollWhere unrolls, bottom-up, the loops that pick chooses; ok is false when
// one of them cannot be unrolled or the result exceeds limit stores.
func unrollWhere(s tir.Stmt, pick func(*tir.For) bool, limit int) (tir.Stmt, bool) {
	return unrollEach(s, pick, limit, unrollLoop)
}

// unrollEach is unrollWhere with another way of unrolling one loop.
func unrollEach(s tir.Stmt, pick func(*tir.For) bool, limit int, unroll func(*tir.For) (tir.Stmt, bool)) (tir.Stmt, bool) {
	if countUnrolled(s, pick) > limit {
		return s, false
	}
	ok := true
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		l, isLoop := s.(*tir.For)
		if !isLoop || !pick(l) {
			return s
		}
		u, can := unroll(l)
		if !can {
			ok = false
			return s
		}
		return u
	}}
	return w.Rewrite(s), ok
}

// countUnrolled is the number of stores after unrolling the chosen loops.
func countUnrolled(s tir.Stmt, pick func(*tir.For) bool) int {
	switch x := s.(type) {
	case *tir.Store:
		return 1
	case *tir.Seq:
		n := 0
		for _, y := range x.Stmts {
			n += countUnrolled(y, pick)
		}
		return n
	case *tir.If:
		n := countUnrolled(x.Then, pick)
		if x.Else != nil {
			n += countUnrolled(x.Else, pick)
		}
		return n
	case *tir.For:
		n := countUnrolled(x.Body, pick)
		if e, ok := tir.AsInt(x.Extent); ok && pick(x) {
			n *= int(min(e, 1<<20))
		}
		return min(n, 1<<30)
	}
	return 0
}

// annAutoUnroll is the pragma of the reference system: loops whose body unrolls
// to at most so many steps are unrolled.
const annAutoUnroll = "pragma_auto_unroll_max_step"

// UnrollPragmas unrolls loops marked T.unroll and, under an auto-unroll pragma,
// every innermost nest of at most that many steps. It runs after register tiles,
// so it never touches them.
func UnrollPragmas(s tir.Stmt) tir.Stmt { return unrollUnder(s, 0) }

func unrollUnder(s tir.Stmt, maxStep int64) tir.Stmt {
	switch x := s.(type) {
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, y := range x.Stmts {
			out[i] = unrollUnder(y, maxStep)
		}
		return tir.NewSeq(out...)
	case *tir.If:
		c := &tir.If{Cond: x.Cond, Then: unrollUnder(x.Then, maxStep)}
		if x.Else != nil {
			c.Else = unrollUnder(x.Else, maxStep)
		}
		return c
	case *tir.For:
		if n, ok := x.Ann.Int(annAutoUnroll); ok {
			maxStep = n
		}
		all := func(*tir.For) bool { return true }
		if x.Kind == tir.Serial && maxStep > 0 && !hasRegisters(x) {
			if n := countUnrolled(x, all); int64(n) <= min(maxStep, maxUnrolled) {
				if u, ok := unrollWhere(x, all, maxUnrolled); ok {
					return u
				}
			}
		}
		c := *x
		c.Body = unrollUnder(x.Body, maxStep)
		if x.Kind == tir.Unrolled && countUnrolled(&c, func(l *tir.For) bool { return l == &c }) <= maxUnrolled {
			if u, ok := unrollLoop(&c); ok {
				return u
			}
		}
		return &c
	}
	return s
}

func hasRegisters(s tir.Stmt) bool {
	found := false
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		if st, ok := x.(*tir.Store); ok && st.Buffer.Scope == ScopeRegister {
			found = true
		}
		return !found
	})
	return found
}
