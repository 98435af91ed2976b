package dbtest

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"hone/db/store"
)

// on is newJob for another target.
func on(g store.Target, workload string) store.NewJob {
	n := newJob(0, workload)
	n.Targets = []store.Target{g}
	n.Tasks[0].Target = g.Key
	return n
}

// variantOf changes a copy of zen3.
func variantOf(key string, change func(*store.Target)) store.Target {
	g := zen3
	g.Key = key
	change(&g)
	return g
}

var (
	sameBox  = variantOf("box/4", func(g *store.Target) { g.Threads = 4 })
	otherBox = variantOf("zen3/laptop", func(g *store.Target) { g.Model = "laptop" })
	skylake  = variantOf("skylake/server", func(g *store.Target) { g.Model, g.UArch = "server", "skylake" })
	arm      = variantOf("arm", func(g *store.Target) { g.ISA, g.UArch, g.Model = "aarch64", "a72", "pi" })
	opencl   = variantOf("opencl", func(g *store.Target) { g.Kind = "opencl" })
	ladder   = []store.Target{zen3, sameBox, otherBox, skylake, arm, opencl}
)

func query(layers []string, workloads ...string) store.LookupQuery {
	if layers == nil {
		layers = []string{store.LocalProject}
	}
	return store.LookupQuery{Layers: layers, Workloads: workloads, Target: zen3}
}

func testLadder(t *testing.T, s store.Store) {
	recs := map[string]int64{}
	for i, g := range ladder {
		recs[g.Key] = found(t, s, on(g, "matmul"), float64(100-i))[0]
	}
	found(t, s, on(arm, "conv"), 1)
	ok(t, s.PutWorkloads(ctx, workload("untuned")))
	b := must[store.Bundle](t)(s.Lookup(ctx, query(nil, "h-untuned", "h-matmul", "h-nobody", "h-conv", "h-matmul")))
	equal(t, "entries, as asked", len(b.Entries), 5)
	equal(t, "known without hits", b.Entries[0].Known && len(b.Entries[0].Hits) == 0, true)
	equal(t, "unknown", b.Entries[2].Known, false)
	equal(t, "tuned elsewhere only", b.Entries[3].Known && len(b.Entries[3].Hits) == 0, true)
	equal(t, "asked twice, answered twice", len(b.Entries[4].Hits), 4)
	want := []store.Target{zen3, sameBox, otherBox, skylake}
	for i, h := range b.Entries[1].Hits {
		equal(t, "rung", h.Rung, store.Rung(i))
		equal(t, "target at "+h.Rung.String(), h.Target, want[i].Key)
		equal(t, "record at "+h.Rung.String(), h.Record.ID, recs[want[i].Key])
		equal(t, "no champion yet", h.Champion == nil, true)
	}
	equal(t, "rungs", len(b.Entries[1].Hits), 4)
	empty := must[store.Bundle](t)(s.Lookup(ctx, query(nil)))
	equal(t, "nothing asked", len(empty.Entries), 0)
}

func testLookupOrder(t *testing.T, s store.Store) {
	recs := found(t, s, newJob(10), 30, 10, 20)
	hit := func() store.Hit {
		return must[store.Bundle](t)(s.Lookup(ctx, query(nil, "h-matmul"))).Entries[0].Hits[0]
	}
	equal(t, "without champions the least time", hit().Record.ID, recs[1])
	c := must[store.Champion](t)(s.Promote(ctx, promotion(recs[2], 0)))
	h := hit()
	equal(t, "a champion before a lesser time", h.Record.ID, recs[2])
	equal(t, "champion", h.Champion != nil && h.Champion.ID == c.ID && h.Champion.CIHigh == 0.9, true)
	equal(t, "trace", string(h.Record.Trace), `{"n":3}`)
	must[store.Champion](t)(s.Promote(ctx, promotion(recs[0], c.ID)))
	equal(t, "the current champion", hit().Record.ID, recs[0])

	// On one rung: a champion first, then equal threads, then the lesser time.
	more := variantOf("zen3/desk", func(g *store.Target) { g.Model = "desk" })
	four := variantOf("zen3/desk/4", func(g *store.Target) { g.Model, g.Threads = "desk", 4 })
	slow := found(t, s, on(more, "matmul"), 90)[0]
	fast := found(t, s, on(four, "matmul"), 5)[0]
	rung := func() store.Hit {
		return must[store.Bundle](t)(s.Lookup(ctx, query(nil, "h-matmul"))).Entries[0].Hits[1]
	}
	equal(t, "rung", rung().Rung, store.RungUArch)
	equal(t, "equal threads", rung().Record.ID, slow)
	p := promotion(fast, 0)
	p.Target = four.Key
	must[store.Champion](t)(s.Promote(ctx, p))
	equal(t, "champion", rung().Record.ID, fast)
}

func testLayers(t *testing.T, s store.Store) {
	ok(t, s.PutProject(ctx, "team", "the team's"))
	n := newJob(0)
	n.Job.Project = "team"
	team := found(t, s, n, 5)[0]
	own := found(t, s, newJob(0), 50)[0]
	for _, c := range []struct {
		layers []string
		want   int64
		layer  int
	}{
		{nil, own, 0}, {[]string{store.LocalProject, "team"}, own, 0}, {[]string{"team", store.LocalProject}, team, 0}, {[]string{"nobody", "team"}, team, 1},
	} {
		h := must[store.Bundle](t)(s.Lookup(ctx, query(c.layers, "h-matmul"))).Entries[0].Hits[0]
		equal(t, fmt.Sprint(c.layers), h.Record.ID, c.want)
		equal(t, fmt.Sprint("layer of ", c.layers), h.Layer, c.layer)
	}
	equal(t, "no layers", len(must[store.Bundle](t)(s.Lookup(ctx, query([]string{}, "h-matmul"))).Entries[0].Hits), 0)
}

// Planner is a store that can show its plan for a lookup.
type Planner interface {
	ExplainLookup(ctx context.Context, q store.LookupQuery) (string, error)
}

var fullScan = regexp.MustCompile(`(?i)(?:seq scan on|scan) (?:table )?(records|champions|workloads|rec|c|w|r)\b`)

// CheckPlan fails if the plan of a lookup reads a large table from end to end.
// Stores call it with a database of some size, or with a planner that is told
// not to prefer scans.
func CheckPlan(t *testing.T, p Planner) {
	t.Helper()
	plan, err := p.ExplainLookup(ctx, query(nil, "h-matmul", "h-conv"))
	ok(t, err)
	for _, line := range strings.Split(plan, "\n") {
		if fullScan.MatchString(line) && !strings.Contains(line, "USING INDEX") && !strings.Contains(line, "Index") {
			t.Errorf("the lookup scans a table: %s\nplan:\n%s", strings.TrimSpace(line), plan)
		}
	}
	if !strings.Contains(plan, "champions_current") || !strings.Contains(plan, "records_best") {
		t.Errorf("the lookup does without its indexes:\n%s", plan)
	}
}
