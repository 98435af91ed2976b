package schedule_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
	"hone/internal/peer"
)

// verdict is what TVM says to a case.
type verdict struct {
	OK, Equal    bool
	Text, Unread string
	Trace        json.RawMessage
	crashed      bool
}

// question is a case with what Hone said.
type question struct {
	Func  string          `json:"func"`
	Trace json.RawMessage `json:"trace"`
	Ours  string          `json:"ours,omitempty"`

	pos, move string
	before    *tir.PrimFunc
	refusal   error
}

// askTVM puts the cases to Apache TVM, which sometimes dies of one: the next
// process goes on behind it.
func askTVM(t *testing.T, cases []question) []verdict {
	t.Helper()
	if os.Getenv("HONE_TEST_ALL") == "" {
		t.Skip("set HONE_TEST_ALL=1 to compare with Apache TVM")
	}
	python := peer.Python(t, "tvm")
	var out []verdict
	crashes := 0
	for len(out) < len(cases) {
		before := len(out)
		var in bytes.Buffer
		for _, c := range cases[before:] {
			line, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			in.Write(append(line, '\n'))
		}
		cmd := exec.Command(python, filepath.Join("testdata", "tvm_peer.py"))
		cmd.Stdin = &in
		text, err := cmd.Output()
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var v verdict
			if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
				t.Fatalf("%v\n%s", err, lines.Bytes())
			}
			out = append(out, v)
		}
		if err != nil && len(out) < len(cases) {
			if crashes++; crashes > len(cases)/20 {
				t.Fatalf("TVM died of %d cases, last %s: %v: %s", crashes, cases[len(out)].Trace, err, err.(*exec.ExitError).Stderr)
			}
			out = append(out, verdict{crashed: true})
		}
	}
	return out
}

// tally counts how cases ended; examples hold the shortest trace of each kind.
type tally struct {
	count   map[string]int
	example map[string]string
	size    map[string]int
}

func (c *tally) add(class string, size int, example string) {
	c.count[class]++
	if n, ok := c.size[class]; !ok || size < n {
		c.size[class], c.example[class] = size, example
	}
}

func (c *tally) report(t *testing.T) {
	for _, k := range sortedKeys(c.count) {
		t.Logf("%5d  %s", c.count[k], k)
	}
	for _, k := range sortedKeys(c.example) {
		if c.example[k] != "" {
			t.Logf("smallest of %q:\n%s", k, c.example[k])
		}
	}
}

// TestRandomAgainstTVM performs 2,000 random sequences, and a refused call
// of each, with Apache TVM too. Results are compared by TVM's own
// structural equality after it has read Hone's text; traces that TVM writes are
// replayed by Hone. A disagreement is explained when what TVM makes computes
// something else than the function did. At least 95 of 100 sequences must be
// equal.
func TestRandomAgainstTVM(t *testing.T) {
	if os.Getenv("HONE_TEST_ALL") == "" {
		t.Skip("set HONE_TEST_ALL=1 to compare with Apache TVM")
	}
	peer.Python(t, "tvm")
	var cases []question
	funcs := small(t)
	for i, names := 0, smallNames(t); i < 2000; i++ {
		name := names[i%len(names)]
		g := play(t, name, funcs[name], 10_000+i/len(names), 1+i/len(names)%12, false)
		cases = append(cases, ask(t, g, g.trace(), tir.Script(g.s.Func()), "", nil))
		for k, r := range g.refused {
			if k == 0 {
				cases = append(cases, ask(t, g, g.traceOf(t, r), "", r.move, r.err))
			}
		}
	}
	seqs, calls := &tally{map[string]int{}, map[string]string{}, map[string]int{}}, &tally{map[string]int{}, map[string]string{}, map[string]int{}}
	for i, v := range askTVM(t, cases) {
		c := cases[i]
		if c.refusal == nil {
			class, why := c.compare(t, v)
			seqs.add(class, len(c.Trace), why)
			continue
		}
		class, why := c.compareRefusal(t, v)
		calls.add(class, len(c.Trace), why)
	}
	t.Logf("sequences")
	seqs.report(t)
	t.Logf("refused calls")
	calls.report(t)
	if n := seqs.count["equal"] + seqs.count["TVM crashes"]; 100*n < 95*2000 {
		t.Errorf("only %d of 2000 sequences are equal", n)
	}
}

func ask(t *testing.T, g *game, tr trace.Trace, ours, move string, refusal error) question {
	t.Helper()
	text, err := tr.MarshalJSON()
	if err != nil {
		t.Fatalf("%s: %v", g.pos(), err)
	}
	return question{Func: tir.Script(g.before), Trace: text, Ours: ours, pos: g.pos(), move: move, before: g.before, refusal: refusal}
}

func (c question) compare(t *testing.T, v verdict) (class, example string) {
	t.Helper()
	switch {
	case v.crashed:
		return "TVM crashes", c.pos + "\n" + c.calls(t)
	case !v.OK:
		return "TVM refuses", fmt.Sprintf("%s: %s\n%s", c.pos, v.Text, c.calls(t))
	case v.Unread != "":
		return "TVM cannot read it", fmt.Sprintf("%s: %s\n%s", c.pos, v.Unread, c.Ours)
	case !v.Equal && c.computesElse(v.Text):
		return "different, TVM's computes something else", fmt.Sprintf("%s:\n%s--- hone\n%s\n--- TVM\n%s", c.pos, c.calls(t), c.Ours, v.Text)
	case !v.Equal:
		return "different", fmt.Sprintf("%s:\n%s--- hone\n%s\n--- TVM\n%s", c.pos, c.calls(t), c.Ours, v.Text)
	}
	if why := c.replaysTVM(v); why != "" {
		return "TVM's trace does not replay", fmt.Sprintf("%s: %s\n%s", c.pos, why, v.Trace)
	}
	return "equal", ""
}

func (c question) compareRefusal(t *testing.T, v verdict) (class, example string) {
	t.Helper()
	switch {
	case v.crashed:
		return "TVM crashes", ""
	case !v.OK:
		return "both refuse", ""
	case c.computesElse(v.Text):
		return "Hone refuses, TVM's computes something else: " + c.move, ""
	}
	return "Hone refuses, TVM does not: " + c.move, fmt.Sprintf("%s: %v\n%s--- TVM\n%s", c.pos, c.refusal, c.calls(t), v.Text)
}

// calls prints the trace.
func (c question) calls(t *testing.T) string {
	t.Helper()
	tr, err := trace.Parse(c.Trace)
	if err != nil {
		return string(c.Trace) + "\n"
	}
	return tr.Simplified(false).String()
}

// replaysTVM performs what TVM recorded; it must give the same function and,
// written again, the same bytes as the trace that TVM read.
func (c question) replaysTVM(v verdict) string {
	if len(v.Trace) == 0 || string(v.Trace) == "null" {
		return ""
	}
	tr, err := trace.Parse(v.Trace)
	if err != nil {
		return err.Error()
	}
	s := schedule.NewFunc(c.before, nil)
	if err := tr.Replay(s, trace.Options{}); err != nil {
		return err.Error()
	}
	if got := tir.Script(s.Func()); got != c.Ours {
		return "another function:\n" + got
	}
	return ""
}

// computesElse reports whether a function that TVM made gives other results
// than the one it was made of, or none.
func (c question) computesElse(text string) bool {
	after, err := tvmscript.ParseFunc(text)
	if err != nil {
		return strings.Contains(err.Error(), "verify")
	}
	return compare(c.before, after) != ""
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
