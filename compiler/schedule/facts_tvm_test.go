package schedule_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"hone/compiler/schedule"
	"hone/compiler/schedule/script"
	"hone/compiler/trace"
)

// TestFactsAgainstTVM compares the facts that every block carries (affine
// bindings, region cover, stage pipeline) with the flags that Apache TVM keeps,
// after every instruction of every accepted script of testdata/prim. Where a script is
// marked `stale`, Apache TVM keeps other flags than it would find by looking, or does
// not replay its own form of the trace.
func TestFactsAgainstTVM(t *testing.T) {
	needTVM(t)
	var cases []*tvmCase
	var ours [][][]string
	var stale []bool
	paths, _ := filepath.Glob(filepath.Join("testdata", "prim", "*.txt"))
	for _, path := range paths {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if c, facts := factCase(t, d); c != nil && !d.HasArg("differs") {
				cases, ours, stale = append(cases, c), append(ours, facts), append(stale, d.HasArg("stale"))
			}
			return d.Expected
		})
	}
	states := 0
	for i, r := range runTVM(t, cases) {
		if r.Crashed {
			t.Logf("%s: TVM crashed", cases[i].pos)
			continue
		}
		n, diff := factsDiffer(cases[i], ours[i], r)
		states += n
		switch {
		case diff != "" && !stale[i]:
			t.Errorf("%s: %s", cases[i].pos, diff)
		case diff == "" && stale[i]:
			t.Errorf("%s is marked stale, and all facts are TVM's", cases[i].pos)
		}
	}
	t.Logf("%d scripts, %d states", len(cases), states)
	if states < 500 {
		t.Errorf("only %d states were compared", states)
	}
}

// factsDiffer says where the facts of a case are not TVM's, "" when they all are, and
// how many states were compared.
func factsDiffer(c *tvmCase, ours [][]string, r tvmResult) (states int, diff string) {
	if !r.OK {
		return 0, "TVM: " + r.Text
	}
	for k, n := range c.Steps {
		if !slices.Equal(ours[k], r.Facts[k]) {
			return k + 1, fmt.Sprintf("after %d instructions:\n--- hone\n%s\n--- TVM\n%s", n, strings.Join(ours[k], "\n"), strings.Join(r.Facts[k], "\n"))
		}
	}
	return len(c.Steps), ""
}

// factCase performs a script and says what is known after each of its
// instructions that change something; nil if it is refused.
func factCase(t *testing.T, d *datadriven.TestData) (*tvmCase, [][]string) {
	t.Helper()
	m, f := loadModule(t, d.CmdArgs[0].Key)
	s := begin(t, d, m)
	if err := script.Run(s, "", d.Input); err != nil {
		return nil, nil
	}
	c := newTVMCase(t, d.Pos, f, s)
	whole := trace.Of(s)
	c.Steps = []int{0}
	facts := [][]string{factLines(t, begin(t, d, m))}
	for i := range whole.Insts {
		if whole.Insts[i].Kind.Pure {
			continue
		}
		part := trace.Trace{Insts: whole.Insts[:i+1], Decisions: whole.Decisions[:i+1]}
		s := begin(t, d, m)
		if err := part.Replay(s, trace.Options{}); err != nil {
			t.Fatalf("%s: %v", d.Pos, err)
		}
		c.Steps, facts = append(c.Steps, i+1), append(facts, factLines(t, s))
	}
	return c, facts
}

// factLines is one line a block, in the order of the text.
func factLines(t *testing.T, s *schedule.Schedule) []string {
	t.Helper()
	m := s.Module()
	names := make([]string, len(m.Funcs))
	for i, f := range m.Funcs {
		names[i] = f.Name
	}
	slices.Sort(names)
	var out []string
	for _, name := range names {
		blocks, err := s.Facts(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			out = append(out, fmt.Sprintf("%s affine=%s cover=%s pipeline=%s", b.Block, yesNo(b, "affine_binding"), yesNo(b, "region_cover"), yesNo(b, "stage_pipeline")))
		}
	}
	return out
}

func yesNo(b schedule.BlockFacts, fact string) string {
	if b.Holds(fact) {
		return "True"
	}
	return "False"
}
