// Command tvm tunes six kernels with Hone and with MetaSchedule of the installed TVM,
// the same functions, the same number of trials, the same machine, and lets what they
// found run in turns. It shows the time of tuning beside.
//
// MetaSchedule gets both processors for building whatever the thread count, a cost
// model by XGBoost as by default, and a build step without the import of tensor
// intrinsics that this target has no use for; its own start is not counted.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"hone/bench/harness"
	"hone/bench/libproc"
	"hone/bench/workload"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/rpcrunner"
	"hone/scheduler/emit"
	"hone/scheduler/jobrun"
)

//go:embed tune.py
var script []byte

type options struct {
	trials, rounds, threads int
	seed                    uint64
	cc, tmp, only           string
}

func main() {
	var o options
	flag.IntVar(&o.trials, "trials", 200, "trials per kernel, on either side")
	flag.IntVar(&o.rounds, "rounds", 9, "final rounds, in which both sides are timed once")
	flag.IntVar(&o.threads, "threads", 1, "threads of the kernels")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of both searches")
	flag.StringVar(&o.cc, "cc", "gcc", "Hone's compiler")
	flag.StringVar(&o.only, "only", "", "kernels, separated by commas; all when empty")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "bench-tvm:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if out, err := exec.CommandContext(ctx, "python3", "-c", "import tvm, xgboost; print(tvm.__version__)").Output(); err != nil {
		return fmt.Errorf("TVM is not installed: python3 -m pip install apache-tvm xgboost")
	} else {
		fmt.Printf("TVM %s", out)
	}
	tgt, err := target.Native()
	if err != nil {
		return err
	}
	tgt = tgt.WithThreads(o.threads)
	if o.tmp, err = os.MkdirTemp("", "hone-bench-tvm"); err != nil {
		return err
	}
	defer os.RemoveAll(o.tmp)
	if err := os.WriteFile(filepath.Join(o.tmp, "tune.py"), script, 0o600); err != nil {
		return err
	}
	w, blobs, err := harness.NewWorker(o.tmp)
	if err != nil {
		return err
	}
	defer w.Close()
	var all []pair
	for _, k := range workload.Convergence(int64(tgt.Lanes(32))) {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), k.Name) {
			continue
		}
		p, err := compete(ctx, w, harness.Options{Func: k.Func, Target: tgt, CC: o.cc, Trials: o.trials, Seed: o.seed, Model: jobrun.NewLearner(tgt, nil), Blobs: blobs}, k.Name, o)
		if err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return fmt.Errorf("no kernel is named %q", o.only)
	}
	fmt.Println(result(all, o))
	return nil
}

// side is what one of the two found.
type side struct{ ns, wall float64 } // nanoseconds of a call; seconds of tuning

// pair is one kernel's outcome; ratio is the median of the rounds' ratios, above 1
// where Hone's kernel is faster.
type pair struct {
	hone, tvm side
	ratio     float64
}

// compete tunes on both sides, one after the other, and times in turns.
func compete(ctx context.Context, w *rpcrunner.Worker, h harness.Options, name string, o options) (pair, error) {
	r, err := harness.Tune(ctx, w, h)
	if err != nil {
		return pair{}, err
	}
	task, err := emit.NewTask(h.Func, h.Target, h.CC)
	if err != nil {
		return pair{}, err
	}
	theirs, wall, err := o.tune(ctx, h.Func, h.Target, name)
	if err != nil {
		return pair{}, err
	}
	defer theirs.Close()
	var a, b, ratios []float64
	for range o.rounds {
		mine, _, err := harness.Sample(ctx, w, task, r.Kernel, false)
		if err != nil {
			return pair{}, err
		}
		other, err := theirs.Time(len(mine))
		if err != nil {
			return pair{}, err
		}
		x, y := libproc.Median(mine), libproc.Median(other)
		a, b, ratios = append(a, x), append(b, y), append(ratios, y/x)
	}
	p := pair{side{libproc.Median(a), r.Wall.Seconds()}, side{libproc.Median(b), wall}, libproc.Median(ratios)}
	fmt.Printf("%-12s Hone %9.1f µs tuned in %4.0f s   TVM %9.1f µs tuned in %4.0f s   TVM/Hone %5.2f\n", name, p.hone.ns/1e3, p.hone.wall, p.tvm.ns/1e3, p.tvm.wall, p.ratio)
	return p, nil
}

// tune has MetaSchedule tune a function; the process then times the best schedule.
func (o options) tune(ctx context.Context, f *tir.PrimFunc, t target.Target, name string) (*libproc.Process, float64, error) {
	text, wall := filepath.Join(o.tmp, name+".py"), filepath.Join(o.tmp, name+".seconds")
	if err := os.WriteFile(text, []byte(tir.Script(f)), 0o600); err != nil {
		return nil, 0, err
	}
	p, err := libproc.Start(ctx, runtime.NumCPU(), nil, "python3", filepath.Join(o.tmp, "tune.py"), text, strconv.Itoa(o.trials), strconv.Itoa(o.threads), strconv.FormatUint(o.seed, 10), t.MCPU, wall)
	if err != nil {
		return nil, 0, err
	}
	out, err := os.ReadFile(wall)
	if err != nil {
		p.Close()
		return nil, 0, err
	}
	s, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return p, s, err
}

func result(all []pair, o options) string {
	logs, least, hone, tvm := 0.0, math.Inf(1), 0.0, 0.0
	for _, p := range all {
		logs += math.Log(p.ratio)
		least = min(least, p.ratio)
		hone += p.hone.wall
		tvm += p.tvm.wall
	}
	return fmt.Sprintf("RESULT tvm threads=%d kernels=%d trials=%d speed_geomean=%.2f speed_min=%.2f hone_s=%.0f tvm_s=%.0f", o.threads, len(all), o.trials, math.Exp(logs/float64(len(all))), least, hone, tvm)
}
