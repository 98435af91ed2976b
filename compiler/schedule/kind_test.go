package schedule_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hone/compiler/schedule"
)

// Every kind is documented and complete, has a file and a script of its name;
// scripts of kinds that can refuse show a refusal.
func TestKinds(t *testing.T) {
	never := map[string]bool{"get_child_blocks": true, "get_producers": true, "get_consumers": true, "get_output_blocks": true,
		"get_loops": true, "annotate": true, "sample_compute_location": true}
	for _, k := range schedule.Kinds() {
		stem := k.Method()
		if k.Doc == "" || k.Apply == nil || strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%s: incomplete, doc %q", k.Name, k.Doc)
		}
		checkParams(t, k)
		for i, s := range k.In {
			if s.Name == "" || s.Many && i < len(k.In)-1 {
				t.Errorf("%s: bad input slot %d", k.Name, i)
			}
		}
		if _, err := os.Stat("prim_" + stem + ".go"); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
		script, err := os.ReadFile(filepath.Join("testdata", "prim", stem+".txt"))
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if !strings.Contains(string(script), "sch."+stem+"(") {
			t.Errorf("%s: its script does not use it", k.Name)
		}
		if !never[stem] && !strings.Contains(string(script), "\nrefused: ") {
			t.Errorf("%s: its script shows no refusal", k.Name)
		}
	}
}

func TestCheck(t *testing.T) {
	split, err := schedule.LookupKind("Split")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in, attrs []any
		want      string
	}{
		{[]any{schedule.LoopRV(1), nil, int64(4)}, []any{int64(1), int64(0)}, ""},
		{[]any{schedule.LoopRV(1)}, []any{int64(1), int64(0)}, ""},
		{[]any{}, []any{int64(1), int64(0)}, "Split: input count is 0, want 1"},
		{[]any{schedule.BlockRV(1)}, []any{int64(1), int64(0)}, "Split: input 0 (loop) is 1 (schedule.BlockRV), want a loop"},
		{[]any{schedule.LoopRV(1), "x"}, []any{int64(1), int64(0)}, "want an integer or None"},
		{[]any{schedule.LoopRV(1)}, []any{int64(2), int64(0)}, "want 0 or 1"},
	} {
		err := split.Check(c.in, c.attrs)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.in, err, c.want)
		}
	}
}

// checkParams: every slot takes its value from a parameter of the Python method.
func checkParams(t *testing.T, k *schedule.Kind) {
	t.Helper()
	params := map[string]bool{}
	for _, p := range k.Parameters() {
		params[p.Name] = true
	}
	for _, s := range append(slices.Clone(k.In), k.Attrs...) {
		if !params[k.ParamOf(s)] {
			t.Errorf("%s: slot %s is no parameter of %q", k.Name, s.Name, k.Params)
		}
	}
}

// shared are the conditions that every kind may refuse with.
var shared = map[schedule.Condition]bool{schedule.StaleHandle: true, schedule.BadHandle: true, schedule.BadArgument: true}

// unshown are conditions that guard edits against functions which no script makes:
// a scope left empty, blocks in an unusual order, conditions that tie iterators.
var unshown = map[string][]schedule.Condition{
	"compute_at":         {schedule.OnlyLeaf, schedule.BodyForm, schedule.LoopPosition, schedule.Producers, schedule.AffineBinding},
	"reverse_compute_at": {schedule.OnlyLeaf, schedule.BodyForm, schedule.AffineBinding},
	"compute_inline":     {schedule.OnlyLeaf},
}

// Every refusal that scripts show is one that its kind declares, and every
// condition that a kind declares is shown.
func TestRefusals(t *testing.T) {
	shown := map[string]map[schedule.Condition]bool{}
	paths, err := filepath.Glob(filepath.Join("testdata", "prim", "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^refused: (\w+): ([\w-]+):`).FindAllStringSubmatch(string(text), -1) {
			if shown[m[1]] == nil {
				shown[m[1]] = map[schedule.Condition]bool{}
			}
			shown[m[1]][schedule.Condition(m[2])] = true
		}
	}
	for _, k := range schedule.Kinds() {
		for c := range shown[k.Method()] {
			if !shared[c] && !slices.Contains(k.Refuses, c) {
				t.Errorf("%s: scripts show %s, which it does not declare", k.Name, c)
			}
		}
		for _, c := range k.Refuses {
			if !shown[k.Method()][c] && !slices.Contains(unshown[k.Method()], c) {
				t.Errorf("%s: no script shows %s", k.Name, c)
			}
		}
	}
}
