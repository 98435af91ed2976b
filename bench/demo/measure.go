package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"hone/compiler/dtype"
	"hone/compiler/onnx"
	"hone/compiler/runtime"
)

// measured are the medians in milliseconds, the least time of every kernel call
// in nanoseconds, and the largest error of any output.
type measured struct {
	naive, untuned, tuned    float64
	untunedCalls, tunedCalls []float64
	maxErr                   float64
}

// Rounds of the comparison: the slow loops run in the first ones only.
const (
	rounds      = 200
	naiveRounds = 5
	warmup      = 3
)

// contestant is a library in the comparison.
type contestant struct {
	kind   string
	rounds int
	model  *runtime.Instance
	out    []*dtype.Tensor
	ms     []float64
	calls  []float64
}

// run is one round. Clocks around the kernels cost the same in every library.
func (c *contestant) run(in *dtype.Tensor) error {
	start := time.Now()
	calls, err := c.model.RunTimed([]*dtype.Tensor{in}, c.out)
	c.ms = append(c.ms, float64(time.Since(start))/1e6)
	if c.calls == nil {
		c.calls = slices.Repeat([]float64{math.Inf(1)}, len(calls))
	}
	for i, d := range calls {
		c.calls[i] = min(c.calls[i], float64(d))
	}
	return err
}

// measure runs the three libraries in turns in this process.
func (d *demo) measure() (measured, error) {
	in, want, err := d.testData()
	if err != nil {
		return measured{}, err
	}
	all := []*contestant{{kind: "naive", rounds: naiveRounds}, {kind: "untuned", rounds: rounds}, {kind: "tuned", rounds: rounds}}
	m := measured{}
	for _, c := range all {
		if c.model, err = runtime.Open(d.library(c.kind), runtime.Options{}); err != nil {
			return m, err
		}
		defer c.model.Close()
		c.out = c.model.NewOutputs()
		for range warmup {
			if err := c.model.RunInto([]*dtype.Tensor{in}, c.out); err != nil {
				return m, err
			}
		}
		diff, err := largest(c.out[0], want)
		if err != nil {
			return m, fmt.Errorf("%s: %w", c.kind, err)
		}
		m.maxErr = math.Max(m.maxErr, diff)
	}
	for r := range rounds {
		for i := range all {
			c := all[(i+r)%len(all)] // nobody always runs after the same one
			if r >= c.rounds {
				continue
			}
			if c.rounds == rounds { // the caches and threads that the others left do not count
				if err := c.model.RunInto([]*dtype.Tensor{in}, c.out); err != nil {
					return m, err
				}
			}
			if err := c.run(in); err != nil {
				return m, err
			}
		}
	}
	m.naive, m.untuned, m.tuned = median(all[0].ms), median(all[1].ms), median(all[2].ms)
	m.untunedCalls, m.tunedCalls = all[1].calls, all[2].calls
	return m, nil
}

// testData reads the model's input and the output it must give.
func (d *demo) testData() (in, want *dtype.Tensor, err error) {
	dir := filepath.Join(d.model, "test_data_set_0")
	if in, _, err = onnx.ReadTensor(filepath.Join(dir, "input_0.pb")); err != nil {
		return nil, nil, err
	}
	aligned := runtime.AlignedTensor(in.Type, in.Shape...)
	copy(aligned.Data, in.Data)
	want, _, err = onnx.ReadTensor(filepath.Join(dir, "output_0.pb"))
	return aligned, want, err
}

// largest is the greatest difference of two tensors; what is no number on one
// side differs without bound.
func largest(a, b *dtype.Tensor) (float64, error) {
	if fmt.Sprint(a.Shape) != fmt.Sprint(b.Shape) {
		return 0, fmt.Errorf("the output has shape %v, %v is expected", a.Shape, b.Shape)
	}
	worst := 0.0
	for i := range a.Len() {
		diff := math.Abs(a.Float(i) - b.Float(i))
		if math.IsNaN(diff) {
			return math.Inf(1), nil
		}
		worst = max(worst, diff)
	}
	return worst, nil
}

func median(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	n := len(xs)
	return (xs[(n-1)/2] + xs[n/2]) / 2
}
