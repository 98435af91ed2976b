// Package harness tunes one function on this machine without a broker and
// without a database: a session, the emitter and a worker called directly. It is
// for benchmarks and tests of search; the product goes through scheduler. Start
// from Tune.
package harness

import (
	"context"
	"fmt"
	"time"

	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/internal/wire"
	"hone/rpcrunner"
	"hone/scheduler/emit"
	"hone/tuner"
)

// Options of a run.
type Options struct {
	Func   *tir.PrimFunc
	Target target.Target
	CC     string
	Preset string
	Trials int
	Seed   uint64
	Model  tuner.Model
	Blobs  *Memory // the worker's
	Random bool    // draw every candidate
	// Beside is an earlier result of the same function and worker, whose fastest
	// kernel the candidates are paired with: so times of several searches compare.
	Beside *Result
	// Each is called for every trial in order of acceptance. ns is its time beside
	// the others, 0 when it failed.
	Each func(t tuner.Trial, e wire.EntryResult, ns float64)
}

// Result of a run.
type Result struct {
	Session   *tuner.Session
	DefaultNS float64
	BestNS    float64
	Best      tuner.Trial
	Kernel    wire.Kernel // of the best trial, in its artifact
	Failed    map[wire.Code]int
	Wall      time.Duration
	Build     time.Duration
	Measure   time.Duration

	zero wire.Kernel // candidate zero, in its artifact
}

type run struct {
	o       Options
	w       *rpcrunner.Worker
	task    *emit.Task
	session *tuner.Session
	res     *Result
	partner *wire.Incumbent // of the candidates
	right   []finalist
	first   tuner.Trial // candidate zero
	items   int
}

// Tune searches with a worker until the budget is spent.
func Tune(ctx context.Context, w *rpcrunner.Worker, o Options) (*Result, error) {
	task, err := emit.NewTask(o.Func, o.Target, o.CC)
	if err != nil {
		return nil, err
	}
	spec := tuner.Spec{
		Tasks:  []tuner.Task{{ID: "task", Name: o.Func.Name, Func: o.Func, Weight: 1}},
		Target: o.Target, Preset: o.Preset, Seed: o.Seed, Trials: o.Trials, Batch: 16, Random: o.Random,
	}
	s, err := tuner.New(spec, o.Model)
	if err != nil {
		return nil, err
	}
	r := &run{o: o, w: w, task: task, session: s, res: &Result{Session: s, Failed: map[wire.Code]int{}}}
	if b := o.Beside; b != nil {
		r.res.zero = b.zero
		r.partner = &wire.Incumbent{Kernel: b.Kernel, Trial: "beside", NS: b.BestNS, Best: 1}
	}
	start := time.Now()
	for !s.Done() {
		batch, err := s.Propose()
		if err != nil {
			return nil, err
		}
		if len(batch) == 0 {
			break
		}
		for _, t := range batch {
			if err := s.Admit(t); err != nil {
				return nil, err
			}
		}
		if err := r.measure(ctx, batch); err != nil {
			return nil, err
		}
	}
	if err := r.race(ctx); err != nil {
		return nil, err
	}
	r.res.Wall = time.Since(start)
	return r.res, nil
}

func symbol(t tuner.Trial) string { return fmt.Sprintf("t%d", t.Seq) }

// measure builds and measures one batch and feeds the outcomes back.
func (r *run) measure(ctx context.Context, batch []tuner.Trial) error {
	if batch[0].Round == 0 {
		r.first = batch[0]
		if r.o.Beside == nil {
			return r.measureZero(ctx, batch[0])
		}
	}
	ks := make([]emit.Kernel, len(batch))
	for i, t := range batch {
		ks[i] = emit.Kernel{Symbol: symbol(t), Func: t.Func}
	}
	src, entries, errs := r.task.Unit(ks)
	for i, err := range errs {
		if err != nil {
			if err := r.accept(batch[i], wire.EntryResult{Trial: symbol(batch[i]), Code: wire.CandidateCompile, Detail: err.Error()}, nil, 0); err != nil {
				return err
			}
		}
	}
	if len(entries) == 0 {
		return nil
	}
	if err := r.do(ctx, batch, src, entries, r.task.Expect(r.res.zero), r.incumbent()); err != nil || batch[0].Round > 0 {
		return err
	}
	return r.started()
}

// started checks that candidate zero was right.
func (r *run) started() error {
	if r.res.BestNS == 0 {
		return fmt.Errorf("%s: the default schedule failed: %v", r.o.Func.Name, r.res.Failed)
	}
	r.res.DefaultNS = r.res.BestNS
	if r.o.Beside != nil {
		r.res.DefaultNS = r.o.Beside.DefaultNS // one scale for all
	}
	return nil
}

// incumbent is what the next candidates are paired with.
func (r *run) incumbent() *wire.Incumbent {
	if r.res.BestNS == 0 {
		return r.partner
	}
	if r.partner == nil || wire.Outgrown(r.partner.NS, r.res.BestNS) {
		r.partner = &wire.Incumbent{Kernel: r.res.Kernel, Trial: symbol(r.res.Best), NS: r.res.BestNS}
	}
	p := *r.partner
	p.Best = min(1, r.res.BestNS/p.NS)
	return &p
}

func (r *run) measureZero(ctx context.Context, t tuner.Trial) error {
	src, entry, naive, err := r.task.ZeroUnit(t.Func)
	if err != nil {
		return err
	}
	entry.Trial = symbol(t)
	r.res.zero = wire.Kernel{Symbol: entry.Symbol, Workspace: entry.Workspace, Pack: entry.Pack}
	if err := r.do(ctx, []tuner.Trial{t}, src, []wire.Entry{entry}, r.task.ExpectNaive(naive), nil); err != nil {
		return err
	}
	r.res.zero.Artifact = r.res.Kernel.Artifact
	return r.started()
}

func (r *run) do(ctx context.Context, batch []tuner.Trial, text string, entries []wire.Entry, expect *wire.Expect, inc *wire.Incumbent) error {
	src, err := rpcrunner.PackSource(text)
	if err != nil {
		return err
	}
	if src.Inline == nil {
		if err := r.o.Blobs.Put(ctx, []byte(text)); err != nil {
			return err
		}
	}
	item := r.task.Item(wire.KindMeasure, &src, entries)
	r.items++
	item.Work, item.Job, item.Project = fmt.Sprintf("w%d", r.items), "bench", "default"
	item.Attempt, item.Nonce = 1, wire.NewNonce()
	item.Expect, item.Incumbent = expect, inc
	anchor := 0.0
	if inc != nil {
		anchor = inc.NS
	}
	out := r.w.Do(ctx, item)
	r.res.Build += time.Duration(out.Clocks.Build * float64(time.Millisecond))
	r.res.Measure += time.Duration(out.Clocks.Run * float64(time.Millisecond))
	bySymbol := map[string]wire.Entry{}
	for _, e := range entries {
		bySymbol[e.Trial] = e
	}
	for _, t := range batch {
		for _, e := range out.Entries {
			if e.Trial != symbol(t) {
				continue
			}
			en := bySymbol[e.Trial]
			k := wire.Kernel{Symbol: en.Symbol, Workspace: en.Workspace, Pack: en.Pack, Artifact: out.Artifact}
			if e.Artifact != nil {
				k.Artifact = e.Artifact
			}
			if err := r.accept(t, e, &k, anchor); err != nil {
				return err
			}
		}
	}
	if out.Code != wire.OK && out.Code.Class() != "candidate" {
		return fmt.Errorf("the worker failed: %s: %s", out.Code, out.Detail)
	}
	return nil
}

// accept folds one result. Times are comparable across items by their ratio to
// the item's incumbent, whose time is anchor, where pairs were taken.
func (r *run) accept(t tuner.Trial, e wire.EntryResult, k *wire.Kernel, anchor float64) error {
	ns := 0.0
	if e.Code == wire.OK {
		ns = e.NS
		if e.Ratio > 0 && anchor > 0 {
			ns = e.Ratio * anchor
		}
	} else {
		r.res.Failed[e.Code]++
	}
	if r.o.Each != nil {
		r.o.Each(t, e, ns)
	}
	if ns > 0 && k != nil {
		r.right = append(r.right, finalist{t, *k, ns})
	}
	if ns > 0 && k != nil && (r.res.BestNS == 0 || ns < r.res.BestNS) {
		r.res.BestNS, r.res.Best, r.res.Kernel = ns, t, *k
	}
	return r.session.Accept(tuner.Outcome{Seq: t.Seq, Charged: e.Code.Info().Charged, NS: ns})
}
