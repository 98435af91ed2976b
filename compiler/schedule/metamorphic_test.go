package schedule_test

import (
	"os"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
)

// TestRandomSequences: whatever is accepted computes the same, replays from its
// JSON and survives printing and reading. With HONE_TEST_ALL it plays 10,000
// sequences of up to 12 primitives.
func TestRandomSequences(t *testing.T) {
	funcs := small(t)
	sequences := 14 * 10
	if os.Getenv("HONE_TEST_ALL") != "" {
		sequences = 10_000
	}
	accepted, tried := map[string]int{}, map[string]int{}
	names := smallNames(t)
	for i := range sequences {
		name := names[i%len(names)]
		g := play(t, name, funcs[name], i/len(names), 1+i/len(names)%12, true)
		after := g.s.Func()
		checkRoundTrip(t, g.pos(), g.module(), g.s)
		checkSame(t, g.pos(), g.module(), g.s.Module())
		checkPrints(t, g.pos(), after)
		for k, n := range g.accepted {
			accepted[k] += n
			tried[k] += n
		}
		for _, r := range g.refused {
			tried[r.move]++
		}
		if t.Failed() {
			text, _ := g.trace().MarshalJSON()
			t.Fatalf("%s:\n%s", g.pos(), text)
		}
	}
	for _, m := range moves {
		if !m.changes && accepted[m.kind] == 0 && sequences >= 10_000 {
			t.Errorf("%s was never accepted", m.kind)
		}
	}
	t.Logf("%d sequences; accepted %v of %v", sequences, accepted, tried)
}

// checkPrints: the function reads back equal from its text.
func checkPrints(t *testing.T, pos string, f *tir.PrimFunc) {
	t.Helper()
	text := tir.Script(f)
	back, err := tvmscript.ParseFunc(text)
	if err != nil {
		t.Errorf("%s: %v\n%s", pos, err, text)
		return
	}
	if d := tir.Diff(f, back); d != "" {
		t.Errorf("%s: reads back differently: %s\n%s", pos, d, text)
	}
	if again := tir.Script(back); again != text {
		t.Errorf("%s: printing is not stable:\n%s\nthen\n%s", pos, text, again)
	}
}

// Every kind has a move, and every move a kind.
func TestMovesCoverKinds(t *testing.T) {
	have := map[string]bool{}
	for _, m := range moves {
		have[m.kind] = true
	}
	for _, k := range schedule.Kinds() {
		if !have[k.Name] {
			t.Errorf("no move tries %s", k.Name)
		}
	}
}
