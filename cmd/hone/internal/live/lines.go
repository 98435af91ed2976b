package live

import (
	"fmt"
	"io"
	"time"

	"hone/api"
)

// Lines writes progress as plain lines: one for every improvement, one for
// every step of the budget, one for every change of the job's state.
type Lines struct {
	w     io.Writer
	p     *Progress
	since time.Time
	step  int // trials between two lines
}

// NewLines shows the progress p, which it keeps up to date. What happened before
// a moment was shown by somebody else.
func NewLines(w io.Writer, p *Progress, since time.Time) *Lines {
	return &Lines{w: w, p: p, since: since, step: int(max(10, min(50, p.Job.TrialBudget/10)))}
}

// Event takes in and shows one event.
func (l *Lines) Event(e api.Event) error {
	before, state, idle := l.p.Charged, l.p.State, len(l.p.NoDevice)
	faster, err := l.p.Apply(e)
	if err != nil || e.At.Before(l.since) {
		return err
	}
	var b api.TrialClosed
	if faster {
		b = closed(e)
		t := l.p.Tasks[b.Task]
		if _, err := fmt.Fprintf(l.w, "[%s] %s %s: %s, %s of its default%s\n", l.count(), t.Operator, t.Shapes, Time(t.Best), Gain(t.Default, t.Best), l.model()); err != nil {
			return err
		}
	}
	if n := l.p.Charged; n != before && n%l.step == 0 {
		if _, err := fmt.Fprintf(l.w, "[%s] %d failed%s%s\n", l.count(), l.p.FailedTrials(), l.model(), left(l.p)); err != nil {
			return err
		}
	}
	if l.p.State != state {
		why := ""
		if l.p.Reason != "" {
			why = ": " + l.p.Reason
		}
		if _, err := fmt.Fprintf(l.w, "job %s%s\n", l.p.State, why); err != nil {
			return err
		}
	}
	if n := len(l.p.NoDevice); n > 0 && idle == 0 {
		_, err = fmt.Fprintf(l.w, "waiting for a device in %v\n", l.p.NoDevice)
	}
	return err
}

func (l *Lines) count() string {
	if b := l.p.Job.TrialBudget; b > 0 {
		return fmt.Sprintf("%*d/%d", len(fmt.Sprint(b)), l.p.Charged, b)
	}
	return fmt.Sprint(l.p.Charged)
}

func (l *Lines) model() string {
	u, t := l.p.Untuned(), l.p.Tuned()
	if t == 0 {
		return ""
	}
	return "; model " + Time(t) + ", " + Gain(u, t)
}
