package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"hone/bench/harness"
	"hone/bench/ortproc"
	"hone/compiler"
	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/internal/wire"
	"hone/rpcrunner"
	"hone/scheduler/emit"
	"hone/scheduler/jobrun"
	"hone/tuner"
)

// subject is a line on a number of threads, with Hone's kernel for it.
type subject struct {
	line
	threads int
	model   string // file

	task   *emit.Task
	kernel wire.Kernel
	gain   float64 // over the default schedule
}

// prepare writes the line's model, takes its function and tunes it.
func prepare(ctx context.Context, w *rpcrunner.Worker, blobs *harness.Memory, l line, tgt target.Target, o options) (*subject, error) {
	s := &subject{line: l, threads: tgt.Threads, model: filepath.Join(o.tmp, l.name+".onnx")}
	if err := os.WriteFile(s.model, l.layers.model().Encode(), 0o600); err != nil {
		return nil, err
	}
	f, err := function(s.model, l.layers.results(), &tgt)
	if err != nil {
		return nil, err
	}
	n := 0
	r, err := harness.Tune(ctx, w, harness.Options{
		Func: f, Target: tgt, CC: o.cc, Trials: o.trials, Seed: o.seed, Model: jobrun.NewLearner(tgt, nil), Blobs: blobs,
		Each: func(tuner.Trial, wire.EntryResult, float64) { n++ },
	})
	if err != nil {
		return nil, err
	}
	fmt.Printf("%-14s threads %d: %d trials in %.1f s, failed %v\n", l.name, s.threads, n, r.Wall.Seconds(), r.Failed)
	s.kernel, s.gain = r.Kernel, r.DefaultNS/r.BestNS
	s.task, err = emit.NewTask(f, tgt, o.cc)
	return s, err
}

// function is the task of a model that computes so many results and is the heaviest, by
// the iterations of one call; of equals the one that the model calls most often, which in
// a chain of convolutions is none at its ends, where layouts change. Convolutions stay
// direct: other forms of them are other kernels.
func function(model string, results int64, tgt *target.Target) (*tir.PrimFunc, error) {
	m, err := compiler.Load(model, tgt, compiler.LoadOptions{DisablePasses: []string{"winograd"}})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	var at *compiler.Task
	for i := range m.Tasks {
		t := &m.Tasks[i]
		if out, _ := t.Func.Params[len(t.Func.Params)-1].(*tir.Buffer).StaticShape(); dtype.NumElements(out) != results {
			continue
		}
		if at == nil || cmp.Or(cmp.Compare(work(t.Func), work(at.Func)), cmp.Compare(t.Weight, at.Weight)) > 0 {
			at = t
		}
	}
	if at == nil {
		return nil, fmt.Errorf("%s: no task computes %d results", model, results)
	}
	return at.Func, nil
}

// work is the number of iterations of a function's largest block.
func work(f *tir.PrimFunc) int64 {
	most := int64(0)
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		r, ok := s.(*tir.BlockRealize)
		if !ok || len(r.Block.Iters) == 0 {
			return true
		}
		n := int64(1)
		for _, it := range r.Block.Iters {
			extent, _ := tir.AsInt(it.Dom.Extent)
			n *= extent
		}
		most = max(most, n)
		return true
	})
	return most
}

// inputs are what ONNX Runtime's session reads.
func (s *subject) inputs(tgt *target.Target) ([]ortproc.Input, error) {
	m, err := compiler.Load(s.model, tgt, compiler.LoadOptions{})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	var out []ortproc.Input
	for _, p := range m.Program.Inputs {
		x := dtype.NewTensor(dtype.Float32, p.Type.Shape...)
		for i := range x.Len() {
			x.SetInt(i, int64(i%7)-3)
		}
		out = append(out, ortproc.Input{Name: p.Name, Tensor: x})
	}
	return out, nil
}
