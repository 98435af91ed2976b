package schedule_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/trace"
)

// TestPrimitives runs testdata/prim: `schedule FUNC`, then one instruction per
// line as traces spell it, decisions as a line `decide N VALUE` after it. The
// expected text is the function that results, or the refusal of the first
// instruction that fails; a refused one must change nothing. Behind every case:
// the trace is written, read and replayed to the same text.
func TestPrimitives(t *testing.T) {
	datadriven.Walk(t, filepath.Join("testdata", "prim"), func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "schedule" || len(d.CmdArgs) == 0 {
				d.Fatalf(t, "want: schedule FUNC")
			}
			make, ok := workloads[d.CmdArgs[0].Key]
			if !ok {
				d.Fatalf(t, "unknown function %s", d.CmdArgs[0].Key)
			}
			return runScript(t, d.Pos, make(), d.Input)
		})
	})
}

// maps are the index maps that scripts name as @NAME.
var maps = map[string]*tir.IndexMap{
	"tile16": schedule.NewIndexMap(2, func(i []tir.Expr) []tir.Expr {
		return []tir.Expr{tir.FloorDiv(i[1], tir.Int(16)), i[0], tir.FloorMod(i[1], tir.Int(16))}
	}),
	"tile24": schedule.NewIndexMap(2, func(i []tir.Expr) []tir.Expr {
		return []tir.Expr{tir.FloorDiv(i[1], tir.Int(24)), i[0], tir.FloorMod(i[1], tir.Int(24))}
	}),
	"swap": schedule.NewIndexMap(2, func(i []tir.Expr) []tir.Expr { return []tir.Expr{i[1], i[0]} }),
	"flat": schedule.NewIndexMap(2, func(i []tir.Expr) []tir.Expr {
		return []tir.Expr{tir.Add(tir.Mul(i[0], tir.Int(128)), i[1])}
	}),
	"rows": schedule.NewIndexMap(1, func(i []tir.Expr) []tir.Expr {
		return []tir.Expr{tir.FloorDiv(i[0], tir.Int(64)), tir.FloorMod(i[0], tir.Int(64))}
	}),
	"both": schedule.NewIndexMap(2, func(i []tir.Expr) []tir.Expr {
		return []tir.Expr{tir.FloorDiv(i[0], tir.Int(4)), tir.FloorDiv(i[1], tir.Int(8)), tir.FloorMod(i[1], tir.Int(8)), tir.FloorMod(i[0], tir.Int(4))}
	}),
	"half":  schedule.NewIndexMap(2, func(i []tir.Expr) []tir.Expr { return []tir.Expr{tir.FloorDiv(i[0], tir.Int(2)), i[1]} }),
	"zero3": schedule.NewIndexMap(3, func([]tir.Expr) []tir.Expr { return []tir.Expr{tir.F32(0)} }),
	"one3":  schedule.NewIndexMap(3, func([]tir.Expr) []tir.Expr { return []tir.Expr{tir.F32(1)} }),
	"int3":  schedule.NewIndexMap(3, func([]tir.Expr) []tir.Expr { return []tir.Expr{tir.Int(1)} }),
}

var mapName = regexp.MustCompile(`@\w+`)

// withMaps spells index maps out.
func withMaps(line string) string {
	return mapName.ReplaceAllStringFunc(line, func(n string) string {
		text, err := trace.MarshalIndexMap(maps[n[1:]])
		if err != nil {
			panic(err)
		}
		return strconv.Quote(text)
	})
}

// scriptTrace makes a trace of a script's lines.
func scriptTrace(input string) (trace.Trace, error) {
	var insts, decisions []string
	for _, line := range strings.Split(strings.TrimSpace(input), "\n") {
		if rest, ok := strings.CutPrefix(line, "decide "); ok {
			decisions = append(decisions, fmt.Sprintf("[%d,%s]", len(insts)-1, rest))
			continue
		}
		insts = append(insts, withMaps(line))
	}
	return trace.Parse([]byte("[[" + strings.Join(insts, ",") + "],[" + strings.Join(decisions, ",") + "]]"))
}

func runScript(t *testing.T, pos string, f *tir.PrimFunc, input string) string {
	tr, err := scriptTrace(input)
	if err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	s := schedule.NewFunc(f, nil)
	if err := tr.Replay(s, trace.Options{}); err != nil {
		var refusal *schedule.Error
		if !errors.As(err, &refusal) {
			t.Fatalf("%s: %v", pos, err)
		}
		checkUnchanged(t, pos, f, tr, err, tir.Script(s.Func()))
		return refusal.Error() + "\n"
	}
	checkRoundTrip(t, pos, f, s)
	checkSame(t, pos, f, s.Func())
	text := tir.Script(s.Func())
	_, body, _ := strings.Cut(text, "\n\n")
	return body + "\n"
}

// checkUnchanged: what a refused call left is what the calls before it made.
func checkUnchanged(t *testing.T, pos string, f *tir.PrimFunc, tr trace.Trace, err error, got string) {
	t.Helper()
	var at *trace.Error
	if !errors.As(err, &at) {
		t.Fatalf("%s: %v", pos, err)
	}
	before := trace.Trace{Insts: tr.Insts[:at.Index], Decisions: tr.Decisions[:at.Index]}
	s := schedule.NewFunc(f, nil)
	if err := before.Replay(s, trace.Options{}); err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	if want := tir.Script(s.Func()); got != want {
		t.Errorf("%s: the refused call changed the function to\n%s", pos, got)
	}
}

// checkRoundTrip: the record, written, read, replayed and written again, is the
// same text and makes the same function.
func checkRoundTrip(t *testing.T, pos string, f *tir.PrimFunc, s *schedule.Schedule) {
	t.Helper()
	text, err := trace.Of(s).MarshalJSON()
	if err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	again, err := trace.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v\n%s", pos, err, text)
	}
	s2 := schedule.NewFunc(f, nil)
	if err := again.Replay(s2, trace.Options{}); err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	text2, err := trace.Of(s2).MarshalJSON()
	if err != nil || string(text) != string(text2) {
		t.Errorf("%s: the trace changed (%v):\n%s\n%s", pos, err, text, text2)
	}
	if a, b := tir.Script(s.Func()), tir.Script(s2.Func()); a != b {
		t.Errorf("%s: replay made another function:\n%s", pos, b)
	}
}
