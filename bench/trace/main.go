// Command trace replays a hand-written trace of a 512×512×512 matmul with packed
// weights, checks it bit for bit and times it against the multiply-add peak of
// one core. The trace is checked twice: at 64³ with repaired decisions against the
// interpreter, at 512³ against the naive loops of the unscheduled function.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"time"

	"hone/bench/harness"
	"hone/bench/workload"
	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/interp"
	"hone/compiler/trace"
	"hone/internal/wire"
	"hone/rpcrunner"
	"hone/scheduler/emit"
)

func main() {
	dir := flag.String("traces", "testdata/traces", "folder of traces")
	cc := flag.String("cc", "gcc", "compiler")
	rounds := flag.Int("rounds", 12, "measurements, each between two peak bursts")
	flag.Parse()
	if err := run(*dir, *cc, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench-trace:", err)
		os.Exit(1)
	}
}

func run(dir, cc string, rounds int) error {
	tgt, err := target.Native()
	if err != nil {
		return err
	}
	tgt = tgt.WithThreads(1)
	name := fmt.Sprintf("%s/matmul512.json", dir)
	if tgt.Lanes(32) == 16 {
		name = fmt.Sprintf("%s/matmul512.avx512.json", dir)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	tr, err := trace.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	tmp, err := os.MkdirTemp("", "hone-bench-trace")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	w, blobs, err := harness.NewWorker(tmp)
	if err != nil {
		return err
	}
	defer w.Close()
	b := &bench{w: w, blobs: blobs, tgt: tgt, cc: cc, tr: tr}
	small, err := b.small()
	if err != nil {
		return fmt.Errorf("64³: %w", err)
	}
	fmt.Printf("64³ with repaired decisions equals the interpreter: %v\n", small)
	peak, gflops, large, err := b.large(rounds)
	if err != nil {
		return fmt.Errorf("512³: %w", err)
	}
	fmt.Printf("512³ equals the naive loops: %v; %.1f of %.1f GFLOP/s, %.1f %% of peak\n", large, gflops, peak, 100*gflops/peak)
	fmt.Printf("RESULT trace peak_gflops=%.1f matmul512=%.3f equal=%v\n", peak, gflops/peak, small && large)
	if !small || !large {
		return fmt.Errorf("the results differ")
	}
	return nil
}

type bench struct {
	w     *rpcrunner.Worker
	blobs *harness.Memory
	tgt   target.Target
	cc    string
	tr    trace.Trace
}

// schedule replays the trace on a cube of size n.
func (b *bench) schedule(n int64) (f, scheduled *tir.PrimFunc, err error) {
	f = workload.Matmul(n, n, n)
	s := schedule.NewFunc(f, nil)
	if err := b.tr.Replay(s, trace.Options{}); err != nil {
		return nil, nil, err
	}
	return f, s.Func(), nil
}

func (b *bench) measure(task *emit.Task, src string, entries []wire.Entry, expect *wire.Expect) (wire.EntryResult, error) {
	packed, err := rpcrunner.PackSource(src)
	if err != nil {
		return wire.EntryResult{}, err
	}
	if packed.Inline == nil {
		if err := b.blobs.Put(context.Background(), []byte(src)); err != nil {
			return wire.EntryResult{}, err
		}
	}
	item := task.Item(wire.KindMeasure, &packed, entries)
	item.Work, item.Job, item.Project, item.Attempt, item.Nonce = "trace", "bench", "default", 1, wire.NewNonce()
	item.Expect = expect
	r := b.w.Do(context.Background(), item)
	if len(r.Entries) != 1 {
		return wire.EntryResult{}, fmt.Errorf("%s: %s", r.Code, r.Detail)
	}
	e := r.Entries[0]
	if e.Code != wire.OK && e.Code != wire.CandidateMismatch {
		return e, fmt.Errorf("%s: %s", e.Code, e.Detail)
	}
	return e, nil
}

// small compares with the interpreter's outputs.
func (b *bench) small() (bool, error) {
	f, s, err := b.schedule(64)
	if err != nil {
		return false, err
	}
	task, err := emit.NewTask(f, b.tgt, b.cc)
	if err != nil {
		return false, err
	}
	src, entry, _, err := task.ZeroUnit(s)
	if err != nil {
		return false, err
	}
	item := task.Item(wire.KindMeasure, nil, nil)
	args := make([]*dtype.Tensor, len(item.Args))
	for i, a := range item.Args {
		data, err := wire.Generate(a, i, item.Seed)
		if err != nil {
			return false, err
		}
		args[i] = &dtype.Tensor{Type: dtype.Float32, Shape: a.Shape, Data: data}
	}
	if err := interp.Run(f, args); err != nil {
		return false, err
	}
	sum := sha256.Sum256(args[2].Data)
	e, err := b.measure(task, src, []wire.Entry{entry}, &wire.Expect{OutputsSHA256: hex.EncodeToString(sum[:]), Rule: wire.RuleExact})
	return e.Code == wire.OK, err
}

// large times the kernel between bursts of the peak.
func (b *bench) large(rounds int) (peak, gflops float64, equal bool, err error) {
	f, s, err := b.schedule(512)
	if err != nil {
		return 0, 0, false, err
	}
	task, err := emit.NewTask(f, b.tgt, b.cc)
	if err != nil {
		return 0, 0, false, err
	}
	src, entry, naive, err := task.ZeroUnit(s)
	if err != nil {
		return 0, 0, false, err
	}
	equal = true
	for range rounds {
		p, _, err := b.w.Peak(context.Background(), 1, 50*time.Millisecond)
		if err != nil {
			return 0, 0, false, err
		}
		peak = max(peak, p)
		e, err := b.measure(task, src, []wire.Entry{entry}, task.ExpectNaive(naive))
		if err != nil {
			return 0, 0, false, err
		}
		equal = equal && e.Code == wire.OK
		if e.NS > 0 {
			gflops = max(gflops, workload.Flops(512*512, 512)/e.NS)
		}
	}
	return peak, gflops, equal, nil
}
