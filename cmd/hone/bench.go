package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"hone/cmd/hone/internal/live"
	"hone/compiler/dtype"
	"hone/compiler/runtime"
)

// benchFlags are what `hone bench` was asked for.
type benchFlags struct {
	listFlags
	inputs, archives []string
	weights          string
	threads, rounds  int
	profile, pin     bool
}

func newBench() *cobra.Command {
	f := &benchFlags{}
	c := &cobra.Command{Use: "bench LIB.so", Short: "Time a compiled model",
		Long: `Time a compiled model. Inputs that are not given are random. Rounds follow one
another after a few that do not count.

--profile times each kernel: its share of the run, its arithmetic and the bytes of
its operands per second, and the first as a share of the multiply-adds that the
processor was seen to do on as many threads.`,
		Args: exactly("LIB.so"), RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.OutOrStdout(), args[0]) }}
	f.listFlags.add(c)
	c.Flags().StringArrayVar(&f.inputs, "input", nil, "NAME=FILE of an input (repeat for several)")
	c.Flags().StringArrayVar(&f.archives, "inputs", nil, ".npz `file` with inputs by name")
	c.Flags().StringVar(&f.weights, "weights", "", "weights file (default: beside the library)")
	c.Flags().IntVar(&f.threads, "threads", 0, "threads (default: what the model was compiled for)")
	c.Flags().IntVar(&f.rounds, "rounds", 0, "rounds (default: as many as fit two seconds)")
	c.Flags().BoolVar(&f.profile, "profile", false, "time every kernel")
	c.Flags().BoolVar(&f.pin, "pin", false, "pin threads to processors")
	return c
}

// timing is what bench found out.
type timing struct {
	Library  string       `json:"library"`
	Threads  int          `json:"threads"`
	Rounds   int          `json:"rounds"`
	MedianNS float64      `json:"median_ns"`
	MinNS    float64      `json:"min_ns"`
	Peak     float64      `json:"peak_gflops,omitempty"` // of multiply-adds, with --profile
	Kernels  []kernelTime `json:"kernels,omitempty"`
}

func (f *benchFlags) run(w io.Writer, lib string) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.rounds < 0 {
		return usagef("--rounds %d: want 1 or more", f.rounds)
	}
	have, err := readTensors("--input", f.inputs, f.archives)
	if err != nil {
		return err
	}
	m, err := runtime.Open(lib, runtime.Options{Threads: f.threads, Weights: f.weights, Pin: f.pin, Verify: true})
	if err != nil {
		return err
	}
	defer m.Close()
	list := randomInputs(m.Inputs())
	if len(have) > 0 {
		if list, err = checkInputs(lib, m.Inputs(), have); err != nil {
			return err
		}
	}
	t := timing{Library: lib, Threads: m.Threads()}
	if err := f.measure(m, list, &t); err != nil {
		return err
	}
	return f.show(w, &t)
}

const (
	benchTime   = 2 * time.Second
	warmRounds  = 3
	leastRounds = 10
	mostRounds  = 10_000
)

// measure runs the rounds.
func (f *benchFlags) measure(m *runtime.Instance, in []*dtype.Tensor, t *timing) error {
	out := m.NewOutputs()
	start := time.Now()
	for range warmRounds {
		if err := m.RunInto(in, out); err != nil {
			return err
		}
	}
	each := time.Since(start) / warmRounds
	t.Rounds = f.rounds
	if t.Rounds == 0 {
		t.Rounds = int(min(mostRounds, max(leastRounds, benchTime/max(1, each))))
	}
	total := make([]float64, t.Rounds)
	calls := make([][]float64, len(m.Calls()))
	for r := range total {
		start := time.Now()
		if f.profile {
			times, err := m.RunTimed(in, out)
			if err != nil {
				return err
			}
			for i, d := range times {
				calls[i] = append(calls[i], float64(d))
			}
		} else if err := m.RunInto(in, out); err != nil {
			return err
		}
		total[r] = float64(time.Since(start))
	}
	t.MedianNS, t.MinNS = median(total), slices.Min(total)
	var err error
	if f.profile {
		t.Kernels = perKernel(m, calls)
		t.Peak, err = multiplyAdds(context.Background(), m.Threads(), "")
	}
	return err
}

// median sorts xs.
func median(xs []float64) float64 {
	slices.Sort(xs)
	n := len(xs)
	return (xs[(n-1)/2] + xs[n/2]) / 2
}

func (f *benchFlags) show(w io.Writer, t *timing) error {
	if f.output == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(t)
	}
	if len(t.Kernels) > 0 {
		if err := f.print(w, nil, profileHeader, profileRows(t)); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "median %s, least %s, of %s on %s\n", live.Time(t.MedianNS), live.Time(t.MinNS), counted(t.Rounds, "round"), counted(t.Threads, "thread")); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "RESULT bench median_ms=%.4f min_ms=%.4f rounds=%d threads=%d\n", t.MedianNS/1e6, t.MinNS/1e6, t.Rounds, t.Threads)
	return err
}
