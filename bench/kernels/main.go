// Command kernels tunes single kernels from nothing and holds them against the
// multiply-add peak of the processors they run on and against OpenBLAS, oneDNN and
// ONNX Runtime, which run in processes of their own and take turns with ours.
//
// Ratios above 1 say that Hone is faster. They are medians over rounds in which
// everybody is timed once, by the same clock. The share of the peak takes the best of
// both sides: the least time and the fastest burst of all rounds. The functions are
// what models are lowered to: each line is a small ONNX model.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"hone/bench/harness"
	"hone/compiler/target"
)

type options struct {
	trials, rounds int
	cc, tmp        string
	seed           uint64
	only           []string // lines or classes, all when empty
	threads        []int
}

func main() {
	var o options
	flag.IntVar(&o.trials, "trials", 200, "trials per kernel; 1 for the default schedule")
	flag.IntVar(&o.rounds, "rounds", 9, "final rounds, in which everybody is timed once")
	flag.StringVar(&o.cc, "cc", "gcc", "compiler")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the search")
	only := flag.String("only", "", "lines or classes by name, with commas")
	threads := flag.String("threads", "1,2", "thread counts")
	flag.Parse()
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	for _, s := range strings.Split(*threads, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			fmt.Fprintln(os.Stderr, "bench-kernels: bad thread count", s)
			os.Exit(2)
		}
		o.threads = append(o.threads, n)
	}
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "bench-kernels:", err)
		os.Exit(1)
	}
}

// chosen are the lines that names ask for.
func chosen(names []string) ([]line, error) {
	if len(names) == 0 {
		return lines, nil
	}
	var out []line
	for _, n := range names {
		before := len(out)
		for _, l := range lines {
			if l.name == n || l.class == n {
				out = append(out, l)
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("no line or class is named %q", n)
		}
	}
	return out, nil
}

func run(ctx context.Context, o options) error {
	list, err := chosen(o.only)
	if err != nil {
		return err
	}
	tgt, err := target.Native()
	if err != nil {
		return err
	}
	if o.tmp, err = os.MkdirTemp("", "hone-bench-kernels"); err != nil {
		return err
	}
	defer os.RemoveAll(o.tmp)
	w, blobs, err := harness.NewWorker(o.tmp)
	if err != nil {
		return err
	}
	defer w.Close()
	f := findField(ctx, o.tmp)
	var results []*result
	for _, n := range o.threads {
		for _, l := range list {
			t := tgt.WithThreads(n)
			s, err := prepare(ctx, w, blobs, l, t, o)
			if err != nil {
				return fmt.Errorf("%s on %d threads: %w", l.name, n, err)
			}
			r, err := compete(ctx, w, f, s, t, o)
			if err != nil {
				return fmt.Errorf("%s on %d threads: %w", l.name, n, err)
			}
			r.print()
			results = append(results, r)
		}
	}
	fmt.Println(resultLine(results, o.trials))
	return nil
}
