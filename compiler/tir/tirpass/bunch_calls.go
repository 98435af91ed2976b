package tirpass

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// bunchMost is how many calls stand together.
const bunchMost = 4

// chains are the functions that are long chains of instructions, each of which waits
// for the one before. A processor looks two or three of them ahead, which does not fill
// its units: code generation lets those that stand together take turns.
var chains = []string{"exp", "log", "tanh", "sigmoid", "erf"}

// BunchCalls puts the calls of such functions next to each other that stand in stores
// which follow one another, as vector loops leave them.
func BunchCalls(s tir.Stmt) tir.Stmt {
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		x, ok := s.(*tir.Seq)
		if !ok {
			return s
		}
		var out []tir.Stmt
		for rest := x.Stmts; len(rest) > 0; {
			run := bunch(rest)
			out = append(out, together(run)...)
			if len(run) == 0 {
				out = append(out, rest[0])
			}
			rest = rest[max(1, len(run)):]
		}
		return tir.NewSeq(out...)
	}}
	return w.Rewrite(s)
}

// bunch is the stores that stmts begin with, two or more, whose calls are alike and do
// not depend on each other.
func bunch(stmts []tir.Stmt) []*tir.Store {
	var run []*tir.Store
	var calls []call
	for _, s := range stmts {
		st, ok := s.(*tir.Store)
		if !ok || len(run) == bunchMost {
			break
		}
		own := chainCalls(st.Value)
		if len(own) == 0 || len(run) > 0 && (!slices.Equal(own, calls) || !independent(run, st)) {
			break
		}
		run, calls = append(run, st), own
	}
	if len(run) < 2 {
		return nil
	}
	return run
}

type call struct {
	op string
	t  dtype.DType
}

// chainCalls lists the calls in a value that are computed whatever its conditions say.
func chainCalls(e tir.Expr) []call {
	var out []call
	walkCalls(e, func(c *tir.Call) { out = append(out, call{c.Op, c.Type}) })
	return out
}

// walkCalls visits chain calls, those in arguments after the calls around them.
func walkCalls(e tir.Expr, f func(*tir.Call)) {
	tir.Walk(e, func(e tir.Expr) bool {
		switch c := e.(type) {
		case *tir.Let, *tir.Load:
			return false
		case *tir.Call:
			if slices.Contains(chains, c.Op) && c.Type.Lanes > 1 {
				f(c)
			}
			return c.Op != "if_then_else"
		}
		return true
	})
}

// independent reports whether st may be computed before the stores of run: it reads
// nothing that they write.
func independent(run []*tir.Store, st *tir.Store) bool {
	ok := true
	tir.Walk(st.Value, func(e tir.Expr) bool {
		l, isLoad := e.(*tir.Load)
		if !isLoad {
			return ok
		}
		for _, r := range run {
			ok = ok && (r.Buffer != l.Buffer || apart(r.Indices, l.Indices))
		}
		return ok
	})
	return ok
}

// apart reports whether two vectors of consecutive elements share none.
func apart(p, q []tir.Expr) bool {
	a, ok1 := p[0].(*tir.Ramp)
	b, ok2 := q[0].(*tir.Ramp)
	if !ok1 || !ok2 || !tir.IsConst(a.Stride, 1) || !tir.IsConst(b.Stride, 1) {
		return false
	}
	var none bounds
	d := none.linear(a.Base)
	d.addScaled(none.linear(b.Base), -1)
	return len(d.terms) == 0 && (d.c >= int64(b.Lanes) || -d.c >= int64(a.Lanes))
}

// together binds the calls of a run, the innermost first, and stores what is made of them.
func together(run []*tir.Store) []tir.Stmt {
	var out []tir.Stmt
	if len(run) == 0 {
		return nil
	}
	values := make([]tir.Expr, len(run))
	for i, st := range run {
		values[i] = st.Value
	}
	for range chainCalls(run[0].Value) {
		for i, v := range values {
			var c *tir.Call
			walkCalls(v, func(x *tir.Call) { c = x })
			if c == nil {
				continue // it occurred twice
			}
			held := tir.NewVar("y", c.Type)
			out = append(out, &tir.Bind{Var: held, Value: c})
			values[i] = tir.RewriteExpr(v, func(e tir.Expr) tir.Expr {
				if e == tir.Expr(c) {
					return held
				}
				return e
			})
		}
	}
	for i, st := range run {
		out = append(out, &tir.Store{Buffer: st.Buffer, Value: values[i], Indices: st.Indices})
	}
	return out
}
