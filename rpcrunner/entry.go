package rpcrunner

import (
	"cmp"
	"context"
	"errors"
	"syscall"

	"hone/internal/wire"
	"hone/rpcrunner/bench"
	"hone/rpcrunner/executor"
)

// failed is what went wrong with one entry.
type failed struct {
	code   wire.Code
	detail string
	// again says that the entry deserves another try whoever ran before it: the child died
	// for a reason that is not the entry's, or the incumbent failed beside it.
	again bool
	// fatal says that no further entry can be measured in this item.
	fatal bool
}

// entry checks and times entry i and writes its result. A failure beside other candidates,
// or one that is not the entry's own, is tried once more alone in a new child before
// anybody is blamed. It returns false when the item cannot go on.
func (m *measurement) entry(ctx context.Context, i int) bool {
	for try := 0; ; try++ {
		if err := m.s.ensure(ctx); err != nil {
			m.setupError(ctx, err)
			return false
		}
		alone := m.s.candidates == 0
		m.s.candidates++
		er, f := m.attempt(ctx, i)
		er.Trial, er.Artifact = m.r.Entries[i].Trial, m.r.Entries[i].Artifact
		if f == nil {
			m.r.Entries[i] = er
			return true
		}
		if ctx.Err() != nil {
			m.failOpen(interrupted(ctx), errors.New(f.detail))
			return false
		}
		if f.fatal {
			m.failOpen(f.code, errors.New(f.detail))
			return false
		}
		if try == 0 && (!alone || f.again) {
			m.s.drop()
			continue
		}
		er.Code, er.Detail = f.code, f.detail
		m.r.Entries[i] = er
		return true
	}
}

// attempt runs entry i up to the stage it deserves: load, first run, check, and for
// measure items the ladder.
func (m *measurement) attempt(ctx context.Context, i int) (wire.EntryResult, *failed) {
	e := &m.item.Entries[i]
	er := wire.EntryResult{Code: wire.OK}
	k := wire.Kernel{Artifact: m.blobs[i], Symbol: e.Symbol, Workspace: e.Workspace, Pack: e.Pack}
	l, err := m.s.load(ctx, &k, i)
	if err != nil {
		f := m.explain(i, err)
		m.s.drop()
		return er, f
	}
	defer m.s.unload(ctx, l)
	if err := m.s.warm(ctx, l); err != nil {
		return er, m.explain(i, err)
	}
	er.Stage = 1
	var mismatch string
	if er.MaxErr, mismatch, err = m.s.verify(ctx); err != nil {
		return er, m.explain(i, err)
	}
	if mismatch != "" {
		return er, &failed{code: wire.CandidateMismatch, detail: mismatch}
	}
	if m.item.Kind == wire.KindRace {
		er.Stage = 0 // its times come from the race
		return er, nil
	}
	if err := m.s.chill(ctx, l); err != nil {
		return er, m.explain(i, err)
	}
	var inc *bench.Incumbent
	if s := m.incumbentSubject(); s != nil {
		inc = &bench.Incumbent{Subject: *s, Best: cmp.Or(m.item.Incumbent.Best, 1)}
	}
	o, err := m.w.cfg.Bench.Screen(ctx, m.sampler(), m.subject(l), inc)
	fill(&er, o)
	m.r.Conditions.Discarded += o.Paired.Discarded
	if err != nil {
		return er, m.explain(i, err)
	}
	return er, nil
}

func (m *measurement) sampler() sampler {
	return sampler{s: m.s, quiet: m.item.Threads > 1 || m.item.Kind == wire.KindRace}
}

func (m *measurement) subject(l *loaded) bench.Subject {
	return bench.Subject{Kernel: l.id, Estimate: m.s.estimate[l.id]}
}

func (m *measurement) incumbentSubject() *bench.Subject {
	if m.s.incumbent == nil {
		return nil
	}
	s := m.subject(m.s.incumbent)
	return &s
}

// fill copies an outcome into a result.
func fill(er *wire.EntryResult, o bench.Outcome) {
	er.Stage = max(er.Stage, o.Stage)
	er.SamplesNS, er.IncumbentNS, er.NS = o.Samples, o.Incumbent, o.NS
	if len(o.Incumbent) > 0 {
		er.Ratio, er.CILow, er.CIHigh = o.Paired.Ratio, o.Paired.Low, o.Paired.High
	}
}

// explain turns an error of the executor into a code. i is the entry that was being run.
func (m *measurement) explain(i int, err error) *failed {
	var d *executor.Death
	var r *executor.Refusal
	var ce *contextError
	f := &failed{detail: err.Error()}
	switch {
	case errors.As(err, &d):
		m.s.drop()
		f.code, f.again = deathCode(d, i)
	case errors.As(err, &r):
		f.code = refusalCodes[r.Class]
		if f.code == "" {
			f.code, f.again = wire.DeviceExecutor, true
		}
	case errors.As(err, &ce):
		f.code = ce.code
		f.fatal = ce.code == wire.DeviceMemory
	default: // a garbled answer: the child was taken over
		m.s.drop()
		f.code, f.again = wire.CandidateCrash, true
	}
	return f
}

var refusalCodes = map[executor.Class]wire.Code{
	executor.ClassMemory: wire.CandidateMemory, executor.ClassImage: wire.CandidateImage,
	executor.ClassRefused: wire.CandidateRefused, executor.ClassBounds: wire.CandidateBounds,
}

// deathCode blames the kernel that ran: the entry, a kernel everybody shares, or nobody.
func deathCode(d *executor.Death, entry int) (code wire.Code, again bool) {
	switch {
	case d.Tag == tagIncumbent || d.Tag == tagReference:
		return wire.InfraReference, true
	case d.Tag != entry:
		return wire.DeviceExecutor, true
	case d.Timeout || d.Signal == syscall.SIGXCPU:
		return wire.CandidateTimeout, false
	case d.Guard:
		return wire.CandidateBounds, false
	case d.Signal == syscall.SIGKILL: // nobody here sent it: the kernel was out of memory, or somebody outside
		return wire.CandidateMemory, true
	}
	return wire.CandidateCrash, false
}
