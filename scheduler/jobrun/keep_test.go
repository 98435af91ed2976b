package jobrun

import (
	"slices"
	"strings"
	"testing"

	"hone/compiler/target"
	"hone/cost/feature"
	"hone/db/store"
	"hone/scheduler"
)

// TestModelsAreKept: a job leaves its cost model once, when it stops, and the next
// one starts with it: it searches by a model from the first round on.
func TestModelsAreKept(t *testing.T) {
	w := newWorld(t, 60)
	d, _ := w.search()
	if _, err := d.Propose(t.Context(), scheduler.Room{Stopping: true}); err != nil {
		t.Fatal(err)
	}
	if len(w.lib.models) != 1 {
		t.Fatalf("%d models kept", len(w.lib.models))
	}
	m := w.lib.models[0]
	if m.Checksum != store.Sum(m.Text) || m.Features != feature.Version || m.Width != feature.Width || m.Target != w.tasks[0].Target || m.Project != "default" || !strings.Contains(string(m.Meta), `"samples":`) {
		t.Errorf("kept: target %s, features %d of %d, %s", m.Target, m.Width, m.Features, m.Meta)
	}
	next := newWorld(t, 20)
	next.lib.models = w.lib.models
	e := next.open()
	if n := e.Notes(); len(n) != 1 || !strings.Contains(n[0], "starts with the cost model of") {
		t.Errorf("notes: %q", n)
	}
	if e.(*driver).model.Fit(nil) == nil {
		t.Error("the kept model predicts nothing before the first sample")
	}
	warm, cold := next.run(0), newWorld(t, 20).run(0)
	if slices.Equal(warm, cold) {
		t.Error("the kept model changes nothing")
	}
	again := newWorld(t, 20)
	again.lib.models = w.lib.models
	if got := again.run(1); !slices.Equal(got, warm) {
		t.Error("killed after every result it proposes others")
	}
}

// TestUselessModels are dropped, never the job.
func TestUselessModels(t *testing.T) {
	w := newWorld(t, 60)
	w.search()
	good := w.lib.models[0].Text
	for name, text := range map[string]string{"empty": "", "noise": "tree", "cut": good[:len(good)/2], "another schema": strings.Replace(good, "schema ", "schema x", 1)} {
		next := newWorld(t, 12)
		next.lib.models = []store.CostModel{{Text: text}}
		d := next.open()
		if n := d.Notes(); len(n) != 1 || !strings.Contains(n[0], "without one") {
			t.Errorf("%s: %q", name, n)
		}
		if got, want := next.run(0), newWorld(t, 12).run(0); !slices.Equal(got, want) {
			t.Errorf("%s: other proposals than without a model", name)
		}
	}
	// A learner that is given one directly does the same.
	if NewLearner(target.Target{}, []byte(good[:9])).Fit(nil) != nil {
		t.Error("a damaged model predicts")
	}
}
