package schedule_test

import (
	"os"
	"slices"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
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
	names, wrong := smallNames(t), newTally()
	for i := range sequences {
		name := names[i%len(names)]
		g := play(t, name, funcs[name], i/len(names), 1+i/len(names)%12, true)
		if why := sound(t, g.before, g.trace()); why != "" {
			kind, size, example := g.shrink(t)
			wrong.add(kind, size, example)
		}
		checkRoundTrip(t, g.pos(), g.module(), g.s)
		for k, n := range g.accepted {
			accepted[k] += n
			tried[k] += n
		}
		for _, r := range g.refused {
			tried[r.move]++
		}
	}
	for kind, example := range wrong.example {
		t.Errorf("%d sequences go wrong with %s, the smallest:\n%s", wrong.count[kind], kind, example)
	}
	for _, m := range moves {
		if !m.changes && accepted[m.kind] == 0 && sequences >= 10_000 {
			t.Errorf("%s was never accepted", m.kind)
		}
	}
	t.Logf("%d sequences; accepted %v of %v", sequences, accepted, tried)
}

// sound performs a trace and says what is wrong with the result: it computes
// something else, or does not read back from its text.
func sound(t *testing.T, f *tir.PrimFunc, tr trace.Trace) string {
	t.Helper()
	s := withIntrins(t, schedule.NewFunc(f, nil))
	if err := tr.Replay(s, trace.Options{}); err != nil {
		return err.Error()
	}
	after := s.Func()
	if slices.Equal(f.Buffers(), after.Buffers()) { // else a parameter changed its layout
		if why := compare(f, after); why != "" {
			return why
		}
	}
	text := tir.Script(after)
	back, err := tvmscript.ParseFunc(text)
	if err != nil {
		return err.Error()
	}
	if d := tir.Diff(after, back); d != "" {
		return "it reads back differently: " + d
	}
	if again := tir.Script(back); again != text {
		return "printing is not stable:\n" + again
	}
	return ""
}

// shrink finds the shortest beginning of what was played that goes wrong.
func (g *game) shrink(t *testing.T) (kind string, size int, example string) {
	t.Helper()
	all := g.trace()
	for n := 1; ; n++ {
		tr := trace.Trace{Insts: all.Insts[:n], Decisions: all.Decisions[:n]}
		why := sound(t, g.before, tr)
		if why == "" && n < all.Len() {
			continue
		}
		s := withIntrins(t, schedule.NewFunc(g.before, nil))
		_ = tr.Replay(s, trace.Options{})
		calls := tr.Simplified(false)
		return all.Insts[n-1].Kind.Name, calls.Len(), g.pos() + ": " + why + "\n" + calls.String() + tir.Script(s.Func())
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
