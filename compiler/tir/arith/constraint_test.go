package arith

import (
	"math/rand/v2"
	"testing"

	"hone/compiler/tir"
)

// TestWithKeepsValues: under random conditions, simplified expressions, bounds
// and proofs hold wherever the conditions do, and afterwards all is forgotten.
func TestWithKeepsValues(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for i := 0; i < 3000 && !t.Failed(); i++ {
		sc := newScope(t, randomScopes[i%len(randomScopes)])
		var vars []*tir.Var
		for _, n := range sc.names {
			vars = append(vars, sc.vars[n])
		}
		c1, c2 := randomExpr(r, vars, 2, true), randomExpr(r, vars, 3, true)
		e := randomExpr(r, vars, 3, i%2 == 0)
		a := sc.analyzer()
		undo1 := a.With(c1)
		undo2 := a.With(c2)
		s, b, m := a.Simplify(e), a.Bound(e), a.Modular(e)
		proved := e.DType().IsBool() && a.CanProve(e)
		undo2()
		undo1()
		if len(a.lits) != 0 || len(a.known) != 0 || len(a.terms) != 0 {
			t.Fatalf("constraints %s, %s left something behind", show(c1), show(c2))
		}
		for _, v := range vars {
			f := a.find(v)
			if f == nil {
				continue
			}
			want, bounded := sc.box[v]
			if !bounded {
				want = typeBound(v.Type)
			}
			if f.bound != want || f.mod != everyInteger && want.Lo != want.Hi {
				t.Fatalf("%s is bound to %v after constraints %s, %s", v.Name, f.bound, show(c1), show(c2))
			}
		}
		checkAll(sc, func(env map[*tir.Var]int64) bool {
			p, ok1 := eval(c1, env)
			q, ok2 := eval(c2, env)
			v, ok3 := eval(e, env)
			if !ok1 || !ok2 || !ok3 || p == 0 || q == 0 {
				return true
			}
			w, ok := eval(s, env)
			switch {
			case !ok || v != w:
				t.Errorf("under %s, %s: %s became %s: %d, not %d", show(c1), show(c2), show(e), show(s), w, v)
			case v < b.Lo || v > b.Hi:
				t.Errorf("under %s, %s: %s is %d, outside %v", show(c1), show(c2), show(e), v, b)
			case !e.DType().IsBool() && floorModOr(v-m.Base, m.Coeff) != 0:
				t.Errorf("under %s, %s: %s is %d, not in %v", show(c1), show(c2), show(e), v, m)
			case proved && v == 0:
				t.Errorf("under %s, %s: %s was proved", show(c1), show(c2), show(e))
			}
			return !t.Failed()
		})
	}
}

// TestWithProves lists conditions that follow from others.
func TestWithProves(t *testing.T) {
	sc := newScope(t, "i=0:16 j=0:4 n m k")
	for _, c := range []struct {
		given, then string
		want        bool
	}{
		{"n < 5", "n < 7", true},
		{"n < 5", "n + 2 <= 6", true},
		{"n < 5", "n < 4", false},
		{"n < m", "n <= m", true},
		{"n < m", "n + 1 <= m", true},
		{"n < m", "n * 4 + j < m * 4", true},
		{"n < m and m < k", "n < m", true},
		{"i * 4 + j < 61", "i * 4 + j <= 60", true},
		{"i * 4 + j < 61", "i * 4 + j + 3 < 64", true},
		{"n % 4 == 0", "n % 2 == 0", true},
		{"n % 8 == 4", "n % 4 == 0", true},
		{"n % 4 == 0", "n % 8 == 0", false},
		{"n == 3", "n * 2 == 6", true},
		{"n // 4 < 3", "n < 12", true},
		{"0 <= n and n < 8", "n // 8 == 0", true},
		{"0 <= n and n < 8", "n % 8 == n", true},
		{"not (n < 3)", "3 <= n", true},
		{"n - m <= 2", "n <= m + 2", true},
		{"n - m <= 2", "n <= m + 1", false},
	} {
		a := sc.analyzer()
		undo := a.With(sc.parse(t, c.given))
		if got := a.CanProve(sc.parse(t, c.then)); got != c.want {
			t.Errorf("%s: %s is %v", c.given, c.then, got)
		}
		undo()
	}
}
