package arith

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// generator draws scopes and expressions of them.
type generator struct {
	name  string
	share float64 // of cases that have to agree
	scope func(r *rand.Rand) string
	expr  func(r *rand.Rand, sc *scope, cond bool) tir.Expr
}

var generators = []generator{
	{"schedules", 0.999, scheduleScope, scheduleExpr},
	{"random", 0.998, func(r *rand.Rand) string { return randomScopes[r.IntN(len(randomScopes))] }, func(r *rand.Rand, sc *scope, cond bool) tir.Expr {
		var vars []*tir.Var
		for _, n := range sc.names {
			vars = append(vars, sc.vars[n])
		}
		return randomExpr(r, vars, 1+r.IntN(4), cond)
	}},
}

// againstTVM compares what ours makes of random cases with what record.py makes
// of them under the name kind; draw writes a case.
func againstTVM(t *testing.T, kind string, draw func(g *generator, r *rand.Rand, sc *scope) string, ours func(sc *scope, text string) string) {
	for _, g := range generators {
		t.Run(g.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(21, uint64(envOr("HONE_ARITH_SEED", 22))))
			var lines []string
			var scopes []*scope
			for len(lines) < envOr("HONE_ARITH_CASES", 8000) {
				decl := g.scope(r)
				sc := newScope(t, decl)
				lines, scopes = append(lines, "scope "+decl), append(scopes, sc)
				for range 8 {
					lines, scopes = append(lines, draw(&g, r, sc)+" =>"), append(scopes, sc)
				}
			}
			var have agreement
			for i, want := range tvmLines(t, kind, lines) {
				if want == "" || strings.HasPrefix(want, "error") {
					continue
				}
				in := strings.TrimSuffix(lines[i], " =>")
				have.compare(t, strings.Join(scopes[i].decl, " ")+" | "+in, ours(scopes[i], in), want)
			}
			have.require(t, g.name, g.share)
		})
	}
}

// TestSimplifyAgainstTVM compares the text of simplified expressions.
func TestSimplifyAgainstTVM(t *testing.T) {
	draw := func(g *generator, r *rand.Rand, sc *scope) string { return show(g.expr(r, sc, r.IntN(3) == 0)) }
	againstTVM(t, "simplify", draw, func(sc *scope, text string) string {
		return show(sc.analyzer().Simplify(sc.parse(t, text)))
	})
}

// TestWithAgainstTVM compares the text of expressions simplified where a
// condition holds.
func TestWithAgainstTVM(t *testing.T) {
	draw := func(g *generator, r *rand.Rand, sc *scope) string {
		return show(g.expr(r, sc, true)) + " | " + show(g.expr(r, sc, r.IntN(2) == 0))
	}
	againstTVM(t, "under", draw, func(sc *scope, text string) string {
		cond, e, _ := strings.Cut(text, "|")
		a := sc.analyzer()
		defer a.With(sc.parse(t, cond))()
		return show(a.Simplify(sc.parse(t, e)))
	})
}

// TestBoundsAgainstTVM compares constant bounds, modular sets and proofs. Hone
// proves more: where TVM does not prove, nothing is compared.
func TestBoundsAgainstTVM(t *testing.T) {
	draw := func(g *generator, r *rand.Rand, sc *scope) string { return show(g.expr(r, sc, r.IntN(3) == 0)) }
	againstTVM(t, "bounds", draw, func(sc *scope, text string) string {
		a, e := sc.analyzer(), sc.parse(t, text)
		if e.DType().IsBool() {
			if a.provable(e) {
				return "proved True"
			}
			return "proved False"
		}
		b, m := a.Bound(e), a.Modular(e)
		return fmt.Sprint(b.Lo, b.Hi, m.Coeff, m.Base)
	})
}

// splitFuse draws the bindings of a block under loops that were split and fused,
// perfectly or not: "loops | bindings | predicate | level | drop unit loops".
func splitFuse(r *rand.Rand) string {
	type loop struct {
		name string
		n    int
	}
	var loops []loop
	var bind, preds []string
	for i := range 1 + r.IntN(3) {
		loops = append(loops, loop{string("abc"[i]), []int{1, 2, 3, 4, 6, 8, 12, 16, 30}[r.IntN(9)]})
		bind = append(bind, loops[i].name)
	}
	replace := func(name, by string) {
		word := func(s string) string {
			return regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(s, "("+by+")")
		}
		for i := range bind {
			bind[i] = word(bind[i])
		}
		for i := range preds {
			preds[i] = word(preds[i])
		}
	}
	next := 'd'
	fresh := func() string { next++; return string(next - 1) }
	for range r.IntN(5) {
		i := r.IntN(len(loops))
		if r.IntN(2) == 0 && len(loops) < 5 { // split
			f := []int{2, 3, 4, 4, 5, 8}[r.IntN(6)]
			o, in := loop{fresh(), (loops[i].n + f - 1) / f}, loop{fresh(), f}
			e := fmt.Sprintf("%s * %d + %s", o.name, f, in.name)
			replace(loops[i].name, e)
			if loops[i].n%f != 0 {
				preds = append(preds, fmt.Sprintf("%s < %d", e, loops[i].n))
			}
			loops = slices.Replace(loops, i, i+1, o, in)
		} else if i+1 < len(loops) { // fuse
			l := loop{fresh(), loops[i].n * loops[i+1].n}
			m := loops[i+1].n
			replace(loops[i].name, fmt.Sprintf("%s // %d", l.name, m))
			replace(loops[i+1].name, fmt.Sprintf("%s %% %d", l.name, m))
			loops = slices.Replace(loops, i, i+2, l)
		}
	}
	var decl []string
	for _, l := range loops {
		decl = append(decl, fmt.Sprintf("%s=0:%d", l.name, l.n))
	}
	level := []string{"", "", "", "bijective", "nocheck"}[r.IntN(5)]
	return fmt.Sprintf("%s|%s|%s|%s|%d", strings.Join(decl, " "), strings.Join(bind, "; "), strings.Join(preds, " and "), level, r.IntN(2))
}

// randomIterCase draws indices and predicates that few schedules make.
func randomIterCase(t *testing.T, r *rand.Rand) string {
	decl := []string{"a=0:4 b=0:6", "a=0:12", "a=0:2 b=0:3 c=0:4", "a=0:4 b=0:1 c=0:2", "a=0:10 b=2:5", "n a=0:n b=0:4"}[r.IntN(6)]
	sc := newScope(t, decl)
	var vars []*tir.Var
	for _, n := range sc.names {
		if n != "n" {
			vars = append(vars, sc.vars[n])
		}
	}
	var indices []string
	for range 1 + r.IntN(3) {
		indices = append(indices, show(randomIndex(r, vars, r.IntN(4))))
	}
	pred := ""
	if r.IntN(3) == 0 {
		pred = fmt.Sprintf("%s < %d", show(randomIndex(r, vars, r.IntN(3))), 1+r.IntN(12))
	}
	level := []string{"", "", "", "bijective", "nocheck"}[r.IntN(5)]
	return fmt.Sprintf("%s|%s|%s|%s|%d", decl, strings.Join(indices, "; "), pred, level, r.IntN(2))
}

// TestIterMapAgainstTVM compares what becomes of indices and whether they are
// accepted.
func TestIterMapAgainstTVM(t *testing.T) {
	for _, c := range []struct {
		name  string
		share float64
		draw  func(r *rand.Rand) string
	}{
		{"schedules", 0.99, splitFuse},
		{"random", 0.95, func(r *rand.Rand) string { return randomIterCase(t, r) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(23, uint64(envOr("HONE_ARITH_SEED", 24))))
			var lines []string
			for range envOr("HONE_ARITH_CASES", 8000) {
				lines = append(lines, c.draw(r)+" =>")
			}
			var have agreement
			for i, want := range tvmLines(t, "itermap", lines) {
				in := strings.TrimSuffix(lines[i], " =>")
				if !strings.HasPrefix(want, "error") {
					have.compare(t, in, iterMapText(parseIterCase(t, in)), want)
				}
			}
			have.require(t, c.name, c.share)
		})
	}
}

// TestEvalSetAgainstTVM compares symbolic intervals of index expressions, some
// variables relaxed over their ranges and others kept.
func TestEvalSetAgainstTVM(t *testing.T) {
	r := rand.New(rand.NewPCG(25, uint64(envOr("HONE_ARITH_SEED", 26))))
	var lines []string
	var scopes []*scope
	for len(lines) < envOr("HONE_ARITH_CASES", 6000) {
		decl := []string{"i=0:16 j=0:4 v w", "i=0:5 j=0:3 k=0:8 v", "i=0:64 v", "I=0:16 J=0:7 V"}[r.IntN(4)]
		sc := newScope(t, decl)
		lines, scopes = append(lines, "scope "+decl), append(scopes, sc)
		for range 8 {
			lines, scopes = append(lines, show(scheduleExpr(r, sc, false))+" =>"), append(scopes, sc)
		}
	}
	var have agreement
	for i, want := range tvmLines(t, "interval", lines) {
		if want == "" || strings.HasPrefix(want, "error") {
			continue
		}
		in, sc, a := strings.TrimSuffix(lines[i], " =>"), scopes[i], NewAnalyzer()
		s := a.EvalSet(sc.parse(t, in), sc.doms())
		want = strings.NewReplacer("neg_inf", "inf", "pos_inf", "inf").Replace(want)
		have.compare(t, strings.Join(sc.decl, " ")+" | "+in, showEnd(a, s.Lo)+" : "+showEnd(a, s.Hi), want)
	}
	have.require(t, "intervals", 0.95)
}

// TestIndexMapAgainstTVM compares shapes, inverses and padded inverses of maps
// that split, join and reorder dimensions.
func TestIndexMapAgainstTVM(t *testing.T) {
	r := rand.New(rand.NewPCG(27, uint64(envOr("HONE_ARITH_SEED", 28))))
	var lines []string
	for range envOr("HONE_ARITH_CASES", 2000) {
		f := strings.Split(splitFuse(r), "|")
		lines = append(lines, f[0]+"|"+f[1]+" =>")
	}
	var have agreement
	for i, want := range tvmLines(t, "indexmap", lines) {
		in := strings.TrimSuffix(lines[i], " =>")
		if !strings.HasPrefix(want, "error") {
			have.compare(t, in, indexMapText(t, in), want)
		}
	}
	have.require(t, "index maps", 0.95)
}

func indexMapText(t *testing.T, line string) string {
	c := parseIterCase(t, line)
	m, a := &tir.IndexMap{Final: c.indices}, NewAnalyzer()
	var shape []tir.Expr
	for _, l := range c.loops {
		m.Initial, shape = append(m.Initial, l.Var), append(shape, l.Dom.Extent)
	}
	list := func(es []tir.Expr, sep string) string {
		var out []string
		for _, e := range es {
			out = append(out, show(e))
		}
		return strings.Join(out, sep)
	}
	named := func(m *tir.IndexMap) *tir.IndexMap {
		sub := map[*tir.Var]tir.Expr{}
		for i, v := range m.Initial {
			sub[v] = tir.NewVar(fmt.Sprintf("axis%d", i), v.Type)
		}
		return &tir.IndexMap{Final: tir.SubstituteAll(m.Final, sub)}
	}
	out := [3]string{"none", "none", "none"}
	if s, err := a.MapShape(m, shape); err == nil {
		out[0] = list(s, " ")
	}
	if inv, err := a.Inverse(m, shape); err == nil {
		out[1] = list(named(inv).Final, "; ")
	}
	if inv, pad, err := a.PaddedInverse(m, shape); err == nil {
		sub := map[*tir.Var]tir.Expr{}
		for i, v := range inv.Initial {
			sub[v] = tir.NewVar(fmt.Sprintf("axis%d", i), v.Type)
		}
		out[2] = list(named(inv).Final, "; ") + " where " + show(tir.Substitute(pad, sub))
	}
	return strings.Join(out[:], " | ")
}
