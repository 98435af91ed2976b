package mutator_test

import (
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/trace"
	"hone/internal/golden"
	"hone/internal/rng"
	"hone/tuner/mutator"
	"hone/tuner/preset"
	"hone/tuner/tunertest"
)

func owner(name string) (preset.Preset, mutator.Mutator) {
	for _, p := range []preset.Preset{preset.CPUParity(), preset.CPU()} {
		for _, m := range p.Mutators {
			if m.Mutator.Name() == name {
				return p, m.Mutator
			}
		}
	}
	return preset.Preset{}, nil
}

// Scripts give what one member changes in a schedule: `mutate WORKLOAD sketch=N
// seed=N` draws it from the member's preset and applies the member several times,
// each time to what the result of the time before replays to, with the decisions
// that had to be repaired. It must verify and compute the same, and the same seed
// must give the same change.
func TestMutators(t *testing.T) {
	golden.Run(t, "testdata/*.txt", func(t *testing.T, c *golden.Case) string {
		p, m := owner(path.Base(t.Name()))
		if m == nil {
			t.Fatalf("no preset has the member %s", path.Base(t.Name()))
		}
		f, tgt := tunertest.Function(t, c), tunertest.CaseTarget(t, c)
		oracle := tunertest.NewOracle(t, f)
		ctx := &mutator.Context{Target: &tgt, Base: schedule.NewFunc(f, nil)}
		tr := trace.Of(tunertest.Drawn(t, c, p)).Simplified(true)
		var b strings.Builder
		for i := range 6 {
			next, ok := m.Mutate(ctx, tr, rng.New(9, i))
			if again, okAgain := m.Mutate(ctx, tr, rng.New(9, i)); ok != okAgain || ok && !reflect.DeepEqual(again.Decisions, next.Decisions) {
				t.Fatalf("%s: the same seed gave another change", c.Pos)
			}
			if !ok {
				b.WriteString("nothing to change\n")
				continue
			}
			if n := changes(&b, "", tr, next); n != 1 {
				t.Errorf("%s: %d changes, want one", c.Pos, n)
			}
			s := schedule.NewFunc(f, nil)
			if err := next.Replay(s, trace.Options{}); err != nil {
				fmt.Fprintf(&b, "  refused: %v\n", err)
				continue
			}
			changes(&b, "  repaired ", next, trace.Of(s))
			oracle.Scheduled(t, c.Pos, s.Func())
			tr = trace.Of(s)
		}
		return b.String()
	})
}

// changes writes which decisions and constants differ between two traces of the
// same instructions.
func changes(b *strings.Builder, prefix string, from, to trace.Trace) int {
	n := 0
	for i := range from.Insts {
		if d := from.Decisions[i]; !reflect.DeepEqual(d, to.Decisions[i]) {
			fmt.Fprintf(b, "%s%d %s: %v -> %v\n", prefix, i, from.Insts[i].Kind.Name, d, to.Decisions[i])
			n++
		}
		x, y := from.Insts[i].Inputs, to.Insts[i].Inputs
		if len(x) == 0 {
			continue
		}
		was, isInt := x[len(x)-1].(int64)
		if now := y[len(y)-1]; isInt && now != any(was) {
			fmt.Fprintf(b, "%s%d %s %v: %v -> %v\n", prefix, i, from.Insts[i].Kind.Name, from.Insts[i].Attrs[0], was, now)
			n++
		}
	}
	return n
}

// Every member of a preset has a script and a file of its name, and the weights
// of a preset add up to one.
func TestEveryMutatorHasAScript(t *testing.T) {
	for _, p := range []preset.Preset{preset.CPUParity(), preset.CPU()} {
		sum := 0.0
		for _, m := range p.Mutators {
			sum += m.Weight
			for _, want := range []string{m.Mutator.Name() + ".go", filepath.Join("testdata", m.Mutator.Name()+".txt")} {
				if found, _ := filepath.Glob(want); found == nil {
					t.Errorf("%s is missing", want)
				}
			}
		}
		if sum < 0.999 || sum > 1.001 {
			t.Errorf("%s: the weights add up to %v", p.Name, sum)
		}
	}
}
