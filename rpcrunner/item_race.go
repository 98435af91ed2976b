package rpcrunner

import (
	"context"
	"errors"

	"hone/internal/wire"
	"hone/rpcrunner/bench"
	"hone/rpcrunner/executor"
)

// race is stage 4: all entries that passed their check, and the incumbent, interleaved. An
// entry that dies here is tried alone; whatever comes of that, the others race again
// without it.
func (m *measurement) race(ctx context.Context) {
	var in []int
	for i := range m.r.Entries {
		if m.r.Entries[i].Code == wire.OK {
			in = append(in, i)
		}
	}
	for len(in) > 0 {
		out, err := m.raceOnce(ctx, in)
		if err == nil {
			for n, i := range in {
				fill(&m.r.Entries[i], out[n])
				m.r.Conditions.Discarded += out[n].Paired.Discarded
			}
			return
		}
		if ctx.Err() != nil {
			m.failOpen(interrupted(ctx), err)
			return
		}
		var d *executor.Death
		culprit := -1
		if errors.As(err, &d) {
			culprit = d.Tag
		}
		rest, found := without(in, culprit)
		if !found {
			m.setupError(ctx, err)
			return
		}
		m.s.drop()
		m.confirm(ctx, culprit, err)
		m.s.drop()
		in = rest
	}
}

// confirm decides about an entry that failed in a race: its own fault when it fails alone,
// the device's when it does not.
func (m *measurement) confirm(ctx context.Context, i int, cause error) {
	e := &m.r.Entries[i]
	e.Code, e.Detail = wire.DeviceExecutor, cause.Error()
	if m.s.ensure(ctx) != nil {
		return
	}
	kind := m.item.Kind
	m.item.Kind = wire.KindMeasure // up the ladder, alone
	_, f := m.attempt(ctx, i)
	m.item.Kind = kind
	if f != nil && ctx.Err() == nil {
		e.Code, e.Detail = f.code, f.detail
	}
}

func without(list []int, x int) (rest []int, found bool) {
	for _, v := range list {
		if v == x {
			found = true
		} else {
			rest = append(rest, v)
		}
	}
	return rest, found
}

// raceOnce loads everybody into one child and interleaves them. The outcomes are in the
// order of in. Without an incumbent the first entry is what the others are compared with.
func (m *measurement) raceOnce(ctx context.Context, in []int) ([]bench.Outcome, error) {
	if err := m.s.ensure(ctx); err != nil {
		return nil, err
	}
	var subjects []bench.Subject
	if inc := m.incumbentSubject(); inc != nil {
		subjects = append(subjects, *inc)
	}
	for _, i := range in {
		e := &m.item.Entries[i]
		l, err := m.s.load(ctx, &wire.Kernel{Artifact: m.blobs[i], Symbol: e.Symbol, Workspace: e.Workspace, Pack: e.Pack}, i)
		if err != nil {
			return nil, err
		}
		if err := m.s.warm(ctx, l); err != nil {
			return nil, err
		}
		if err := m.s.chill(ctx, l); err != nil {
			return nil, err
		}
		subjects = append(subjects, m.subject(l))
	}
	out, err := m.w.cfg.Bench.Race(ctx, m.sampler(), subjects)
	if err != nil {
		return nil, err
	}
	return out[len(subjects)-len(in):], nil
}
