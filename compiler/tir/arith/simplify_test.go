package arith

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// TestSimplifyForm holds the form of the result against testdata/simplify.txt:
// lines "scope DECL" set the variables, lines "A => B" are cases.
func TestSimplifyForm(t *testing.T) {
	text, err := os.ReadFile("testdata/simplify.txt")
	if err != nil {
		t.Fatal(err)
	}
	sc := newScope(t, "")
	for n, line := range strings.Split(string(text), "\n") {
		if decl, ok := strings.CutPrefix(line, "scope "); ok {
			sc = newScope(t, decl)
			continue
		}
		in, want, ok := strings.Cut(line, "=>")
		if !ok {
			continue
		}
		in, want = strings.TrimSpace(in), strings.TrimSpace(want)
		e := sc.parse(t, in)
		got := show(sc.analyzer().Simplify(e))
		if got != want {
			t.Errorf("line %d: %s\n\tgot  %s\n\twant %s", n+1, in, got, want)
		}
	}
}

// checkBox compares x and y on every point of the box, unbounded variables
// taking a few values around zero.
func checkBox(t testing.TB, sc *scope, x, y tir.Expr, what string) {
	t.Helper()
	vars := make([]*tir.Var, len(sc.names))
	for i, n := range sc.names {
		vars[i] = sc.vars[n]
	}
	env := map[*tir.Var]int64{}
	var rec func(i int)
	rec = func(i int) {
		if t.Failed() {
			return
		}
		if i < len(vars) {
			b, ok := sc.box[vars[i]]
			if !ok {
				b = Bound{-9, 9}
			}
			for v := b.Lo; v <= b.Hi; v++ {
				env[vars[i]] = v
				rec(i + 1)
			}
			return
		}
		p, ok := eval(x, env)
		if !ok {
			return
		}
		if q, ok := eval(y, env); !ok || p != q {
			at := ""
			for _, v := range vars {
				at += " " + v.Name + "=" + show(tir.Int(env[v]))
			}
			t.Errorf("%s: %s became %s, but at%s that is %d, not %d", what, show(x), show(y), at, q, p)
		}
	}
	rec(0)
}

// randomExpr draws an index expression (or a condition) of bounded depth.
func randomExpr(r *rand.Rand, vars []*tir.Var, depth int, cond bool) tir.Expr {
	sub := func(c bool) tir.Expr { return randomExpr(r, vars, depth-1, c) }
	if cond {
		switch k := r.IntN(10); {
		case k < 7 || depth <= 1:
			return tir.NewBinary(tir.OpEQ+tir.BinOp(r.IntN(6)), sub(false), sub(false))
		case k < 9:
			return tir.NewBinary(tir.OpAnd+tir.BinOp(r.IntN(2)), sub(true), sub(true))
		}
		return &tir.Not{A: sub(true)}
	}
	if depth <= 0 || r.IntN(6) == 0 {
		if r.IntN(4) == 0 {
			return tir.Int(int64(r.IntN(17)) - 4)
		}
		return vars[r.IntN(len(vars))]
	}
	c := []int64{1, 2, 3, 4, 4, 6, 8, 8, 16}[r.IntN(9)]
	switch r.IntN(16) {
	case 0, 1, 2, 3:
		return tir.NewBinary(tir.OpAdd, sub(false), sub(false))
	case 4, 5:
		return tir.NewBinary(tir.OpSub, sub(false), sub(false))
	case 6, 7, 8:
		return tir.NewBinary(tir.OpMul, sub(false), tir.Int(c))
	case 9, 10:
		return tir.NewBinary(tir.OpFloorDiv, sub(false), tir.Int(c))
	case 11, 12:
		return tir.NewBinary(tir.OpFloorMod, sub(false), tir.Int(c))
	case 13:
		return tir.NewBinary(tir.OpMin+tir.BinOp(r.IntN(2)), sub(false), sub(false))
	case 14:
		return &tir.Select{Cond: sub(true), Then: sub(false), Else: sub(false)}
	}
	op := []tir.BinOp{tir.OpMul, tir.OpFloorDiv, tir.OpFloorMod, tir.OpDiv, tir.OpMod}[r.IntN(5)]
	return tir.NewBinary(op, sub(false), sub(false))
}

var randomScopes = []string{"i=0:4 j=0:8 n", "i=0:6 k=-3:5 m", "i=0:1 j=2:7 n", "n m", "i=0:16 j=0:4 k=0:3"}

// TestSimplifyKeepsValues is the oracle of every rule: random expressions over
// small boxes have the same values after Simplify, which is idempotent in value.
func TestSimplifyKeepsValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 3000
	if testing.Short() {
		n = 500
	}
	for i := 0; i < n && !t.Failed(); i++ {
		sc := newScope(t, randomScopes[i%len(randomScopes)])
		var vars []*tir.Var
		for _, name := range sc.names {
			vars = append(vars, sc.vars[name])
		}
		e := randomExpr(r, vars, 4, i%3 == 0)
		a := sc.analyzer()
		s := a.Simplify(e)
		checkBox(t, sc, e, s, "simplify")
		checkBound(t, sc, a, e)
		if len(a.terms) != 0 || len(a.lits) != 0 || len(a.known) != 0 || len(a.pairs) != 0 || a.depth != [2]int{} || a.proofs != 0 {
			t.Fatalf("%s left scratch behind", show(e))
		}
	}
}

// checkBound compares Bound, Modular and CanProve with all values in the box.
func checkBound(t *testing.T, sc *scope, a *Analyzer, e tir.Expr) {
	t.Helper()
	b, m := a.Bound(e), a.Modular(e)
	proved := e.DType().IsBool() && a.CanProve(e)
	checkAll(sc, func(env map[*tir.Var]int64) bool {
		v, ok := eval(e, env)
		if !ok {
			return true
		}
		if v < b.Lo || v > b.Hi {
			t.Errorf("%s is %d, outside %v", show(e), v, b)
		} else if !e.DType().IsBool() && floorModOr(v-m.Base, m.Coeff) != 0 {
			t.Errorf("%s is %d, not in %v", show(e), v, m)
		} else if proved && v == 0 {
			t.Errorf("%s was proved but does not hold", show(e))
		}
		return !t.Failed()
	})
}

func checkAll(sc *scope, f func(map[*tir.Var]int64) bool) {
	env := map[*tir.Var]int64{}
	var rec func(i int) bool
	rec = func(i int) bool {
		if i == len(sc.names) {
			return f(env)
		}
		v := sc.vars[sc.names[i]]
		b, ok := sc.box[v]
		if !ok {
			b = Bound{-9, 9}
		}
		for x := b.Lo; x <= b.Hi; x++ {
			env[v] = x
			if !rec(i + 1) {
				return false
			}
		}
		return true
	}
	rec(0)
}

func TestSimplifyKeepsAddressWhenNothingChanges(t *testing.T) {
	sc := newScope(t, "i=0:16 j=0:4 n")
	for _, s := range []string{"i * 4 + j", "i * 64 + j * 4 + n + 3", "n // 4 * 4 - j - 1", "n % 8 // 2", "min(n, 5)", "n < i + 3", "select(n < 3, i, j)"} {
		e := sc.parse(t, s)
		if got := sc.analyzer().Simplify(e); got != e {
			t.Errorf("%s was rebuilt as %s", s, show(got))
		}
	}
}

func TestCanProveSymbolic(t *testing.T) {
	n := tir.NewVar("n", dtype.Int32)
	m := tir.NewVar("m", dtype.Int32)
	i := tir.NewVar("i", dtype.Int32)
	j := tir.NewVar("j", dtype.Int32)
	a := NewAnalyzer()
	a.Bind(i, tir.Range{Min: tir.Int(0), Extent: n})
	a.Bind(j, tir.Range{Min: i, Extent: m})
	four := tir.Int(4)
	for _, c := range []struct {
		cond tir.Expr
		want bool
	}{
		{tir.Compare(tir.OpLT, i, n), true},
		{tir.Compare(tir.OpLE, i, n), true},
		{tir.Compare(tir.OpGE, i, tir.Int(0)), true},
		{tir.Compare(tir.OpLT, j, tir.Add(n, m)), true},
		{tir.Compare(tir.OpLT, tir.Add(tir.Mul(i, four), tir.Int(3)), tir.Mul(n, four)), true},
		{tir.Compare(tir.OpLT, tir.Add(i, tir.Int(1)), n), false},
		{tir.Compare(tir.OpGE, j, i), true},
		{tir.Compare(tir.OpLT, n, m), false},
	} {
		if got := a.CanProve(c.cond); got != c.want {
			t.Errorf("CanProve(%s) = %v", show(c.cond), got)
		}
	}
}

// TestSimplifyOfDeepChains finishes: a rule that simplified its operands again
// would take exponential time here.
func TestSimplifyOfDeepChains(t *testing.T) {
	sc := newScope(t, "a b c d e f g h")
	var lo, pick, div tir.Expr = sc.vars["a"], sc.vars["a"], sc.vars["a"]
	for k := range 100 {
		v, c := sc.vars[sc.names[k%8]], tir.Int(int64(k))
		lo = tir.NewBinary(tir.OpMin+tir.BinOp(k%2), tir.NewBinary(tir.OpAdd, lo, c), v)
		pick = &tir.Select{Cond: tir.NewBinary(tir.OpLT, v, c), Then: pick, Else: tir.NewBinary(tir.OpAdd, v, c)}
		div = tir.NewBinary(tir.OpFloorDiv+tir.BinOp(k%2), tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpMul, div, tir.Int(3)), v), tir.Int(int64(5+k)))
	}
	for _, e := range []tir.Expr{lo, tir.NewBinary(tir.OpLT, lo, sc.vars["h"]), pick, div} {
		if s := sc.analyzer().Simplify(e); s == nil {
			t.Error("nothing came back")
		}
	}
}
