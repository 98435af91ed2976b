package schedule_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"hone/compiler/schedule"
	"hone/compiler/schedule/script"
	"hone/compiler/trace"
	"hone/internal/peer"
)

// tvmCase is one schedule performed by both: TVM runs the script or, where draws
// have to be repeated, replays the trace.
type tvmCase struct {
	Func   string          `json:"func"`
	Script string          `json:"script,omitempty"`
	Trace  json.RawMessage `json:"trace,omitempty"`
	Steps  []int           `json:"steps,omitempty"` // ask for the facts after so many instructions

	pos  string
	ours string // the function, or the refusal
	ok   bool
}

// tvmResult is what Apache TVM made of a case. Some installations crash where
// an intrinsic's implementation is copied.
type tvmResult struct {
	OK, Crashed bool
	Text        string
	Facts       [][]string
}

// needTVM is a Python that has Apache TVM; without, or in short runs, the test is
// skipped.
func needTVM(t *testing.T) string {
	t.Helper()
	if os.Getenv("HONE_TEST_ALL") == "" {
		t.Skip("set HONE_TEST_ALL=1 to compare with Apache TVM")
	}
	return peer.Python(t, "tvm")
}

// runTVM replays the cases with Apache TVM, or skips the test by its name.
func runTVM(t *testing.T, cases []*tvmCase) []tvmResult {
	t.Helper()
	python := needTVM(t)
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
	var res []tvmResult
	if err := json.Unmarshal(out, &res); err != nil || len(res) != len(cases) {
		t.Fatalf("%d results for %d cases: %v", len(res), len(cases), err)
	}
	return res
}

// isolation asks what becomes of children that end in each way, and of a trace
// that cannot be respelled.
const isolation = `
import os, signal
from tvm_replay import isolated, run
fine = isolated(lambda c: {"ok": True}, {})
killed = isolated(lambda c: os.kill(os.getpid(), signal.SIGKILL), {})
assert fine == {"ok": True}, fine
assert killed["crashed"] and not killed["ok"], killed
func = "@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((4,), 'float32')):\n    A[0] = T.float32(0)\n"
for bad in (lambda: isolated(lambda c: os._exit(3), {}), lambda: isolated(lambda c: c["nothing"], {}),
            lambda: run({"func": func, "trace": [['{"root_index"']]})):
    try:
        print("passed for an answer:", bad())
    except Exception:
        pass
`

// TestTVMCrashesAreTold: only a signal that ends a child is a crash of TVM; what
// else goes wrong there is a fault of the comparison and stops it.
func TestTVMCrashesAreTold(t *testing.T) {
	cmd := exec.Command(needTVM(t), "-c", isolation)
	cmd.Dir = "testdata"
	cmd.Stderr = os.Stderr
	if out, err := cmd.Output(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// newTVMCase is what a schedule has done as a case.
func newTVMCase(t *testing.T, pos, f string, s *schedule.Schedule) *tvmCase {
	t.Helper()
	text, err := trace.Of(s).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return &tvmCase{Func: f, Trace: text, pos: pos, ok: true, ours: printed(s.Module())}
}

// scriptCase performs a script as a case.
func scriptCase(t *testing.T, d *datadriven.TestData) *tvmCase {
	t.Helper()
	m, f := loadModule(t, d.CmdArgs[0].Key)
	s := begin(t, d, m)
	err := script.Run(s, "", d.Input)
	if err == nil && slices.ContainsFunc(trace.Of(s).Decisions, func(x any) bool { return x != nil }) {
		return newTVMCase(t, d.Pos, f, s)
	}
	c := &tvmCase{Func: f, Script: d.Input, pos: d.Pos, ok: err == nil, ours: printed(s.Module())}
	if err != nil {
		c.ours = err.Error()
	}
	return c
}

// TestAgainstTVM performs every script of testdata/prim with Apache TVM too:
// what is accepted must print the same. TVM's refusals are compared by outcome
// only; scripts marked `differs` are left out.
func TestAgainstTVM(t *testing.T) {
	var cases []*tvmCase
	paths, _ := filepath.Glob(filepath.Join("testdata", "prim", "*.txt"))
	for _, path := range paths {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.HasArg("differs") {
				return d.Expected
			}
			cases = append(cases, scriptCase(t, d))
			return d.Expected
		})
	}
	for i, r := range runTVM(t, cases) {
		c := cases[i]
		switch {
		case r.Crashed:
			t.Logf("%s: TVM crashed", c.pos)
		case r.OK != c.ok:
			t.Errorf("%s:\nhone: %s\nTVM:  %s", c.pos, c.ours, r.Text)
		case r.OK && r.Text != c.ours:
			t.Errorf("%s:\n--- hone\n%s\n--- TVM\n%s", c.pos, c.ours, r.Text)
		}
	}
}
