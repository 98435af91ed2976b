// Package live shows a job's progress: a table on a terminal, lines elsewhere.
// All of it is a function of the job's events: [Progress] is their fold, and
// what is printed is a function of Progress. The package must not import the
// scheduler or the store: it would show as much of a job on a server.
//
// Start at [Progress].
package live

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hone/api"
)

// Task is one task as far as the events tell.
type Task struct {
	Operator string
	Shapes   string
	Weight   float64
	Default  float64 // ns, 0: not measured
	Best     float64 // ns, 0: nothing was right yet
	Trials   int     // charged
	Failed   int
	Promoted bool
	// Champion is the time of the schedule that won its race, 0 when none did.
	Champion float64
	Trend    []float64 // best after each charged trial, ns
}

// Clocks are sums over work items and proposals; they overlap.
type Clocks struct {
	Build, Measure, Search time.Duration
}

// Progress is a job as far as its events tell.
type Progress struct {
	Job    api.Job // as it was when it was found: its name and budgets are used
	Tasks  []Task
	State  string
	Reason string

	Seq       int64 // of the last event
	Charged   int
	OK        int            // charged and right
	Failed    map[string]int // closed trials that are not ok, by code
	Champions int
	Clocks    Clocks
	NoDevice  []string // pools that wait for a device
	Active    time.Duration

	last time.Time
	pace []time.Duration // Active after each charged trial
}

// New is a job's progress before its first event.
func New(j api.Job, tasks []api.Task) *Progress {
	p := &Progress{Job: j, State: "queued", Failed: map[string]int{}}
	for _, t := range tasks {
		op, shapes, _ := strings.Cut(t.Name, " ")
		p.Tasks = append(p.Tasks, Task{Operator: op, Shapes: shapes, Weight: t.Weight})
	}
	return p
}

// longGap is the longest silence between two events that still counts as work:
// longer ones are pauses and restarts.
const longGap = 20 * time.Second

// Apply takes in the next event and says whether a task got faster. Events
// that were seen, and kinds that are not known, change nothing.
func (p *Progress) Apply(e api.Event) (faster bool, err error) {
	if e.Seq <= p.Seq {
		return false, nil
	}
	p.Seq = e.Seq
	if !p.last.IsZero() {
		if gap := e.At.Sub(p.last); gap > 0 && gap < longGap {
			p.Active += gap
		}
	}
	p.last = e.At
	switch e.Kind {
	case api.EventJobState:
		var b api.JobState
		err = json.Unmarshal(e.Body, &b)
		p.State, p.Reason = b.State, b.Reason
		if b.State == "paused" {
			p.last = time.Time{}
		}
	case api.EventTrialsProposed:
		var b api.TrialsProposed
		err = json.Unmarshal(e.Body, &b)
		p.Clocks.Search += millis(b.SearchMS)
	case api.EventWorkDone:
		var b api.WorkDone
		err = json.Unmarshal(e.Body, &b)
		p.Clocks.Build += millis(b.BuildMS)
		p.Clocks.Measure += millis(b.RunMS)
	case api.EventTrialClosed:
		var b api.TrialClosed
		if err = json.Unmarshal(e.Body, &b); err == nil {
			faster, err = p.close(b)
		}
	case api.EventChampion:
		var b api.NewChampion
		if err = json.Unmarshal(e.Body, &b); err == nil {
			err = p.promote(b)
		}
	case api.EventNoDevice:
		var b api.NoDevice
		err = json.Unmarshal(e.Body, &b)
		p.NoDevice = b.Pools
	case api.EventDevice:
		p.NoDevice = nil
	}
	if err != nil {
		err = fmt.Errorf("event %d (%s): %w", e.Seq, e.Kind, err)
	}
	return faster, err
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func (p *Progress) task(i int) (*Task, error) {
	if i < 0 || i >= len(p.Tasks) {
		return nil, fmt.Errorf("task %d of %d", i, len(p.Tasks))
	}
	return &p.Tasks[i], nil
}

func (p *Progress) close(b api.TrialClosed) (faster bool, err error) {
	t, err := p.task(b.Task)
	if err != nil {
		return false, err
	}
	if b.Code != "ok" {
		p.Failed[b.Code]++
		t.Failed++
	}
	if b.Kind != "measure" {
		return false, nil
	}
	if b.Code == "ok" && b.Ns > 0 {
		if b.Baseline {
			t.Default = b.Ns
		}
		if t.Best == 0 || b.Ns < t.Best {
			faster = t.Best > 0
			t.Best = b.Ns
		}
	}
	if b.Charged {
		p.Charged++
		t.Trials++
		t.Trend = append(t.Trend, t.Best)
		p.pace = append(p.pace, p.Active)
		if b.Code == "ok" {
			p.OK++
		}
	}
	return faster, nil
}

func (p *Progress) promote(b api.NewChampion) error {
	t, err := p.task(b.Task)
	if err == nil && !t.Promoted {
		t.Promoted = true
		p.Champions++
	}
	if err == nil {
		t.Champion = b.Ns
	}
	return err
}

// Ended says whether the job has reached its last state.
func (p *Progress) Ended() bool { return api.Job{State: p.State}.Ended() }

// Untuned and Tuned are the model's latency in ns, the weighted sum of its
// tasks', by the default schedules and by the best ones. Both are 0 until every
// task has a time; a task whose default failed counts with its best.
func (p *Progress) Untuned() float64 {
	return p.sum(func(t Task) float64 {
		if t.Default > 0 {
			return t.Default
		}
		return t.Best
	})
}

// Tuned is described at Untuned. Once the job has ended it counts what builds will
// use: the schedule that won its race, else the default.
func (p *Progress) Tuned() float64 {
	return p.sum(func(t Task) float64 {
		switch {
		case !p.Ended() || t.Default == 0:
			return t.Best
		case t.Champion > 0:
			return min(t.Champion, t.Default)
		}
		return t.Default
	})
}

func (p *Progress) sum(ns func(Task) float64) float64 {
	total := 0.0
	for _, t := range p.Tasks {
		x := ns(t)
		if t.Weight == 0 { // of a form that the model does not have
			continue
		}
		if x == 0 {
			return 0
		}
		total += t.Weight * x
	}
	return total
}

// Ratio is how much faster the tuned model is, 0 while that is not known.
func (p *Progress) Ratio() float64 {
	if t := p.Tuned(); t > 0 {
		return p.Untuned() / t
	}
	return 0
}

// paceWindow is how many trials the estimate of the time left looks back on.
const paceWindow = 64

// Left estimates the time until the budget is spent; ok is false while there
// is nothing to go by.
func (p *Progress) Left() (left time.Duration, ok bool) {
	if b := p.Job.TimeBudgetMS; b > 0 {
		left, ok = max(0, time.Duration(b)*time.Millisecond-p.Active), true
	}
	n := len(p.pace)
	if p.Job.TrialBudget == 0 || n < 2 {
		return left, ok
	}
	from := max(0, n-1-paceWindow)
	each := (p.pace[n-1] - p.pace[from]) / time.Duration(n-1-from)
	byTrials := each * time.Duration(max(0, p.Job.TrialBudget-int64(p.Charged)))
	if !ok || byTrials < left {
		left = byTrials
	}
	return left, true
}

// Failures spells the failures by code, most frequent first, "" for none.
func (p *Progress) Failures() string {
	codes := slices.Sorted(maps.Keys(p.Failed))
	slices.SortStableFunc(codes, func(a, b string) int { return p.Failed[b] - p.Failed[a] })
	for i, c := range codes {
		codes[i] = fmt.Sprintf("%s %d", c, p.Failed[c])
	}
	return strings.Join(codes, ", ")
}

// FailedTrials is the number of closed trials that are not ok.
func (p *Progress) FailedTrials() (n int) {
	for _, k := range p.Failed {
		n += k
	}
	return n
}
