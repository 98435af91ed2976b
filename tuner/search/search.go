// Package search proposes the candidates of one task: it samples design spaces,
// mutates what was measured, ranks by a predictor and leaves out what was seen.
// Everything is a function of its arguments: streams of random numbers come from
// (seed, task, round), and no state lives between rounds. Start from Engine.
package search

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/internal/rng"
	"hone/tuner/preset"
	"hone/tuner/space"
)

// Origins of a candidate, for reports.
const (
	OriginDefault = "default" // candidate zero
	OriginRandom  = "random"
	OriginEvolved = "evolved"
	OriginPolish  = "polish"
	OriginSeed    = "seed" // a record of an earlier job

	OriginTransferred = "transferred" // repaired decisions of another workload's record
)

// Candidate is a schedule that may be measured.
type Candidate struct {
	Trace  trace.Trace   // complete, postprocessing included
	Func   *tir.PrimFunc // the scheduled function
	Hash   [32]byte      // of Func: equal hashes are equal programs
	Origin string
	Score  float64 // predicted, higher is faster

	scored bool // Score is of the present round
}

// Engine searches one task.
type Engine struct {
	Func   *tir.PrimFunc
	Target target.Target
	Preset preset.Preset
	Spaces []space.Space
	Notes  []string // what the rules have to say to the user

	base     *schedule.Schedule
	prefixes []prefix
	fixed    []Candidate // all there is, where the design spaces leave nothing to decide
}

// NewEngine generates the design spaces of a function.
func NewEngine(f *tir.PrimFunc, p preset.Preset, t target.Target) (*Engine, error) {
	spaces, notes, err := space.Generate(f, p, &t)
	if err != nil {
		return nil, err
	}
	if len(spaces) == 0 {
		return nil, fmt.Errorf("%s has no design space", f.Name)
	}
	e := &Engine{Func: f, Target: t, Preset: p, Spaces: spaces, Notes: notes, base: schedule.NewFunc(f, nil)}
	if e.prefixes, err = prefixesOf(f, spaces); err != nil {
		return nil, fmt.Errorf("design space of %s: %w", f.Name, err)
	}
	if !slices.ContainsFunc(spaces, func(s space.Space) bool { return s.Decides() }) {
		for _, s := range spaces {
			if c, err := e.complete(s.Sketch, trace.Options{}, rng.New(0), OriginRandom); err == nil {
				e.fixed = append(e.fixed, c)
			}
		}
		if len(e.fixed) == 0 {
			return nil, fmt.Errorf("%s has no valid schedule", f.Name)
		}
	}
	return e, nil
}

// Default is candidate zero: the schedule of a build without records.
func (e *Engine) Default() (Candidate, error) {
	s, _, err := dlight.Default(e.Func, &e.Target)
	if err != nil {
		return Candidate{}, err
	}
	c := candidateOf(s, OriginDefault)
	c.Trace = c.Trace.Simplified(false)
	return c, nil
}

func candidateOf(s *schedule.Schedule, origin string) Candidate {
	f := s.Func()
	return Candidate{Trace: trace.Of(s), Func: f, Hash: tir.Hash(f), Origin: origin}
}

// Replay rebuilds the candidate of a stored, complete trace.
func (e *Engine) Replay(t trace.Trace) (Candidate, error) {
	s, done := e.start(t)
	if err := t.Replay(s, trace.Options{Done: done}); err != nil {
		return Candidate{}, err
	}
	return candidateOf(s, ""), nil
}

// Complete makes the candidate of a trace that has all its decisions: what comes
// after them is up to the preset's postprocessors of today.
func (e *Engine) Complete(t trace.Trace) (Candidate, error) {
	return e.complete(t, trace.Options{}, rng.New(0, "complete"), "")
}

// complete replays a trace up to postprocessing and runs the preset's
// postprocessors; an error means the candidate is invalid.
func (e *Engine) complete(t trace.Trace, o trace.Options, r *rng.Rand, origin string) (Candidate, error) {
	s, done := e.start(t)
	s.Seed(r)
	o.Done = done
	return e.perform(s, t, o, origin)
}

// perform is complete on a schedule that has begun the trace.
func (e *Engine) perform(s *schedule.Schedule, t trace.Trace, o trace.Options, origin string) (Candidate, error) {
	o.StopAtPostproc = true
	if err := t.Replay(s, o); err != nil {
		return Candidate{}, err
	}
	if err := s.EnterPostproc(); err != nil {
		return Candidate{}, err
	}
	for _, p := range e.Preset.Postprocs {
		if err := p.Apply(s, &e.Target); err != nil {
			return Candidate{}, err
		}
	}
	return candidateOf(s, origin), nil
}

// sample draws a candidate of a random design space. Choices under a limit are
// drawn together before anything is replayed.
func (e *Engine) sample(r *rng.Rand) (Candidate, error) {
	sp := e.Spaces[r.Intn(len(e.Spaces))]
	decisions := drawChoices(sp, &e.Target, r)
	return e.complete(sp.Sketch, trace.Options{Decide: func(i int, _ schedule.Instruction, _ any) any { return decisions[i] }}, r, OriginRandom)
}

// drawChoices draws every categorical decision of a sketch until the limits
// allow them; after many failures the last draw stands and replay decides.
func drawChoices(sp space.Space, t *target.Target, r *rng.Rand) []any {
	out := make([]any, sp.Sketch.Len())
	for range 64 {
		for i, inst := range sp.Sketch.Insts {
			if inst.Kind.Name == "SampleCategorical" {
				out[i] = int64(r.Intn(len(inst.Attrs[0].([]any))))
			}
		}
		if sp.Limits.Allow(out, t) {
			break
		}
	}
	return out
}

// each runs f for 0 … n-1 on all processors; results must go to places of their
// own, so that the order of execution does not matter.
func each(n int, f func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := w; i < n; i += workers {
				f(i)
			}
		}()
	}
	wg.Wait()
}
