package dbtest

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"hone/db/store"
)

func testWorkloads(t *testing.T, s store.Store) {
	w := store.Workload{Hash: "h1", Name: "matmul", Text: "@T.prim_func\ndef main(): …"}
	ok(t, s.PutWorkloads(ctx, w))
	ok(t, s.PutWorkloads(ctx, w, workload("other")))
	equal(t, "workload", must[store.Workload](t)(s.Workload(ctx, "h1")), w)
	// The hash ignores names, so another model may spell the same function
	// differently. Records hold traces that find blocks by the names of the first
	// text, which therefore stays.
	again := w
	again.Text = "the same function with other names"
	ok(t, s.PutWorkloads(ctx, workload("third"), again))
	equal(t, "first text", must[store.Workload](t)(s.Workload(ctx, "h1")).Text, w.Text)
	again.Structure = "s1"
	ok(t, s.PutWorkloads(ctx, again))
	again.Structure = "s2"
	ok(t, s.PutWorkloads(ctx, again))
	w.Structure = "s1"
	equal(t, "first structure", must[store.Workload](t)(s.Workload(ctx, "h1")), w)
	ok(t, s.PutTargets(ctx, zen3, zen3, arm))
	wantErr(t, s.PutTargets(ctx, store.Target{Key: "x"}), store.ErrInvalid)
	targets := must[[]store.Target](t)(s.Targets(ctx))
	equal(t, "targets", len(targets), 2)
	equal(t, "features", slices.Equal(targets[1].Features, zen3.Features), true)
}

func testSettings(t *testing.T, s store.Store) {
	equal(t, "the first decides", must[string](t)(s.Setting(ctx, "cluster", "a")), "a")
	equal(t, "for the second, too", must[string](t)(s.Setting(ctx, "cluster", "b")), "a")
	equal(t, "another name", must[string](t)(s.Setting(ctx, "other", "b")), "b")
}

func testCostModels(t *testing.T, s store.Store) {
	m := store.CostModel{Project: store.LocalProject, Target: zen3.Key, Features: 3, Width: 164, Text: "tree\nversion=v3\n", Meta: json.RawMessage(`{"rank":0.9}`)}
	wantErr(t, s.PutCostModel(ctx, m), store.ErrInvalid) // no checksum
	m.Checksum = store.Sum(m.Text)
	ok(t, s.PutCostModel(ctx, m))
	newer := m
	newer.Text += "leaf"
	newer.Checksum = store.Sum(newer.Text)
	ok(t, s.PutCostModel(ctx, newer))
	later := time.Now().Add(time.Hour)
	got := must[store.CostModel](t)(s.CostModel(ctx, store.LocalProject, zen3.Key, 3, later))
	equal(t, "the newest", got.Text, newer.Text)
	equal(t, "width", got.Width, 164)
	equal(t, "meta", string(got.Meta), `{"rank":0.9}`)
	_, err := s.CostModel(ctx, store.LocalProject, zen3.Key, 4, later)
	wantErr(t, err, store.ErrNotFound)
	_, err = s.CostModel(ctx, store.LocalProject, zen3.Key, 3, got.At.Add(-time.Hour))
	wantErr(t, err, store.ErrNotFound) // none was there
}
