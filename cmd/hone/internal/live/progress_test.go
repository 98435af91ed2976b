package live

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hone/api"
)

var rewrite = flag.Bool("rewrite", false, "write golden files anew")

var start = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// story is a job of two tasks as its events tell it.
type story struct {
	t      *testing.T
	events []api.Event
	now    time.Time
}

func (s *story) add(after time.Duration, kind string, body any) {
	s.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.now = s.now.Add(after)
	s.events = append(s.events, api.Event{Seq: int64(len(s.events) + 1), At: s.now, Kind: kind, Version: 1, Body: b})
}

func (s *story) closed(task int, code string, ns float64, baseline bool) {
	s.add(time.Second, api.EventTrialClosed, api.TrialClosed{Task: task, Kind: "measure", Baseline: baseline, Code: code, Charged: !strings.HasPrefix(code, "infra"), Ns: ns})
}

// tell is a story with everything in it: times, failures of each kind, a
// device that goes away, an interrupt, races and a champion.
func tell(t *testing.T) []api.Event {
	s := &story{t: t, now: start}
	s.add(0, api.EventJobCreated, api.JobCreated{Tasks: 2})
	s.add(0, api.EventJobState, api.JobState{State: "running"})
	s.add(time.Second, api.EventTrialsProposed, api.TrialsProposed{First: 1, Last: 2, SearchMS: 500})
	s.closed(0, "ok", 4e6, true)
	s.closed(1, "ok", 2e6, true)
	s.add(0, api.EventWorkDone, api.WorkDone{Kind: "build", Trials: 2, BuildMS: 1500})
	s.closed(0, "ok", 1e6, false)
	s.closed(0, "candidate.crash", 0, false)
	s.closed(0, "infra.lost", 0, false)
	s.add(0, api.EventNoDevice, api.NoDevice{Pools: []string{"d-cpu"}})
	s.add(0, api.EventDevice, api.NoDevice{Pools: []string{"d-cpu"}})
	s.add(0, api.EventJobState, api.JobState{State: "paused"})
	s.add(time.Hour, api.EventJobState, api.JobState{State: "running"})
	s.closed(1, "ok", 2.5e6, false)
	s.closed(1, "ok", 0.5e6, false)
	s.add(0, "an event of the future", map[string]int{"x": 1})
	s.add(0, api.EventWorkDone, api.WorkDone{Kind: "measure", Trials: 3, BuildMS: 500, RunMS: 2500})
	s.add(0, api.EventJobState, api.JobState{State: "stopping", Reason: "the trials are used up"})
	s.add(time.Second, api.EventTrialClosed, api.TrialClosed{Task: 0, Kind: "race", Code: "ok", Ns: 0.9e6, Ratio: 0.25})
	s.add(0, api.EventChampion, api.NewChampion{Task: 0, Ratio: 0.25, Ns: 1e6})
	s.add(0, api.EventJobState, api.JobState{State: "done", Reason: "the trials are used up"})
	return s.events
}

func twoTasks() (api.Job, []api.Task) {
	return api.Job{ID: "J", Name: "model", TrialBudget: 6},
		[]api.Task{{Index: 0, Name: "conv_relu 1x8→1x8", Weight: 3}, {Index: 1, Name: "softmax 10→10", Weight: 1}}
}

func fold(t *testing.T, events []api.Event) *Progress {
	t.Helper()
	p := New(twoTasks())
	for _, e := range events {
		if _, err := p.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestProgressIsTheFoldOfEvents(t *testing.T) {
	p := fold(t, tell(t))
	conv := Task{Operator: "conv_relu", Shapes: "1x8→1x8", Weight: 3, Default: 4e6, Best: 1e6, Trials: 3, Failed: 2, Promoted: true, Champion: 1e6, Trend: []float64{4e6, 1e6, 1e6}}
	soft := Task{Operator: "softmax", Shapes: "10→10", Weight: 1, Default: 2e6, Best: 0.5e6, Trials: 3, Trend: []float64{2e6, 2e6, 0.5e6}}
	if !reflect.DeepEqual(p.Tasks, []Task{conv, soft}) {
		t.Errorf("tasks %+v", p.Tasks)
	}
	if p.State != "done" || p.Charged != 6 || p.OK != 5 || p.Champions != 1 || !p.Ended() || p.NoDevice != nil {
		t.Errorf("%+v", p)
	}
	if p.Untuned() != 14e6 || p.Tuned() != 5e6 || p.Ratio() != 2.8 {
		t.Errorf("untuned %g, tuned %g", p.Untuned(), p.Tuned())
	}
	if p.Clocks != (Clocks{Build: 2 * time.Second, Measure: 2500 * time.Millisecond, Search: 500 * time.Millisecond}) {
		t.Errorf("%+v", p.Clocks)
	}
	if p.Active != 9*time.Second { // the hour of the pause is none of it
		t.Errorf("active for %s", p.Active)
	}
	if f := p.Failures(); f != "candidate.crash 1, infra.lost 1" || p.FailedTrials() != 2 {
		t.Errorf("failures %q", f)
	}
}

// Whoever comes back after a break asks for events anew: those seen before
// must change nothing, and what is left must do.
func TestProgressAfterABreak(t *testing.T) {
	events := tell(t)
	want := fold(t, events)
	for cut := range events {
		got := fold(t, append(append([]api.Event(nil), events[:cut]...), events...))
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("cut at %d: %+v, want %+v", cut, got, want)
		}
	}
}

func TestProgressRefusesWhatItCannotRead(t *testing.T) {
	for body, kind := range map[string]string{`{"task":7,"kind":"measure"}`: api.EventTrialClosed, `{"task":-1}`: api.EventChampion, `[`: api.EventJobState} {
		p := New(twoTasks())
		if _, err := p.Apply(api.Event{Seq: 1, Kind: kind, Body: json.RawMessage(body)}); err == nil || !strings.Contains(err.Error(), kind) {
			t.Errorf("%s %s: %v", kind, body, err)
		}
	}
}

func TestLeft(t *testing.T) {
	p := New(api.Job{TrialBudget: 100}, []api.Task{{Name: "a b", Weight: 1}})
	if _, ok := p.Left(); ok {
		t.Error("an estimate from nothing")
	}
	s := &story{t: t, now: start}
	for range 11 {
		s.closed(0, "ok", 1e6, false)
	}
	for _, e := range s.events {
		if _, err := p.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if left, ok := p.Left(); !ok || left != 89*time.Second {
		t.Errorf("left %s, %t", left, ok)
	}
	p.Job.TimeBudgetMS = 30_000
	if left, ok := p.Left(); !ok || left != 20*time.Second {
		t.Errorf("with ten of thirty seconds gone: left %s, %t", left, ok)
	}
}

// golden compares with testdata/name, or writes it with -rewrite.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

func TestTable(t *testing.T) {
	events := tell(t)
	var b strings.Builder
	for _, n := range []int{3, 12, len(events)} {
		b.WriteString(ansi.Strip(Table(fold(t, events[:n]), 100, 40, 75*time.Second)) + "----\n")
	}
	b.WriteString(ansi.Strip(Table(fold(t, events), 76, 40, 75*time.Second)))
	golden(t, "table.txt", b.String())
}

// No line is wider than the terminal, whatever is in it.
func TestTableFits(t *testing.T) {
	j, tasks := twoTasks()
	tasks[0].Name = "conv_add_relu " + strings.Repeat("128x128x", 20) + "→" + strings.Repeat("9", 80)
	p := New(j, tasks)
	for _, e := range tell(t) {
		if _, err := p.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, width := range []int{100, 120, 200} {
		for _, line := range strings.Split(ansi.Strip(Table(p, width, 40, time.Minute)), "\n") {
			if n := ansi.StringWidth(line); n > width {
				t.Errorf("%d columns on %d: %s", n, width, line)
			}
		}
	}
}

func TestTableOfManyTasksShowsTheDearest(t *testing.T) {
	p := New(api.Job{TrialBudget: 10}, nil)
	for i := range 50 {
		p.Tasks = append(p.Tasks, Task{Operator: "small", Weight: 1, Best: float64(i + 1)})
	}
	p.Tasks[20] = Task{Operator: "dear", Weight: 10, Best: 1e6}
	text := ansi.Strip(Table(p, 100, 12, 0))
	if !strings.Contains(text, "dear") || !strings.Contains(text, "and 45 smaller tasks") || strings.Count(text, "small ") != 4 {
		t.Errorf("got\n%s", text)
	}
}

func TestLines(t *testing.T) {
	var b strings.Builder
	l := NewLines(&b, New(twoTasks()), time.Time{})
	l.step = 3
	for _, e := range tell(t) {
		if err := l.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	b.WriteString("\n" + Summary(l.p, 75*time.Second) + Result(l.p, 75*time.Second) + "\n")
	golden(t, "lines.txt", b.String())
}
