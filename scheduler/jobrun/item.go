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
	if r.Kind == wire.KindRace {
		return w.race()
	}
	if r.Build {
		return w.build()
	}
	return w.measure()
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
	w.complete(expect)
	return w.out, nil
}

// measure sends trials that have artifacts.
func (w *itemWriter) measure() (scheduler.Emission, error) {
	entries, err := w.built()
	if err != nil {
		return w.out, err
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
	w.complete(expect)
	return w.out, nil
}

func (w *itemWriter) built() ([]wire.Entry, error) {
	var out []wire.Entry
	for _, t := range w.req.Trials {
		b, err := scheduler.BuiltOf(t)
		if err != nil {
			return nil, err
		}
		e := b.Entry
		e.Trial = scheduler.TrialName(t.ID)
		out = append(out, e)
	}
	return out, nil
}

// complete adds what the kind of item needs: nothing to compare with on a build
// item, the kernel to be paired with on the others.
func (w *itemWriter) complete(expect *wire.Expect) {
	if w.req.Kind == wire.KindBuild {
		w.out.Work.Args = nil
		return
	}
	w.out.Work.Expect = expect
	if w.run.partner == nil {
		return
	}
	p := w.run.partner.Trial
	if k, err := kernelOf(p); err == nil {
		w.out.Work.Incumbent = &wire.Incumbent{Kernel: k, Trial: scheduler.TrialName(p.ID), NS: p.Ns, Best: w.run.best.Trial.Ns / p.Ns}
	}
}

// race sends finalists against what builds use now, with fresh inputs.
func (w *itemWriter) race() (scheduler.Emission, error) {
	against := w.run.raceAgainst()
	if against == nil {
		return w.out, fmt.Errorf("nothing to race against in %s", w.run.row.Name)
	}
	entries, err := w.built()
	if err != nil {
		return w.out, err
	}
	k, err := kernelOf(against.Trial)
	if err != nil {
		return w.out, err
	}
	w.out.Work = w.run.emit.Item(wire.KindRace, nil, entries)
	w.out.Work.Seed = 2
	w.out.Work.Incumbent = &wire.Incumbent{Kernel: k, Trial: scheduler.TrialName(against.Trial.ID), NS: against.Trial.Ns}
	ref := k
	if w.run.zero != nil {
		ref = *w.run.zero
	}
	w.out.Work.Expect = w.run.emit.Expect(ref)
	return w.out, nil
}
