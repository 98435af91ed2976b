package arith

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// TestInverseAffine: for random bijective maps the inverse at the indices of a
// point gives the point.
func TestInverseAffine(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	inverted := 0
	for i := 0; i < 8000 && !t.Failed(); i++ {
		c := parseIterCase(t, []string{"a=0:4 b=0:6|a", "a=0:12|a", "a=0:2 b=0:3 c=0:4|a", "a=0:4 b=0:1 c=0:2|a", "a=1:9 b=2:5|a"}[i%5])
		var vars []*tir.Var
		for _, l := range c.loops {
			vars = append(vars, l.Var)
		}
		c.indices = c.indices[:0]
		for n := 1 + r.IntN(3); n > 0; n-- {
			c.indices = append(c.indices, randomIndex(r, vars, r.IntN(4)))
		}
		sums, err := DetectIterMap(c.indices, c.loops, nil, Bijective, true)
		if err != nil || slices.ContainsFunc(sums, func(s IterSum) bool { return len(s.Args) == 1 && !s.Args[0].Scale.isOne() }) {
			continue // nothing, or every second or third index only
		}
		inverted++
		outs, outVars := make([]tir.Expr, len(sums)), make([]*tir.Var, len(sums))
		for i := range outs {
			outVars[i] = tir.NewVar("o", dtype.Int32)
			outs[i] = outVars[i]
		}
		inv, err := InverseAffine(sums, outs)
		if err != nil {
			t.Fatalf("%s: %v", describe(&c), err)
		}
		checkAll(c.sc, func(env map[*tir.Var]int64) bool {
			at := map[*tir.Var]int64{}
			for i, e := range c.indices {
				at[outVars[i]], _ = eval(e, env)
			}
			for v, e := range inv {
				if got, _ := eval(e, at); got != env[v] {
					t.Errorf("%s: inverse of %s is %s: %d, not %d", describe(&c), v.Name, show(e), got, env[v])
				}
			}
			return !t.Failed()
		})
	}
	if inverted < 200 {
		t.Errorf("only %d maps inverted", inverted)
	}
}
