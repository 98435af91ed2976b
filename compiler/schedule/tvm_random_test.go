package schedule_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
	"hone/internal/peer"
)

// verdict is what TVM says to a case.
type verdict struct {
	OK, Equal, Illformed bool
	Text, Error, Unread  string
	Trace                json.RawMessage
	Crashed              bool
}

// question is a case with what Hone said.
type question struct {
	Func  string          `json:"func"`
	Trace json.RawMessage `json:"trace"`
	Ours  string          `json:"ours,omitempty"`

	pos     string
	before  *tir.PrimFunc
	trace   trace.Trace
	refusal error
	answer  verdict
}

// askTVM puts the cases to Apache TVM, half of them each to two processes.
func askTVM(t *testing.T, cases []question) []verdict {
	t.Helper()
	python := peer.Python(t, "tvm")
	out := make([]verdict, len(cases))
	errs := make([]error, 2)
	var wg sync.WaitGroup
	for k := range errs {
		lo, hi := k*len(cases)/len(errs), (k+1)*len(cases)/len(errs)
		wg.Go(func() { errs[k] = askPeer(python, cases[lo:hi], out[lo:hi]) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return out
}

func askPeer(python string, cases []question, out []verdict) error {
	var in, stderr bytes.Buffer
	for _, c := range cases {
		line, err := json.Marshal(c)
		if err != nil {
			return err
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command(python, filepath.Join("testdata", "tvm_peer.py"))
	cmd.Stdin, cmd.Stderr = &in, &stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	lines := json.NewDecoder(bytes.NewReader(text))
	for i := range out {
		if err := lines.Decode(&out[i]); err != nil {
			return fmt.Errorf("answer %d of %d: %w", i, len(cases), err)
		}
	}
	return nil
}

// tally counts how cases ended; examples hold the shortest trace of each kind.
type tally struct {
	count   map[string]int
	example map[string]string
	size    map[string]int
}

func newTally() *tally {
	return &tally{map[string]int{}, map[string]string{}, map[string]int{}}
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

// TestRandomAgainstTVM performs 2,000 random sequences, and a refused call of each,
// with Apache TVM too. Results are compared by TVM's own structural equality after
// it has read Hone's text; traces that TVM writes are replayed by Hone. Disagreements
// are cut down to the first instruction that makes them, and explained where TVM's
// answer shows that it is wrong. HONE_TEST_SEED="pooling 10022,matmul 10045" plays
// these alone.
func TestRandomAgainstTVM(t *testing.T) {
	needTVM(t)
	seqs, calls := randomQuestions(t, 2000)
	if len(seqs) == 0 {
		t.Fatal("no sequences: HONE_TEST_SEED names none")
	}
	equal := 0
	for i, v := range askTVM(t, seqs) {
		seqs[i].answer = v
		if v.Equal {
			equal++
		}
	}
	first, unknown, silent := newTally(), 0, 0
	short := cutDown(t, seqs)
	stale := unlikeText(t, short)
	for i, c := range short {
		class, why := c.compare(t)
		if class != "equal" {
			reason := c.explained()
			if reason == "" && stale[i] {
				reason = "TVM gives the same of the function's text"
			}
			switch reason {
			case "":
				unknown++
			case crashes, stumbled:
				silent++
			}
			class = strings.TrimPrefix(reason+": "+class, ": ")
		}
		first.add(class, len(c.Trace), why)
	}
	t.Logf("sequences, by the first instruction that differs")
	first.report(t)
	second := newTally()
	for i, v := range askTVM(t, calls) {
		calls[i].answer = v
		class, why := calls[i].compareRefusal(t)
		second.add(class, len(calls[i].Trace), why)
	}
	t.Logf("refused calls")
	second.report(t)
	if os.Getenv("HONE_TEST_SEED") == "" {
		judgeRefusals(t, second, calls)
	}
	t.Logf("%d of %d sequences give an equal function; TVM gives up %d; of the rest, %d are unexplained", equal, len(seqs), silent, unknown)
	if 100*silent > silentSequences*len(seqs) {
		t.Errorf("TVM gives up more than %d in 100 sequences", silentSequences)
	}
	if 100*equal < equalSequences*(len(seqs)-silent) {
		t.Errorf("fewer than %d in 100 sequences that TVM performs are equal", equalSequences)
	}
	if 100*unknown > unexplainedSequences*len(seqs) {
		t.Errorf("more than %d in 100 sequences differ for no known reason", unexplainedSequences)
	}
}

// judgeRefusals holds what TVM says to refused calls to a threshold. A crash or a
// failed check of TVM's is no agreement.
func judgeRefusals(t *testing.T, c *tally, calls []question) {
	t.Helper()
	silent := 0
	for _, q := range calls {
		if q.answer.Crashed || !q.answer.OK && stumbles(q.answer) {
			silent++
		}
	}
	agreed := c.count[bothRefuse]
	t.Logf("TVM refuses %d of %d refused calls too and gives up %d", agreed, len(calls), silent)
	if 100*silent > silentRefusals*len(calls) {
		t.Errorf("TVM gives up more than %d in 100 refused calls", silentRefusals)
	}
	if 100*agreed < equalRefusals*(len(calls)-silent) || agreed == 0 {
		t.Errorf("TVM refuses fewer than %d in 100 of the refused calls that it answers", equalRefusals)
	}
}

// equalSequences is how many of 100 sequences that TVM performs give an equal
// function at least, unexplainedSequences how many of 100 may differ although
// nothing is seen to be wrong with TVM's answer, silentSequences how many TVM may
// give up by a crash or a check of its own. Of refused calls likewise.
const (
	equalSequences       = 95
	unexplainedSequences = 1
	silentSequences      = 3
	equalRefusals        = 91
	silentRefusals       = 12

	bothRefuse = "both refuse"
)

// randomQuestions plays the sequences.
func randomQuestions(t *testing.T, n int) (seqs, calls []question) {
	t.Helper()
	funcs, names := small(t), smallNames(t)
	only := os.Getenv("HONE_TEST_SEED")
	for i := range n {
		name, round := names[i%len(names)], i/len(names)
		if only != "" && !slices.Contains(strings.Split(only, ","), fmt.Sprintf("%s %d", name, 10_000+round)) {
			continue
		}
		g := play(t, name, funcs[name], 10_000+round, 1+round%12, false)
		seqs = append(seqs, ask(t, g.pos(), g.before, g.trace(), nil))
		if len(g.refused) > 0 {
			r := g.refused[0]
			calls = append(calls, ask(t, g.pos(), g.before, g.traceOf(t, r), r.err))
		}
	}
	return seqs, calls
}

// cutDown shortens the traces of which TVM says something else to the fewest first
// instructions of which it still does.
func cutDown(t *testing.T, cases []question) []question {
	t.Helper()
	lo, hi := make([]int, len(cases)), make([]int, len(cases)) // equal so far, different so far
	var open []int
	for i, c := range cases {
		hi[i] = c.trace.Len()
		if class, _ := c.compare(t); class != "equal" {
			open = append(open, i)
		}
	}
	for {
		var ask []question
		var of []int
		for _, i := range open {
			if hi[i]-lo[i] > 1 {
				ask, of = append(ask, cases[i].prefix(t, (lo[i]+hi[i])/2)), append(of, i)
			}
		}
		if len(ask) == 0 {
			return cases
		}
		for k, v := range askTVM(t, ask) {
			i, mid := of[k], ask[k].trace.Len()
			ask[k].answer = v
			if class, _ := ask[k].compare(t); class == "equal" {
				lo[i] = mid
			} else {
				hi[i], cases[i] = mid, ask[k]
			}
		}
	}
}

// prefix is the case of the first n instructions.
func (c question) prefix(t *testing.T, n int) question {
	t.Helper()
	return ask(t, c.pos, c.before, trace.Trace{Insts: c.trace.Insts[:n], Decisions: c.trace.Decisions[:n]}, nil)
}

// ask makes the case of a trace. Without a refusal Hone performs it.
func ask(t *testing.T, pos string, f *tir.PrimFunc, tr trace.Trace, refusal error) question {
	t.Helper()
	text, err := tr.MarshalJSON()
	if err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	q := question{Func: tir.Script(f), Trace: text, pos: pos, before: f, trace: tr, refusal: refusal}
	if refusal == nil {
		s := withIntrins(t, schedule.NewFunc(f, nil))
		if err := tr.Replay(s, trace.Options{}); err != nil {
			t.Fatalf("%s: %v", pos, err)
		}
		q.Ours = tir.Script(s.Func())
	}
	return q
}

// last names the instruction that decides.
func (c question) last() string { return c.trace.Insts[c.trace.Len()-1].Kind.Name }

func (c question) compare(t *testing.T) (class, example string) {
	t.Helper()
	v := c.answer
	switch {
	case !v.OK:
		return "TVM refuses: " + c.last(), fmt.Sprintf("%s: %s\n%s", c.pos, v.Text, c.calls())
	case v.Unread != "":
		return "TVM cannot read it: " + c.last(), fmt.Sprintf("%s: %s\n%s%s", c.pos, v.Unread, c.calls(), c.Ours)
	case !v.Equal:
		return "different: " + c.last(), fmt.Sprintf("%s:\n%s--- hone\n%s\n--- TVM\n%s", c.pos, c.calls(), c.Ours, v.Text)
	}
	if why := c.replaysTVM(t, v); why != "" {
		return "TVM's trace does not replay: " + c.last(), fmt.Sprintf("%s: %s\n%s", c.pos, why, v.Trace)
	}
	return "equal", ""
}

func (c question) compareRefusal(t *testing.T) (class, example string) {
	t.Helper()
	v := c.answer
	switch {
	case v.Crashed:
		return "TVM crashes: " + c.last(), ""
	case !v.OK && stumbles(v):
		return stumbled + ": " + c.last(), ""
	case !v.OK:
		return bothRefuse, ""
	case c.computesElse(v.Text):
		return "Hone refuses, TVM's computes something else: " + c.last(), ""
	}
	return "Hone refuses, TVM does not: " + c.last(), fmt.Sprintf("%s: %v\n%s--- TVM\n%s", c.pos, c.refusal, c.calls(), v.Text)
}

// calls prints the trace.
func (c question) calls() string { return c.trace.Simplified(false).String() }

// replaysTVM performs what TVM recorded; it must give the same function.
func (c question) replaysTVM(t *testing.T, v verdict) string {
	if len(v.Trace) == 0 || string(v.Trace) == "null" {
		return ""
	}
	tr, err := trace.Parse(v.Trace)
	if err != nil {
		return err.Error()
	}
	s := withIntrins(t, schedule.NewFunc(c.before, nil))
	if err := tr.Replay(s, trace.Options{}); err != nil {
		return err.Error()
	}
	if got := tir.Script(s.Func()); got != c.Ours {
		return "another function:\n" + got
	}
	// Names inside index maps are TVM's own.
	if text, err := trace.Of(s).MarshalJSON(); err != nil || string(text) != string(c.Trace) && !strings.Contains(string(c.Trace), "root_index") {
		return fmt.Sprintf("written again it is another text (%v)", err)
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
