package arith

import (
	"math/rand/v2"
	"testing"

	"hone/compiler/tir"
)

// TestFastPathAgrees: where the short way applies it gives what the general way
// gives, to the letter.
func TestFastPathAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	taken := 0
	for i := 0; i < 20000 && !t.Failed(); i++ {
		c := parseIterCase(t, []string{"a=0:4 b=0:6|a", "a=0:12 b=0:2|a", "a=0:2 b=0:3 c=0:4|a", "a=0:4 b=0:1 c=0:2|a"}[i%4])
		var vars []*tir.Var
		for _, l := range c.loops {
			vars = append(vars, l.Var)
		}
		c.trivial = i%2 == 0
		c.indices = c.indices[:0]
		for n := 1 + r.IntN(3); n > 0; n-- {
			c.indices = append(c.indices, randomIndex(r, vars, r.IntN(4)))
		}
		if r.IntN(3) == 0 {
			c.pred = tir.NewBinary(tir.OpLT, c.indices[0], tir.Int(int64(3+r.IntN(9))))
		}
		fast, ok := simplifyDigits(c.indices, c.loops, c.pred, c.trivial)
		if !ok {
			continue
		}
		taken++
		sums, err := DetectIterMap(c.indices, c.loops, c.pred, Surjective, c.trivial)
		if err != nil {
			sums, err = DetectIterMap(c.indices, c.loops, nil, Surjective, c.trivial)
		}
		if err != nil {
			t.Fatalf("%s: the general way says %v", describe(&c), err)
		}
		for k := range sums {
			if want := sums[k].Expr(c.indices[k].DType()); !Same(fast[k], want) {
				t.Errorf("%s: %s, the general way gives %s", describe(&c), show(fast[k]), show(want))
			}
		}
	}
	if taken < 2000 {
		t.Errorf("the short way was taken only %d times", taken)
	}
}
