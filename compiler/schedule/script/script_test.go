package script_test

import (
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

// TestScripts performs scripts on the functions of the primitives' tests and
// prints the trace, or what went wrong.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s := newSchedule(t, d.Cmd)
			if err := script.Run(s, "s.py", d.Input); err != nil {
				return err.Error() + "\n"
			}
			checkIdentity(t, d.Cmd, s)
			return trace.Of(s).String()
		})
	})
}

func newSchedule(t *testing.T, name string) *schedule.Schedule {
	t.Helper()
	path := filepath.Join("..", "testdata", "func", name+".py")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := tvmscript.Parse(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return schedule.New(m, nil)
}

// checkIdentity: a trace, written as a script and performed, is itself again; and
// so it is when it was read from its JSON before.
func checkIdentity(t *testing.T, name string, s *schedule.Schedule) {
	t.Helper()
	want, err := trace.Of(s).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	read, err := trace.Parse(want)
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	for _, tr := range []trace.Trace{trace.Of(s), read} {
		again := newSchedule(t, name)
		if err := script.Run(again, "", tr.String()); err != nil {
			t.Fatalf("%v\n%s", err, tr)
		}
		got, err := trace.Of(again).MarshalJSON()
		if err != nil || string(got) != string(want) {
			t.Errorf("%v\n%s\nbecame\n%s", err, want, got)
		}
	}
}

// A sampled size in an index map stays in the trace: another decision makes
// another layout.
func TestMapsKeepWhatWasSampled(t *testing.T) {
	s := newSchedule(t, "matmul")
	const text = `b = sch.get_sblock("mm")
v = sch.sample_categorical([4, 8], [0.5, 0.5], decision=0)
sch.transform_layout(b, "B", lambda i, j: (j // v, i, j % v))
`
	if err := script.Run(s, "", text); err != nil {
		t.Fatal(err)
	}
	if f := tir.Script(s.Func()); !strings.Contains(f, "T.Buffer((32, 32, 4)") {
		t.Errorf("the layout is not made of fours:\n%s", f)
	}
	other := newSchedule(t, "matmul")
	if err := trace.Of(s).WithDecision(1, int64(1)).Replay(other, trace.Options{}); err != nil {
		t.Fatal(err)
	}
	if f := tir.Script(other.Func()); !strings.Contains(f, "T.Buffer((16, 32, 8)") {
		t.Errorf("the layout is not made of eights:\n%s", f)
	}
	if n := trace.Of(s).Simplified(false).Len(); n != 3 {
		t.Errorf("simplified, the trace has %d instructions: what a map mentions is used", n)
	}
}
