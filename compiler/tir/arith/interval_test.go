package arith

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

func (s *scope) doms() []Dom {
	var out []Dom
	for _, n := range s.names {
		if b, ok := s.box[s.vars[n]]; ok {
			out = append(out, Dom{s.vars[n], Interval{tir.Int(b.Lo), tir.Int(b.Hi)}})
		}
	}
	return out
}

func showEnd(a *Analyzer, e tir.Expr) string {
	if e == nil {
		return "inf"
	}
	return show(a.Simplify(e))
}

// TestEvalSetForm holds EvalSet against testdata/interval.txt.
func TestEvalSetForm(t *testing.T) {
	text, err := os.ReadFile("testdata/interval.txt")
	if err != nil {
		t.Fatal(err)
	}
	sc := newScope(t, "")
	a := NewAnalyzer()
	for n, line := range strings.Split(string(text), "\n") {
		if decl, ok := strings.CutPrefix(line, "scope "); ok {
			sc = newScope(t, decl)
			continue
		}
		in, want, ok := strings.Cut(line, "=>")
		if !ok || line[0] == '#' {
			continue
		}
		s := a.EvalSet(sc.parse(t, in), sc.doms())
		if got := showEnd(a, s.Lo) + " : " + showEnd(a, s.Hi); got != strings.TrimSpace(want) {
			t.Errorf("line %d: %s\n\tgot  %s\n\twant %s", n+1, in, got, strings.TrimSpace(want))
		}
	}
}

// TestEvalSetHolds checks on every point that the value lies in the interval,
// the ends evaluated with the symbols at their values.
func TestEvalSetHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	bounded := 0
	for i := 0; i < 1500 && !t.Failed(); i++ {
		sc := newScope(t, []string{"i=0:5 j=0:3 v", "i=-2:4 v w", "i=0:4 j=1:2 v"}[i%3])
		var vars []*tir.Var
		for _, n := range sc.names {
			vars = append(vars, sc.vars[n])
		}
		e := randomExpr(r, vars, 3, false)
		a := NewAnalyzer()
		s := a.EvalSet(e, sc.doms())
		if s.Bounded() {
			bounded++
		}
		for _, end := range []tir.Expr{s.Lo, s.Hi} {
			if end != nil && usesDom(end, sc.doms()) {
				t.Fatalf("%s: end %s keeps a relaxed variable", show(e), show(end))
			}
		}
		checkAll(sc, func(env map[*tir.Var]int64) bool {
			v, ok := eval(e, env)
			if !ok {
				return true
			}
			if s.Lo != nil {
				if lo, ok := eval(s.Lo, env); ok && v < lo {
					t.Errorf("%s is %d below %s", show(e), v, show(s.Lo))
				}
			}
			if s.Hi != nil {
				if hi, ok := eval(s.Hi, env); ok && v > hi {
					t.Errorf("%s is %d above %s", show(e), v, show(s.Hi))
				}
			}
			return !t.Failed()
		})
	}
	if bounded < 400 {
		t.Errorf("only %d bounded intervals", bounded)
	}
}

// TestEvalSetOfDependentDomains follows a loop whose bound is an outer loop.
func TestEvalSetOfDependentDomains(t *testing.T) {
	sc := newScope(t, "i j")
	i, j := sc.vars["i"], sc.vars["j"]
	dom := LoopDoms([]Loop{{i, tir.Range{Min: tir.Int(0), Extent: tir.Int(8)}}, {j, tir.Range{Min: i, Extent: tir.Int(4)}}})
	a := NewAnalyzer()
	s := a.EvalSet(j, dom)
	if got := showEnd(a, s.Lo) + " : " + showEnd(a, s.Hi); got != "0 : 10" {
		t.Errorf("j over [i, i+4) is %s", got)
	}
}

// A cast to a type that does not hold an end wraps what lies between, too.
func TestEvalSetOfNarrowingCasts(t *testing.T) {
	v := tir.NewVar("v", dtype.Int32)
	for _, c := range []struct {
		n    int64
		want string
	}{{256, "0..255"}, {300, "anything"}} {
		s := NewAnalyzer().EvalSet(&tir.Cast{Type: dtype.UInt8, Value: v}, []Dom{{Var: v, Set: Interval{Lo: tir.Int(0), Hi: tir.Int(c.n - 1)}}})
		got := "anything"
		if s.Lo != nil && s.Hi != nil {
			lo, _ := tir.AsInt(s.Lo)
			hi, _ := tir.AsInt(s.Hi)
			got = fmt.Sprintf("%d..%d", lo, hi)
		}
		if got != c.want {
			t.Errorf("uint8(v) for v < %d is %s, want %s", c.n, got, c.want)
		}
	}
}
