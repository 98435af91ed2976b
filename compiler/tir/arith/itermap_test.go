package arith

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"hone/compiler/tir"
)

// iterCase is one line "scope | indices | predicate | level | trivial".
type iterCase struct {
	sc      *scope
	loops   []Loop
	indices []tir.Expr
	pred    tir.Expr
	level   Level
	trivial bool
}

func parseIterCase(t testing.TB, line string) iterCase {
	f := strings.Split(line, "|")
	for len(f) < 5 {
		f = append(f, "")
	}
	c := iterCase{sc: newScope(t, f[0]), level: Surjective, trivial: strings.TrimSpace(f[4]) == "1"}
	for _, n := range c.sc.names {
		v := c.sc.vars[n]
		if b, ok := c.sc.box[v]; ok {
			c.loops = append(c.loops, Loop{v, tir.Range{Min: tir.Int(b.Lo), Extent: tir.Int(b.Hi - b.Lo + 1)}})
		} else if r, ok := c.sc.open[v]; ok {
			c.loops = append(c.loops, Loop{v, r})
		}
	}
	for _, s := range strings.Split(f[1], ";") {
		c.indices = append(c.indices, c.sc.parse(t, s))
	}
	if s := strings.TrimSpace(f[2]); s != "" {
		c.pred = c.sc.parse(t, s)
	}
	switch strings.TrimSpace(f[3]) {
	case "bijective":
		c.level = Bijective
	case "nocheck":
		c.level = NoCheck
	}
	return c
}

// TestIterMapForm holds IterMapSimplify and DetectIterMap against
// testdata/itermap.txt.
func TestIterMapForm(t *testing.T) {
	text, err := os.ReadFile("testdata/itermap.txt")
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(string(text), "\n") {
		in, want, ok := strings.Cut(line, "=>")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		got := iterMapText(parseIterCase(t, in))
		if got != strings.TrimSpace(want) {
			t.Errorf("line %d: %s\n\tgot  %s\n\twant %s", n+1, in, got, want)
		}
	}
}

// iterMapText is what becomes of the indices of c and whether they are accepted.
func iterMapText(c iterCase) string {
	var out []string
	for _, e := range IterMapSimplify(c.indices, c.loops, c.pred, c.level, c.trivial) {
		out = append(out, show(e))
	}
	verdict := " | affine"
	if _, err := DetectIterMap(c.indices, c.loops, c.pred, c.level, c.trivial); err != nil {
		verdict = " | no"
	}
	return strings.Join(out, "; ") + verdict
}

// randomIndex draws an index over the loops the way schedules make them: sums,
// constant multiples, quotients and remainders.
func randomIndex(r *rand.Rand, vars []*tir.Var, depth int) tir.Expr {
	if depth == 0 || r.IntN(5) == 0 {
		return vars[r.IntN(len(vars))]
	}
	c := tir.Int([]int64{1, 2, 2, 3, 4, 4, 6, 8, 12}[r.IntN(9)])
	x := randomIndex(r, vars, depth-1)
	switch r.IntN(6) {
	case 0:
		return tir.NewBinary(tir.OpFloorDiv, x, c)
	case 1:
		return tir.NewBinary(tir.OpFloorMod, x, c)
	case 2:
		return tir.NewBinary(tir.OpMul, x, c)
	case 3:
		return tir.NewBinary(tir.OpAdd, x, tir.Int(int64(r.IntN(5))))
	}
	return tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpMul, x, c), randomIndex(r, vars, depth-1))
}

// TestIterMapMeansWhatItSays: accepted maps have the promised image on every
// point of the domain that satisfies the predicate, and rewriting keeps values.
func TestIterMapMeansWhatItSays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	accepted := map[Level]int{}
	for i := 0; i < 9000 && !t.Failed(); i++ {
		c := parseIterCase(t, []string{"a=0:4 b=0:6|a", "a=0:12|a", "a=0:2 b=0:3 c=0:4|a", "a=0:4 b=0:1 c=0:2|a", "a=0:10 b=2:5|a"}[i%5])
		var vars []*tir.Var
		for _, l := range c.loops {
			vars = append(vars, l.Var)
		}
		c.level = Level(i / 5 % 3)
		c.trivial = i%2 == 0
		c.indices = c.indices[:0]
		for n := 1 + r.IntN(3); n > 0; n-- {
			c.indices = append(c.indices, randomIndex(r, vars, r.IntN(4)))
		}
		if r.IntN(3) == 0 {
			x := c.indices[r.IntN(len(c.indices))]
			c.pred = tir.NewBinary(tir.OpLT, x, tir.Int(int64(3+r.IntN(9))))
		}
		checkIterMap(t, &c, accepted)
	}
	if accepted[Bijective] < 50 || accepted[Surjective] < 500 {
		t.Errorf("too few accepted maps to mean anything: %v", accepted)
	}
}

func checkIterMap(t *testing.T, c *iterCase, accepted map[Level]int) {
	sums, err := DetectIterMap(c.indices, c.loops, c.pred, c.level, c.trivial)
	out := IterMapSimplify(c.indices, c.loops, c.pred, c.level, c.trivial)
	if err == nil {
		accepted[c.level]++
	}
	points, each := map[string]int{}, make([]map[int64]bool, len(c.indices))
	domain := 0
	checkAll(c.sc, func(env map[*tir.Var]int64) bool {
		if c.pred != nil {
			if v, _ := eval(c.pred, env); v == 0 {
				return true
			}
		}
		domain++
		key := ""
		for i, e := range c.indices {
			v, _ := eval(e, env)
			if w, _ := eval(out[i], env); v != w {
				t.Errorf("%s became %s: %d, not %d", show(e), show(out[i]), w, v)
			}
			if err == nil {
				if w, _ := eval(sums[i].Expr(e.DType()), env); v != w {
					t.Errorf("%s was detected as %s: %d, not %d", show(e), show(sums[i].Expr(e.DType())), w, v)
				}
			}
			if each[i] == nil {
				each[i] = map[int64]bool{}
			}
			each[i][v] = true
			key += show(tir.Int(v)) + ","
		}
		points[key]++
		return !t.Failed()
	})
	if err != nil || c.level == NoCheck || domain == 0 {
		return
	}
	box := 1
	for _, s := range each {
		box *= len(s)
	}
	if len(points) != box {
		t.Errorf("%s: accepted, but reaches %d of %d points", describe(c), len(points), box)
	}
	if c.level == Bijective && len(points) != domain {
		t.Errorf("%s: accepted as bijective, but %d points reach %d", describe(c), domain, len(points))
	}
}

func describe(c *iterCase) string {
	var out []string
	for _, e := range c.indices {
		out = append(out, show(e))
	}
	s := strings.Join(c.sc.names, " ") + " | " + strings.Join(out, "; ")
	if c.pred != nil {
		s += " | " + show(c.pred)
	}
	return s
}
