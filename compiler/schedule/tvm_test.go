package schedule_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/internal/peer"
)

// tvmCase is one schedule performed by both.
type tvmCase struct {
	Func  string          `json:"func"`
	Trace json.RawMessage `json:"trace"`

	pos  string
	ours string // the function, or the refusal
	ok   bool
}

// runTVM replays the cases with Apache TVM, or skips the test by its name.
func runTVM(t *testing.T, cases []*tvmCase) []struct {
	OK   bool
	Text string
} {
	t.Helper()
	if os.Getenv("HONE_TEST_ALL") == "" {
		t.Skip("set HONE_TEST_ALL=1 to compare with Apache TVM")
	}
	python := peer.Python(t, "tvm")
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, filepath.Join("testdata", "tvm_replay.py"))
	cmd.Stdin = strings.NewReader(string(in))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var res []struct {
		OK   bool
		Text string
	}
	if err := json.Unmarshal(out, &res); err != nil || len(res) != len(cases) {
		t.Fatalf("%d results for %d cases: %v", len(res), len(cases), err)
	}
	return res
}

func newTVMCase(t *testing.T, pos string, f *tir.PrimFunc, tr trace.Trace) *tvmCase {
	t.Helper()
	text, err := tr.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	c := &tvmCase{Func: tir.Script(f), Trace: text, pos: pos}
	s := schedule.NewFunc(f, nil)
	if err := tr.Replay(s, trace.Options{}); err != nil {
		c.ours = err.Error()
		return c
	}
	c.ok, c.ours = true, tir.Script(s.Func())
	return c
}

// TestAgainstTVM performs every script of testdata/prim with Apache TVM too:
// what is accepted must print the same. TVM's refusals are compared by outcome
// only; scripts whose first line is a comment with "TVM differs" are left out.
func TestAgainstTVM(t *testing.T) {
	var cases []*tvmCase
	paths, _ := filepath.Glob(filepath.Join("testdata", "prim", "*.txt"))
	for _, path := range paths {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.HasArg("differs") {
				return d.Expected
			}
			tr, err := scriptTrace(d.Input)
			if err != nil {
				t.Fatal(err)
			}
			cases = append(cases, newTVMCase(t, d.Pos, workloads[d.CmdArgs[0].Key](), tr))
			return d.Expected
		})
	}
	for i, r := range runTVM(t, cases) {
		c := cases[i]
		switch {
		case r.OK != c.ok:
			t.Errorf("%s:\nhone: %s\nTVM:  %s", c.pos, c.ours, r.Text)
		case r.OK && r.Text != c.ours:
			t.Errorf("%s:\n--- hone\n%s\n--- TVM\n%s", c.pos, c.ours, r.Text)
		}
	}
}
