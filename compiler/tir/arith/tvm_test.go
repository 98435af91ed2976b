package arith

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hone/compiler/tir"
	"hone/internal/peer"
)

// tvmLines gives lines of the form of testdata to record.py and returns what
// stands right of "=>" in the answer, "" for other lines.
func tvmLines(t *testing.T, kind string, lines []string) []string {
	t.Helper()
	if os.Getenv("HONE_TEST_ALL") == "" {
		t.Skip("set HONE_TEST_ALL=1 to compare with Apache TVM")
	}
	cmd := exec.Command(peer.Python(t, "tvm"), filepath.Join("testdata", "record.py"), kind)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	out := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(out) != len(lines) {
		t.Fatalf("%d answers to %d lines", len(out), len(lines))
	}
	for i, line := range out {
		_, out[i], _ = strings.Cut(line, " => ")
	}
	return out
}

// agreement counts equal answers and shows the first that differ.
type agreement struct{ same, all int }

func (g *agreement) compare(t *testing.T, what, got, want string) {
	g.all++
	if got == want {
		g.same++
	} else if g.all-g.same <= shownCases() {
		t.Logf("%s\n\tgot  %s\n\tTVM  %s", what, got, want)
	}
}

// require fails when fewer than the given share agree.
func (g *agreement) require(t *testing.T, what string, share float64) {
	t.Helper()
	have := float64(g.same) / float64(max(g.all, 1))
	t.Logf("%s: %d of %d agree, %.2f %%", what, g.same, g.all, 100*have)
	if have < share {
		t.Errorf("%s: less than %.2f %% agree", what, 100*share)
	}
}

func shownCases() int { return envOr("HONE_ARITH_SHOW", 10) }

func envOr(name string, n int) int {
	if v, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return v
	}
	return n
}

// scheduleScope draws loops as schedules make them; some have symbolic extents.
func scheduleScope(r *rand.Rand) string {
	if r.IntN(5) == 0 {
		return []string{"n i=0:n j=0:8 k=0:4", "N M I=0:N J=0:16 K=0:4", "n m i=0:16 j=0:m k=0:8", "N I=0:64 J=0:N"}[r.IntN(4)]
	}
	up := r.IntN(4) == 0
	var s []string
	for i := range 2 + r.IntN(4) {
		n := []int{1, 2, 3, 4, 4, 5, 7, 8, 8, 16, 32, 64}[r.IntN(12)]
		name := string("ijklm"[i])
		if up {
			name = strings.ToUpper(name)
		}
		s = append(s, fmt.Sprintf("%s=0:%d", name, n))
	}
	return strings.Join(s, " ")
}

// scheduleExpr draws an index, or a condition, like those of tiled loops.
func scheduleExpr(r *rand.Rand, sc *scope, cond bool) tir.Expr {
	sizes := []int64{2, 3, 4, 4, 7, 8, 8, 16, 16, 28, 32, 56, 64}
	size := func() tir.Expr { return tir.Int(sizes[r.IntN(len(sizes))]) }
	v := func() tir.Expr { return sc.vars[sc.names[r.IntN(len(sc.names))]] }
	if cond {
		p := alike(tir.OpLT, scheduleExpr(r, sc, false), tir.Int(int64(r.IntN(200))))
		switch r.IntN(8) {
		case 0:
			p = alike(tir.OpLE, tir.Int(int64(r.IntN(9))), scheduleExpr(r, sc, false))
		case 1:
			p = alike(tir.OpEQ+tir.BinOp(r.IntN(6)), scheduleExpr(r, sc, false), scheduleExpr(r, sc, false))
		case 2:
			p = alike(tir.OpEQ, scheduleExpr(r, sc, false), tir.Int(0))
		}
		if r.IntN(3) == 0 {
			return tir.NewBinary(tir.OpAnd, p, scheduleExpr(r, sc, true))
		}
		return p
	}
	e := v()
	for range r.IntN(4) {
		switch r.IntN(10) {
		case 0, 1:
			e = alike(tir.OpFloorDiv, e, size())
		case 2, 3:
			e = alike(tir.OpFloorMod, e, size())
		case 4:
			e = alike(tir.OpAdd+tir.BinOp(r.IntN(2)), e, tir.Int(int64(r.IntN(5))))
		case 5:
			e = alike(tir.OpAdd, e, v())
		case 6:
			e = alike(tir.OpMin+tir.BinOp(r.IntN(2)), e, alike(tir.OpSub, size(), alike(tir.OpMul, v(), size())))
		case 7:
			e = alike(tir.OpSub, e, alike(tir.OpMul, v(), size()))
		default:
			e = alike(tir.OpAdd, alike(tir.OpMul, e, size()), v())
		}
	}
	if r.IntN(20) == 0 {
		e = &tir.Select{Cond: scheduleExpr(r, sc, true), Then: e, Else: alike(tir.OpAdd, v(), size())}
	}
	return e
}

// TestSimplifyAgainstTVM compares the text of simplified expressions with TVM's.
func TestSimplifyAgainstTVM(t *testing.T) {
	for _, c := range []struct {
		name  string
		share float64
		scope func(r *rand.Rand) string
		expr  func(r *rand.Rand, sc *scope, cond bool) tir.Expr
	}{
		{"schedules", 0.99, scheduleScope, scheduleExpr},
		{"random", 0.9, func(r *rand.Rand) string { return randomScopes[r.IntN(len(randomScopes))] }, func(r *rand.Rand, sc *scope, cond bool) tir.Expr {
			var vars []*tir.Var
			for _, n := range sc.names {
				vars = append(vars, sc.vars[n])
			}
			return randomExpr(r, vars, 1+r.IntN(4), cond)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(21, uint64(envOr("HONE_ARITH_SEED", 22))))
			var lines []string
			var scopes []*scope
			for len(lines) < envOr("HONE_ARITH_CASES", 12000) {
				decl := c.scope(r)
				sc := newScope(t, decl)
				lines, scopes = append(lines, "scope "+decl), append(scopes, sc)
				for range 8 {
					e := c.expr(r, sc, r.IntN(3) == 0)
					lines, scopes = append(lines, show(e)+" =>"), append(scopes, sc)
				}
			}
			var g agreement
			for i, want := range tvmLines(t, "simplify", lines) {
				if want == "" || strings.HasPrefix(want, "error") {
					continue
				}
				in := strings.TrimSuffix(lines[i], " =>")
				e := scopes[i].parse(t, in)
				g.compare(t, strings.Join(scopes[i].decl, " ")+" | "+in, show(scopes[i].analyzer().Simplify(e)), want)
			}
			g.require(t, c.name, c.share)
		})
	}
}
