package feature

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// randomIndex draws an index expression over variables; exact says whether it
// is linear, so that its bounds must be exact.
func randomIndex(r *rand.Rand, vars []*tir.Var, depth int) (e tir.Expr, exact bool) {
	if depth == 0 {
		return vars[r.IntN(len(vars))], true
	}
	a, okA := randomIndex(r, vars, depth-1)
	k := tir.Int(int64(1 + r.IntN(6)))
	switch r.IntN(6) {
	case 0:
		return tir.FloorDiv(a, k), false
	case 1:
		return tir.FloorMod(a, k), false
	case 2:
		return tir.Mul(a, k), okA
	case 3:
		return tir.Sub(a, tir.Int(int64(r.IntN(5)))), okA
	case 4:
		b, _ := randomIndex(r, vars, depth-1)
		return tir.Min(a, b), false
	}
	b, okB := randomIndex(r, vars, depth-1)
	return tir.Add(a, b), okA && okB
}

func evaluate(e tir.Expr, env map[*tir.Var]int64) int64 {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value
	case *tir.Var:
		return env[e]
	case *tir.Binary:
		a, b := evaluate(e.A, env), evaluate(e.B, env)
		switch e.Op {
		case tir.OpAdd:
			return a + b
		case tir.OpSub:
			return a - b
		case tir.OpMul:
			return a * b
		case tir.OpMin:
			return min(a, b)
		case tir.OpFloorDiv:
			return tir.FloorDivInt(a, b)
		case tir.OpFloorMod:
			return a - tir.FloorDivInt(a, b)*b
		}
	}
	panic(fmt.Sprintf("BUG: unexpected %T", e))
}

// TestBoundsAgainstBruteForce compares the range of random index expressions,
// with the loops from some level inwards running, with all their values.
func TestBoundsAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	exactCases := 0
	for range 3000 {
		var f forms
		f.reset()
		vars, extents := make([]*tir.Var, 3), make([]int64, 3)
		for i := range vars {
			vars[i], extents[i] = tir.NewVar("v", dtype.Int32), int64(1+r.IntN(6))
			_, at := f.newLoop(extents[i], i)
			f.env[vars[i]] = at
		}
		e, exact := randomIndex(r, vars, 1+r.IntN(4))
		level := r.IntN(4)
		got := f.bounds(f.eval(e), level)
		want := interval{math.MaxInt64, math.MinInt64}
		env := map[*tir.Var]int64{}
		var run func(i int)
		run = func(i int) {
			if i == len(vars) {
				want = want.hull(point(evaluate(e, env)))
				return
			}
			n := extents[i]
			if i < level {
				n = 1
			}
			for v := range n {
				env[vars[i]] = v
				run(i + 1)
			}
		}
		run(0)
		if got.lo > want.lo || got.hi < want.hi {
			t.Fatalf("bounds %v do not contain %v (extents %v, level %d)", got, want, extents, level)
		}
		if exact {
			exactCases++
			// A variable may occur twice with cancelling signs only through Sub of a
			// constant, so linear forms have exact bounds.
			if got != want {
				t.Fatalf("bounds %v of a linear form, want %v (extents %v, level %d)", got, want, extents, level)
			}
		}
	}
	if exactCases < 500 {
		t.Errorf("only %d linear cases", exactCases)
	}
}

// TestDivModOfSplitLoop: (16·x + y) // 16 = x and its remainder y for y < 16, as
// fusing and splitting leaves them.
func TestDivModOfSplitLoop(t *testing.T) {
	var f forms
	f.reset()
	_, x := f.newLoop(10, 0)
	_, y := f.newLoop(16, 1)
	div, mod := f.divMod(f.add(f.scale(x, 16), y, 1), 16)
	if len(div.terms) != 1 || div.terms[0] != x.terms[0] || div.c != 0 {
		t.Errorf("quotient %+v, want the outer loop %+v", div, x)
	}
	if len(mod.terms) != 1 || mod.terms[0] != y.terms[0] || mod.c != 0 {
		t.Errorf("remainder %+v, want the inner loop %+v", mod, y)
	}
	_, z := f.newLoop(20, 2)
	div, mod = f.divMod(f.add(z, linear{c: 3}, 1), 8)
	if b := f.bounds(div, 0); b != (interval{0, 2}) {
		t.Errorf("(z+3)//8 in %v, want [0, 2]", b)
	}
	if b := f.bounds(mod, 0); b != (interval{0, 7}) {
		t.Errorf("(z+3)%%8 in %v, want [0, 7]", b)
	}
}
