package schedule_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"hone/compiler/schedule"
	"hone/compiler/schedule/script"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
)

// TestPrimitives runs testdata/prim: `schedule NAME` and a schedule script for the
// function, or the module, of testdata/func/NAME.py. The expected text is what
// results, or the refusal of the first call that fails; a refused one must change
// nothing. Behind every case: the trace is written, read and replayed to the same
// text, and so is its spelling as a script. `opaque` says that the interpreter cannot
// run the function, `differs` that Apache TVM does something else, `stale` that it keeps
// other facts of the blocks, `nonlinear` that epilogues are fused as Apache TVM fuses
// them, results changing.
func TestPrimitives(t *testing.T) {
	datadriven.Walk(t, filepath.Join("testdata", "prim"), func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "schedule" || len(d.CmdArgs) == 0 {
				d.Fatalf(t, "want: schedule NAME")
			}
			m, _ := loadModule(t, d.CmdArgs[0].Key)
			return runScript(t, d, m)
		})
	})
}

// loadModule reads a function of testdata/func.
func loadModule(t *testing.T, name string) (m *tir.Module, text string) {
	t.Helper()
	path := filepath.Join("testdata", "func", name+".py")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = tvmscript.Parse(path, string(data)); err != nil {
		t.Fatal(err)
	}
	return m, string(data)
}

// newSchedule starts a schedule that knows the intrinsics of testdata/intrin.
func newSchedule(t *testing.T, m *tir.Module) *schedule.Schedule {
	t.Helper()
	return withIntrins(t, schedule.New(m, nil))
}

func withIntrins(t *testing.T, s *schedule.Schedule) *schedule.Schedule {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join("testdata", "intrin", "*.py"))
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		in, err := schedule.ReadIntrin(strings.TrimSuffix(filepath.Base(path), ".py"), path, string(data))
		if err != nil {
			t.Fatal(err)
		}
		s.UseIntrin(in)
	}
	return s
}

// printed is the text of a module's only function or of the module, without the
// imports.
func printed(m *tir.Module) string {
	text := m.Script()
	if len(m.Funcs) == 1 {
		text = tir.Script(m.Funcs[0])
	}
	_, body, _ := strings.Cut(text, "\n\n")
	return strings.TrimRight(body, "\n") + "\n"
}

func runScript(t *testing.T, d *datadriven.TestData, m *tir.Module) string {
	t.Helper()
	pos := d.Pos
	s := begin(t, d, m)
	if err := script.Run(s, "", d.Input); err != nil {
		var refusal *schedule.Error
		if !errors.As(err, &refusal) {
			t.Errorf("%s: %v", pos, err)
			return err.Error() + "\n"
		}
		checkUnchanged(t, pos, m, s)
		return refusal.Error() + "\n"
	}
	checkReplay(t, pos, s, func() *schedule.Schedule { return begin(t, d, m) })
	if !d.HasArg("opaque") && !d.HasArg("nonlinear") {
		checkSame(t, pos, m, s.Module())
	}
	return printed(s.Module())
}

// begin starts the schedule of a script.
func begin(t *testing.T, d *datadriven.TestData, m *tir.Module) *schedule.Schedule {
	t.Helper()
	s := newSchedule(t, m)
	if d.HasArg("nonlinear") {
		s.AllowNonlinearEpilogues()
	}
	return s
}

// checkUnchanged: what a refused call left is what the calls before it made.
func checkUnchanged(t *testing.T, pos string, m *tir.Module, s *schedule.Schedule) {
	t.Helper()
	before := newSchedule(t, m)
	if err := trace.Of(s).Replay(before, trace.Options{}); err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	if got, want := printed(s.Module()), printed(before.Module()); got != want {
		t.Errorf("%s: the refused call changed the function to\n%s", pos, got)
	}
}

// checkRoundTrip is checkReplay for a schedule without options.
func checkRoundTrip(t *testing.T, pos string, m *tir.Module, s *schedule.Schedule) {
	t.Helper()
	checkReplay(t, pos, s, func() *schedule.Schedule { return newSchedule(t, m) })
}

// checkReplay: the record, written, read, replayed and written again, is the same
// text and makes the same function; its script performs to it too. begin starts a
// schedule like s.
func checkReplay(t *testing.T, pos string, s *schedule.Schedule, begin func() *schedule.Schedule) {
	t.Helper()
	text, err := trace.Of(s).MarshalJSON()
	if err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	again, err := trace.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v\n%s", pos, err, text)
	}
	replayed, performed := begin(), begin()
	if err := again.Replay(replayed, trace.Options{}); err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	if err := script.Run(performed, "", again.String()); err != nil {
		t.Fatalf("%s: %v\n%s", pos, err, again)
	}
	for _, s2 := range []*schedule.Schedule{replayed, performed} {
		text2, err := trace.Of(s2).MarshalJSON()
		if err != nil || string(text) != string(text2) {
			t.Errorf("%s: the trace changed (%v):\n%s\n%s\n%s", pos, err, text, text2, again)
		}
		if a, b := printed(s.Module()), printed(s2.Module()); a != b {
			t.Errorf("%s: replay made another function:\n%s", pos, b)
		}
	}
}
