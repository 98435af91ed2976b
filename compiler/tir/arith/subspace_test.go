package arith

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"hone/compiler/tir"
)

// parseSubspace reads "loops | indices | inner variables | predicate".
func parseSubspace(t testing.TB, line string) (iterCase, []*tir.Var) {
	f := strings.Split(line, "|")
	for len(f) < 4 {
		f = append(f, "")
	}
	c := parseIterCase(t, f[0]+"|"+f[1]+"|"+f[3])
	var inner []*tir.Var
	for _, n := range strings.Fields(f[2]) {
		inner = append(inner, c.sc.vars[n])
	}
	return c, inner
}

// TestSubspaceForm holds divisions against testdata/subspace.txt.
func TestSubspaceForm(t *testing.T) {
	text, err := os.ReadFile("testdata/subspace.txt")
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(string(text), "\n") {
		in, want, ok := strings.Cut(line, "=>")
		if !ok || line[0] == '#' {
			continue
		}
		c, inner := parseSubspace(t, in)
		got := "none"
		if s, err := SubspaceDivide(c.indices, c.loops, inner, c.pred, Surjective, true); err == nil {
			var out []string
			for _, d := range s.Divisions {
				out = append(out, show(d.Outer)+" ["+show(d.OuterExtent)+"], "+show(d.Inner)+" ["+show(d.InnerExtent)+"]")
			}
			got = strings.Join(out, "; ")
		}
		if got != strings.TrimSpace(want) {
			t.Errorf("line %d: %s\n\tgot  %s\n\twant %s", n+1, in, got, strings.TrimSpace(want))
		}
	}
}

// TestSubspaceDivides checks on every point that an index is its outer part
// times the inner extent plus its inner part, and that each part moves with its
// own variables only and stays within its extent.
func TestSubspaceDivides(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	divided := 0
	for i := 0; i < 6000 && !t.Failed(); i++ {
		c := parseIterCase(t, []string{"a=0:4 b=0:6|a", "a=0:2 b=0:3 c=0:4|a", "a=0:4 b=0:1 c=0:2 d=0:3|a"}[i%3])
		var vars, inner []*tir.Var
		for _, l := range c.loops {
			vars = append(vars, l.Var)
			if r.IntN(2) == 0 {
				inner = append(inner, l.Var)
			}
		}
		c.indices = c.indices[:0]
		for n := 1 + r.IntN(2); n > 0; n-- {
			c.indices = append(c.indices, randomIndex(r, vars, r.IntN(4)))
		}
		s, err := SubspaceDivide(c.indices, c.loops, inner, nil, Surjective, true)
		if err != nil {
			continue
		}
		divided++
		isInner := func(v *tir.Var) bool { return slices.Contains(inner, v) }
		for k, d := range s.Divisions {
			if tir.UsesVar(d.Outer, isInner) || tir.UsesVar(d.Inner, func(v *tir.Var) bool { return !isInner(v) }) {
				t.Errorf("%s: outer %s, inner %s", describe(&c), show(d.Outer), show(d.Inner))
			}
			n, _ := tir.AsInt(d.InnerExtent)
			checkAll(c.sc, func(env map[*tir.Var]int64) bool {
				o, _ := eval(d.Outer, env)
				in, _ := eval(d.Inner, env)
				if v, _ := eval(c.indices[k], env); v != o*n+in {
					t.Errorf("%s: %d is not %d*%d + %d", describe(&c), v, o, n, in)
				}
				return !t.Failed()
			})
		}
	}
	if divided < 250 {
		t.Errorf("only %d maps divided", divided)
	}
}
