package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"hone/compiler/dtype"
	"hone/compiler/runtime"
)

// runFlags are what `hone run` was asked for.
type runFlags struct {
	inputs, archives, expect []string
	weights, out             string
	threads                  int
	rtol, atol               float64
}

func newRun() *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{Use: "run LIB.so", Short: "Run a compiled model on arrays from files",
		Long: `Run a compiled model on arrays from NumPy files (.npy, .npz) or ONNX tensors
(.pb). Without -o the outputs are summarised.`,
		Args: exactly("LIB.so"), RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.OutOrStdout(), args[0]) }}
	c.Flags().StringArrayVar(&f.inputs, "input", nil, "NAME=FILE of an input (repeat for several)")
	c.Flags().StringArrayVar(&f.archives, "inputs", nil, ".npz `file` with inputs by name")
	c.Flags().StringArrayVar(&f.expect, "expect", nil, "NAME=FILE that an output must equal within --rtol and --atol")
	c.Flags().StringVarP(&f.out, "out", "o", "", "where the outputs go: a .npz, or a .npy for a single output; - for standard output")
	c.Flags().StringVar(&f.weights, "weights", "", "weights file (default: beside the library)")
	c.Flags().IntVar(&f.threads, "threads", 0, "threads (default: what the model was compiled for)")
	c.Flags().Float64Var(&f.rtol, "rtol", 1e-3, "relative tolerance of --expect")
	c.Flags().Float64Var(&f.atol, "atol", 1e-4, "absolute tolerance of --expect")
	return c
}

func (f *runFlags) run(w io.Writer, lib string) error {
	if !(f.rtol >= 0 && f.atol >= 0) {
		return usagef("--rtol %g --atol %g: want numbers that are not negative", f.rtol, f.atol)
	}
	have, err := readTensors("--input", f.inputs, f.archives)
	if err != nil {
		return err
	}
	expect, err := readTensors("--expect", f.expect, nil)
	if err != nil {
		return err
	}
	m, err := runtime.Open(lib, runtime.Options{Threads: f.threads, Weights: f.weights, Verify: true})
	if err != nil {
		return err
	}
	defer m.Close()
	list, err := checkInputs(lib, m.Inputs(), have)
	if err != nil {
		return err
	}
	outs, err := m.Run(list)
	if err != nil {
		return err
	}
	named := map[string]*dtype.Tensor{}
	for i, o := range m.Outputs() {
		named[o.Name] = outs[i]
		if f.out == "" && len(expect) == 0 {
			if _, err := fmt.Fprintln(w, summary(o, outs[i])); err != nil {
				return err
			}
		}
	}
	if err := f.compare(w, named, expect); err != nil {
		return err
	}
	return writeTensors(w, f.out, m.Outputs(), named)
}

// compare holds outputs against what is expected of them.
func (f *runFlags) compare(w io.Writer, got, expect map[string]*dtype.Tensor) error {
	for name, want := range expect {
		t := got[name]
		if t == nil {
			return fmt.Errorf("--expect %s: the model has no such output", name)
		}
		abs, excess, err := difference(t, want, f.rtol, f.atol)
		if err != nil {
			return fmt.Errorf("output %s: %w", name, err)
		}
		if excess > 1 {
			return fmt.Errorf("output %s differs by up to %.3g, %.3g times what rtol %g and atol %g allow", name, abs, excess, f.rtol, f.atol)
		}
		fmt.Fprintf(w, "%s: equal within %.3g\n", name, abs)
	}
	return nil
}

// summary describes an output in one line.
func summary(info runtime.TensorInfo, t *dtype.Tensor) string {
	low, high, sum := math.Inf(1), math.Inf(-1), 0.0
	var first []string
	for i := range t.Len() {
		x := t.Float(i)
		low, high, sum = min(low, x), max(high, x), sum+x
		if i < 6 {
			first = append(first, fmt.Sprintf("%.5g", x))
		}
	}
	if t.Len() == 0 {
		return fmt.Sprintf("%s %s%v: empty", info.Name, t.Type, t.Shape)
	}
	if t.Len() > len(first) {
		first = append(first, "…")
	}
	return fmt.Sprintf("%s %s%v: %s; min %.5g, mean %.5g, max %.5g", info.Name, t.Type, t.Shape, strings.Join(first, " "), low, sum/float64(t.Len()), high)
}
