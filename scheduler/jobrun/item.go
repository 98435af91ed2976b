package jobrun

import (
	"context"
	"fmt"

	"hone/compiler/tir"
	"hone/db/store"
	"hone/internal/wire"
	"hone/scheduler"
	"hone/scheduler/emit"
)

// Item implements scheduler.Driver.
func (d *driver) Item(_ context.Context, r scheduler.ItemRequest) (scheduler.Emission, error) {
	d.mu.Lock()
	run, ok := d.byTask[r.Task.ID]
	if !ok {
		d.mu.Unlock()
		return scheduler.Emission{}, fmt.Errorf("task %d is not of this job", r.Task.ID)
	}
	funcs := make([]*tir.PrimFunc, len(r.Trials))
	for i, t := range r.Trials {
		if seq, ok := d.byTrial[t.ID]; ok {
			funcs[i] = d.session.Trials()[seq].Func
		}
	}
	snapshot := *run
	d.mu.Unlock()
	w := &itemWriter{run: &snapshot, req: r, funcs: funcs, out: scheduler.Emission{Refused: map[int64]string{}}}
	if r.Build {
		return w.build()
	}
	return w.built()
}

// itemWriter writes one item from a snapshot of its task.
type itemWriter struct {
	run   *taskRun
	req   scheduler.ItemRequest
	funcs []*tir.PrimFunc
	out   scheduler.Emission
}

// symbolOf names a trial's kernel; the name is its identity in the unit.
func symbolOf(t store.Trial) string { return fmt.Sprintf("t%d", t.ID) }

// build emits the trials into one unit, with the naive loops where they are the
// reference: for candidate zero, and when candidate zero is no good.
func (w *itemWriter) build() (scheduler.Emission, error) {
	var ks []emit.Kernel
	naive := w.run.zero == nil
	if naive {
		ks = append(ks, emit.Kernel{Symbol: emit.NaiveSymbol, Func: w.run.emit.Func})
	}
	for i, t := range w.req.Trials {
		if w.funcs[i] == nil {
			return w.out, fmt.Errorf("trial %d is not of this session", t.ID)
		}
		ks = append(ks, emit.Kernel{Symbol: symbolOf(t), Func: w.funcs[i]})
	}
	src, entries, errs := w.run.emit.Unit(ks)
	if naive {
		if errs[0] != nil {
			return w.out, fmt.Errorf("the loops of %s cannot be emitted: %w", w.run.row.Name, errs[0])
		}
		errs = errs[1:]
	}
	for i, err := range errs {
		if err != nil {
			w.out.Refused[w.req.Trials[i].ID] = err.Error()
		}
	}
	var expect *wire.Expect
	if naive {
		expect, entries = w.run.emit.ExpectNaive(entries[0]), entries[1:]
	} else {
		expect = w.run.emit.Expect(*w.run.zero)
	}
	for i := range entries {
		for _, t := range w.req.Trials {
			if entries[i].Symbol == symbolOf(t) {
				entries[i].Trial = scheduler.TrialName(t.ID)
			}
		}
	}
	w.out.Source = src
	w.out.Work = w.run.emit.Item(w.req.Kind, &wire.Source{}, entries)
	w.out.Work.Source = nil
	return w.out, w.complete(expect)
}

// built sends trials that have artifacts.
func (w *itemWriter) built() (scheduler.Emission, error) {
	var entries []wire.Entry
	for _, t := range w.req.Trials {
		b, err := scheduler.BuiltOf(t)
		if err != nil {
			return w.out, err
		}
		e := b.Entry
		e.Trial = scheduler.TrialName(t.ID)
		entries = append(entries, e)
	}
	w.out.Work = w.run.emit.Item(w.req.Kind, nil, entries)
	var expect *wire.Expect
	if w.run.zero != nil {
		expect = w.run.emit.Expect(*w.run.zero)
	} else {
		// The unit of these trials holds the naive loops too.
		_, naive, errs := w.run.emit.Unit([]emit.Kernel{{Symbol: emit.NaiveSymbol, Func: w.run.emit.Func}})
		if errs[0] != nil {
			return w.out, fmt.Errorf("the loops of %s cannot be emitted: %w", w.run.row.Name, errs[0])
		}
		expect = w.run.emit.ExpectNaive(naive[0])
		expect.Reference.Artifact = entries[0].Artifact
	}
	return w.out, w.complete(expect)
}

// complete adds what the kind of item needs: nothing to compare with on a build
// item; on the others the kernel to be paired with, which in a race is what builds
// use now. Races have inputs of their own.
func (w *itemWriter) complete(expect *wire.Expect) error {
	if w.req.Kind == wire.KindBuild {
		w.out.Work.Args = nil
		return nil
	}
	w.out.Work.Expect = expect
	inc := &wire.Incumbent{}
	rival := w.run.partner
	switch {
	case w.req.Kind == wire.KindRace:
		if rival = w.run.raceAgainst(); rival == nil {
			return fmt.Errorf("nothing to race against in %s", w.run.row.Name)
		}
		w.out.Work.Seed = 2
	case rival == nil:
		return nil
	default:
		inc.Best = min(1, w.run.best.Trial.Ns/rival.Trial.Ns)
	}
	k, err := kernelOf(rival.Trial)
	if err != nil {
		return err
	}
	inc.Kernel, inc.Trial, inc.NS = k, scheduler.TrialName(rival.Trial.ID), rival.Trial.Ns
	w.out.Work.Incumbent = inc
	return nil
}
