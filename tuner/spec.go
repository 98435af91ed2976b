package tuner

import (
	"fmt"

	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/trace"
)

// Task is a workload to tune on the session's target.
type Task struct {
	ID     string // the workload's canonical hash
	Name   string // for people: operator and shapes
	Func   *tir.PrimFunc
	Weight float64 // how often the model runs it
	Bound  float64 // time in ns that no schedule can beat, 0 when unknown
	// Seeds are complete traces to measure beside candidate zero: champions of
	// earlier jobs. One that does not replay is left out.
	Seeds []trace.Trace
	// Transfer are traces of other functions of the same structure, the most
	// promising first. Their decisions are repaired to fit this one; a trace that no
	// design space of it can follow is left out.
	Transfer []trace.Trace
}

// Spec is what a session is asked to do.
type Spec struct {
	Tasks  []Task
	Target target.Target
	Preset string // "cpu" when empty
	Seed   uint64
	Trials int // budget of charged trials
	Batch  int // trials per round; 0 lets the budget decide
	// Random draws every candidate and learns nothing: what a search has to beat.
	Random bool
	// Sites are the parts of the model that can be computed in several forms: for each
	// site and form, how often a model of that form calls each task, by its id.
	Sites [][]map[string]int
}

func (s *Spec) validate() error {
	if len(s.Tasks) == 0 {
		return fmt.Errorf("a session needs a task")
	}
	if s.Trials < 1 {
		return fmt.Errorf("a budget of %d trials: need one at least", s.Trials)
	}
	seen := map[string]bool{}
	for _, t := range s.Tasks {
		if t.Func == nil || t.Weight <= 0 || seen[t.ID] {
			return fmt.Errorf("task %s: needs a function, a positive weight and an id of its own", t.Name)
		}
		seen[t.ID] = true
	}
	return nil
}

// Trial is one proposed candidate.
type Trial struct {
	Seq    int // from 0, in order of proposal
	Task   int // index in Spec.Tasks
	Round  int // of the session; round 0 is every task's candidate zero and its seeds
	Trace  trace.Trace
	Hash   [32]byte // of the scheduled function
	Origin string
	Score  float64 // predicted; 0 without a model
	Func   *tir.PrimFunc
}

// Outcome is how a trial ended.
type Outcome struct {
	Seq     int
	Charged bool    // counts against the budget
	NS      float64 // measured time, 0 when it failed
}
