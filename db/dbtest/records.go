package dbtest

import (
	"slices"
	"testing"
	"time"

	"hone/db/store"
)

// found tunes n trials of a workload with falling times and returns their
// records.
func found(t *testing.T, s store.Store, n store.NewJob, times ...float64) []int64 {
	t.Helper()
	j, tasks := running(t, s, n)
	var out []int64
	for _, ns := range times {
		out = append(out, measured(t, s, propose(t, s, j, tasks[0].ID, 1)[0], ns).Record)
	}
	return out
}

func promotion(record, against int64) store.Promotion {
	return store.Promotion{Project: store.LocalProject, Workload: "h-matmul", Target: zen3.Key, Record: record, Against: against, Ratio: 0.8, CILow: 0.7, CIHigh: 0.9}
}

func testChampions(t *testing.T, s store.Store) {
	recs := found(t, s, newJob(10), 30, 20, 10)
	_, err := s.Champion(ctx, store.LocalProject, "h-matmul", zen3.Key)
	wantErr(t, err, store.ErrNotFound)
	first := must[store.Champion](t)(s.Promote(ctx, promotion(recs[0], 0)))
	_, err = s.Promote(ctx, promotion(recs[1], 0))
	wantErr(t, err, store.ErrStale) // raced against none, but there is one
	second := must[store.Champion](t)(s.Promote(ctx, promotion(recs[1], first.ID)))
	_, err = s.Promote(ctx, promotion(recs[2], first.ID))
	wantErr(t, err, store.ErrStale) // raced against the one before
	equal(t, "current", must[store.Champion](t)(s.Champion(ctx, store.LocalProject, "h-matmul", zen3.Key)).ID, second.ID)
	history := must[[]store.Champion](t)(s.Champions(ctx, store.LocalProject, "h-matmul", zen3.Key))
	equal(t, "champions so far", len(history), 2)
	equal(t, "the first is superseded", history[0].SupersededAt.IsZero(), false)
	equal(t, "the second is not", history[1].SupersededAt.IsZero(), true)

	p := promotion(recs[2], second.ID)
	p.CIHigh = 1
	_, err = s.Promote(ctx, p)
	wantErr(t, err, store.ErrInvalid) // no gain shown
	p = promotion(recs[2], second.ID)
	p.Workload = "h-other"
	_, err = s.Promote(ctx, p)
	wantErr(t, err, store.ErrNotFound) // a record of another workload
	equal(t, "unchanged", must[store.Champion](t)(s.Champion(ctx, store.LocalProject, "h-matmul", zen3.Key)).Record, recs[1])
}

func testListRecords(t *testing.T, s store.Store) {
	n := newJob(10)
	recs := found(t, s, n, 30, 20)
	conv := found(t, s, newJob(10, "conv"), 5)
	all := must[[]store.Record](t)(s.ListRecords(ctx, store.RecordFilter{}))
	equal(t, "all, newest first", all[0].ID, conv[0])
	equal(t, "count", len(all), 3)
	equal(t, "workload", len(must[[]store.Record](t)(s.ListRecords(ctx, store.RecordFilter{Workload: "h-matmul", Target: zen3.Key}))), 2)
	page := must[[]store.Record](t)(s.ListRecords(ctx, store.RecordFilter{Before: recs[1]}))
	equal(t, "page", len(page), 1)
	r := page[0]
	equal(t, "time", r.Ns, 30.0)
	equal(t, "samples", len(r.Samples), 3)
	equal(t, "toolchain", string(r.Toolchain), `{"cc":"gcc"}`)
	equal(t, "trace", string(r.Trace), `{"n":1}`)
	equal(t, "other project", len(must[[]store.Record](t)(s.ListRecords(ctx, store.RecordFilter{Project: "other"}))), 0)
}

// kin is newJob for workloads of one structure.
func kin(structure string, workload string) store.NewJob {
	n := newJob(0, workload)
	n.Workloads[0].Structure = structure
	return n
}

func testRelated(t *testing.T, s store.Store) {
	near := found(t, s, kin("s", "near"), 30, 10, 20)
	far := found(t, s, kin("s", "far"), 5)
	found(t, s, kin("other", "stranger"), 1)
	found(t, s, kin("", "unknown"), 1)
	n := kin("s", "near")
	n.Targets, n.Tasks[0].Target = []store.Target{arm}, arm.Key
	found(t, s, n, 1)
	found(t, s, kin("s", "self"), 2)
	q := store.RelatedQuery{Project: store.LocalProject, Workload: "h-self", Target: zen3.Key, Before: time.Now().Add(time.Hour), Each: 2, Limit: 5}
	ids := func(q store.RelatedQuery) (out []int64) {
		for _, r := range must[[]store.Record](t)(s.Related(ctx, q)) {
			out = append(out, r.ID)
		}
		return out
	}
	same := func(what string, got []int64, want ...int64) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Fatalf("%s: got %v, want %v", what, got, want)
		}
	}
	same("the fastest of each, the newest workload first", ids(q), far[0], near[1], near[2])
	one := q
	one.Limit = 1
	same("one workload", ids(one), far[0])
	early := q
	early.Before = must[[]store.Record](t)(s.ListRecords(ctx, store.RecordFilter{Job: jobOf(t, s, far[0])}))[0].At
	same("before the other workload's", ids(early), near[1], near[2])
	for what, change := range map[string]func(*store.RelatedQuery){
		"without a structure": func(q *store.RelatedQuery) { q.Workload = "h-unknown" },
		"of nobody":           func(q *store.RelatedQuery) { q.Workload = "h-nobody" },
		"of another project":  func(q *store.RelatedQuery) { q.Project = "other" },
	} {
		x := q
		change(&x)
		same(what, ids(x))
	}
}

// jobOf is the job that a record is of.
func jobOf(t *testing.T, s store.Store, record int64) string {
	t.Helper()
	for _, r := range must[[]store.Record](t)(s.ListRecords(ctx, store.RecordFilter{})) {
		if r.ID == record {
			return r.Job
		}
	}
	t.Fatalf("no record %d", record)
	return ""
}
