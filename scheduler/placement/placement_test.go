package placement

import (
	"testing"

	"pgregory.net/rapid"

	"hone/db/store"
	"hone/internal/wire"
)

func TestPoolNames(t *testing.T) {
	for got, want := range map[string]string{
		DevicePool(store.Target{Kind: "cpu", ISA: "x86_64", UArch: "zen3", Model: "AMD EPYC-Rome (KVM)"}): "d-cpu-x86_64-zen3-amd_epyc_rome_kvm",
		DevicePool(store.Target{Kind: "cpu", ISA: "x86_64"}):                                              "d-cpu-x86_64-any-any",
		DevicePool(store.Target{Kind: "cpu", ISA: "x", Model: "日本…!"}):                                    "d-cpu-x-any-any",
		BuildPool("x86_64-linux-gnu", "gcc"):                                                              "b-x86_64_linux_gnu-gcc",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if !wire.ValidPool(got) {
			t.Errorf("%s is no valid pool name", got)
		}
	}
}

func TestPoolNamesAreAlwaysValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String()
		p := DevicePool(store.Target{Kind: s.Draw(t, "kind"), ISA: s.Draw(t, "isa"), UArch: s.Draw(t, "uarch"), Model: s.Draw(t, "model")})
		if !wire.ValidPool(p) {
			t.Fatalf("%q is no valid pool name", p)
		}
	})
}

func TestCredit(t *testing.T) {
	for _, c := range []struct{ agents, out, want int }{{0, 0, 0}, {0, 3, 0}, {1, 0, 2}, {3, 5, 1}, {3, 9, 0}} {
		if got := Credit(c.agents, c.out); got != c.want {
			t.Errorf("Credit(%d, %d) = %d, want %d", c.agents, c.out, got, c.want)
		}
	}
}

func TestBatch(t *testing.T) {
	many := func(n int, f func(i int, t *store.Trial)) (out []store.Trial) {
		for i := range n {
			tr := store.Trial{ID: int64(i), Task: 1, Kind: store.Measure, State: store.TrialQueued, Attempt: 1}
			if f != nil {
				f(i, &tr)
			}
			out = append(out, tr)
		}
		return out
	}
	for _, c := range []struct {
		name   string
		trials []store.Trial
		agents int
		want   int
	}{
		{"none", nil, 1, 0},
		{"no more than one company", many(40, nil), 1, 8},
		{"spread over agents", many(8, nil), 4, 2},
		{"more agents than trials", many(3, nil), 8, 1},
		{"one task", many(6, func(i int, t *store.Trial) { t.Task = int64(i / 4) }), 1, 4},
		{"one stage", many(6, func(i int, t *store.Trial) { t.State = []store.TrialState{store.TrialBuilt, store.TrialQueued}[i%2] }), 1, 3},
		{"smaller at each attempt", many(40, func(_ int, t *store.Trial) { t.Attempt = 3 }), 1, 2},
		{"alone at last", many(40, func(_ int, t *store.Trial) { t.Attempt = 4 }), 1, 1},
		{"one attempt", many(40, func(i int, t *store.Trial) { t.Attempt = 1 + i%8 }), 1, 5},
		{"alone", many(4, func(i int, t *store.Trial) { t.Solo = i == 0 }), 1, 1},
		{"without those that travel alone", many(4, func(i int, t *store.Trial) { t.Solo = i == 1 }), 1, 3},
		{"finalists stay together", many(6, func(_ int, t *store.Trial) { t.Kind = store.Race }), 4, 6},
		{"one champion", many(6, func(i int, t *store.Trial) { t.Kind, t.Against = store.Race, int64(i%2) }), 1, 3},
	} {
		if got := Batch(c.trials, c.agents); len(got) != c.want {
			t.Errorf("%s: %d trials, want %d", c.name, len(got), c.want)
		}
	}
}
