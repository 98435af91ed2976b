package cost

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

func saved(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSaveAndLoad(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 1))
	m := newModel(t, nil)
	if err := m.Save(&bytes.Buffer{}); !errors.Is(err, ErrNotReady) {
		t.Errorf("saving an untrained model: %v", err)
	}
	f, s := simulate(t, r, 200, [3]int64{512, 512, 512})
	update(t, m, "w", f, s)
	stored := saved(t, m)
	n := newModel(t, nil)
	if err := n.Load(stored); err != nil {
		t.Fatal(err)
	}
	if !n.Ready() || !slices.Equal(n.Predict(f), m.Predict(f)) {
		t.Error("the loaded model predicts something else")
	}
	if !bytes.Equal(saved(t, n), stored) {
		t.Error("the loaded model saves as something else")
	}
}

// TestLoadedModelIsContinued: few results of a new workload improve a stored
// model, and trees do not grow without end.
func TestLoadedModelIsContinued(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	m := newModel(t, nil)
	f, s := simulate(t, r, 300, [3]int64{512, 512, 512})
	update(t, m, "w", f, s)
	stored, trees := saved(t, m), m.Report().Trees

	warm, cold := newModel(t, nil), newModel(t, nil)
	if err := warm.Load(stored); err != nil {
		t.Fatal(err)
	}
	f, s = simulate(t, r, 40, [3]int64{256, 1024, 512})
	rep := update(t, warm, "v", f, s)
	update(t, cold, "v", f, s)
	if rep.Trees <= trees || rep.History != 340 || rep.Before.Candidates == 0 {
		t.Errorf("%+v after %d trees", rep, trees)
	}
	f, s = simulate(t, r, 200, [3]int64{256, 1024, 512})
	a, b := Grade(warm.Predict(f), s, 32), Grade(cold.Predict(f), s, 32)
	t.Logf("warm %+v, cold %+v", a, b)
	if a.PairAccuracy < b.PairAccuracy+0.02 {
		t.Errorf("warm start orders %.3f of the pairs, cold %.3f", a.PairAccuracy, b.PairAccuracy)
	}

	bounded := newModel(t, func(o *Options) { o.MaxTrees = 150 })
	if err := bounded.Load(stored); err != nil {
		t.Fatal(err)
	}
	if rep := update(t, bounded, "v", f, s); rep.Trees > 150 {
		t.Errorf("%d trees of 150", rep.Trees)
	}
}

func TestLoadRejects(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1))
	m := newModel(t, func(o *Options) { o.Params.Trees = 3 })
	f, s := simulate(t, r, 40, [3]int64{512, 512, 512})
	update(t, m, "w", f, s)
	stored := saved(t, m)

	other := newModel(t, func(o *Options) { o.Schema = "hone-features-0" })
	if err := other.Load(stored); !errors.Is(err, ErrSchema) || other.Ready() {
		t.Errorf("another schema: %v", err)
	}
	renamed := newModel(t, func(o *Options) { o.Names = append([]string{"x"}, o.Names[1:]...) })
	if err := renamed.Load(stored); !errors.Is(err, ErrSchema) || renamed.Ready() {
		t.Errorf("other columns: %v", err)
	}
	fresh := newModel(t, nil)
	for _, bad := range [][]byte{nil, []byte("hello\n"), stored[:len(stored)/2], append(slices.Clone(stored), 'x')} {
		if err := fresh.Load(bad); err == nil || fresh.Ready() {
			t.Errorf("%d bytes: %v", len(bad), err)
		}
	}
	for range 50 {
		bad := slices.Clone(stored)
		bad[r.IntN(len(bad))] ^= 4
		if err := fresh.Load(bad); err == nil || fresh.Ready() {
			t.Error("a damaged model is accepted")
		}
	}
}
