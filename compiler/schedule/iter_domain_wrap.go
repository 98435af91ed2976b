package schedule

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// touching is what another block touches of a buffer: a region in the course of
// loops, under a condition.
type touching struct {
	ranges []tir.Range
	loops  []arith.Loop
	pred   tir.Expr
}

// wraps reports whether some iterator needs a value outside of the interval
// between its values at the corners of what is needed: a digit of an index starts
// anew in between. The reference does not ask and leaves elements out. Some
// iterations of all loops are tried, at the ends of the loops and inside.
func (s *domainSolver) wraps(inverse func([]tir.Expr) map[*tir.Var]tir.Expr, need []touching, dom map[*tir.Var]interval) bool {
	if len(need) == 0 {
		return false
	}
	at := make([]tir.Expr, len(need[0].ranges))
	for d, r := range need[0].ranges {
		at[d] = tir.NewVar("at", r.Min.DType())
	}
	values, rest := inverse(at), false
	for _, e := range values {
		tir.Walk(e, func(e tir.Expr) bool {
			b, ok := e.(*tir.Binary)
			rest = rest || ok && b.Op == tir.OpFloorMod
			return !rest
		})
	}
	if !rest {
		return false // no digit but the highest: corners are the extremes
	}
	for _, n := range need {
		t := trial{s: s, bounds: map[*tir.Var]arith.Bound{}}
		for _, l := range n.loops {
			lo, ok1 := tir.AsInt(l.Dom.Min)
			k, ok2 := tir.AsInt(l.Dom.Extent)
			if ok1 && ok2 {
				t.bounds[l.Var] = arith.Bound{Lo: lo, Hi: lo + k - 1}
			}
		}
		for range trials {
			t.values = map[*tir.Var]tir.Expr{}
			if t.misses(n, at, values, dom) {
				return true
			}
		}
	}
	return false
}

// trials is how many iterations wraps looks at.
const trials = 160

// trial chooses values of variables, the same in every run.
type trial struct {
	s      *domainSolver
	bounds map[*tir.Var]arith.Bound
	values map[*tir.Var]tir.Expr
	state  uint64
}

// misses reports whether the access needs values of iterators outside of dom in
// one iteration.
func (t *trial) misses(n touching, at []tir.Expr, values map[*tir.Var]tir.Expr, dom map[*tir.Var]interval) bool {
	if hold, ok := t.eval(n.pred); !ok || hold == 0 {
		return false
	}
	for _, end := range []bool{false, true} {
		point := make(map[*tir.Var]tir.Expr, len(at))
		for d, r := range n.ranges {
			x, ok := t.eval(r.Min)
			k, ok2 := t.eval(r.Extent)
			if !ok || !ok2 {
				return false
			}
			if end {
				x += k - 1
			}
			point[at[d].(*tir.Var)] = tir.IntOf(x, at[d].DType())
		}
		for v, e := range values {
			x, ok := t.eval(tir.Substitute(e, point))
			lo, ok1 := t.eval(dom[v].Lo)
			hi, ok2 := t.eval(dom[v].Hi)
			if ok && ok1 && ok2 && (x < lo || x > hi) {
				return true
			}
		}
	}
	return false
}

// eval is the value of an expression once its variables have one.
func (t *trial) eval(e tir.Expr) (int64, bool) {
	tir.Walk(e, func(e tir.Expr) bool {
		if v, ok := e.(*tir.Var); ok && t.values[v] == nil {
			t.values[v] = tir.IntOf(t.choose(v), v.Type)
		}
		return true
	})
	return tir.AsInt(tir.Substitute(e, t.values))
}

// choose picks one end of a variable's range or something inside.
func (t *trial) choose(v *tir.Var) int64 {
	b, ok := t.bounds[v]
	if !ok {
		if b = t.s.a.Bound(v); !b.Finite() {
			b = arith.Bound{Lo: 0, Hi: 64}
		}
	}
	t.state = t.state*6364136223846793005 + 1442695040888963407
	switch r := t.state >> 33; r % 4 {
	case 0:
		return b.Lo
	case 1:
		return b.Hi
	default:
		return b.Lo + int64(r>>2)%(b.Hi-b.Lo+1)
	}
}
