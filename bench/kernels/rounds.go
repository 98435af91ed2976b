package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hone/bench/harness"
	"hone/bench/libproc"
	"hone/compiler/target"
	"hone/rpcrunner"
)

// result is what the rounds of a subject gave: medians, all in nanoseconds per
// layer, and ratios that are medians over the rounds.
type result struct {
	*subject
	ns, coldNS float64
	share      float64            // of the peak, which is the best of many bursts, by the least time
	rivals     map[string]float64 // by name, warm
	ratios     map[string]float64 // rival over Hone, and best
	cold       float64            // the best cold rival over Hone with cold weights, 0 without
}

// series are the values of one quantity by round.
type series map[string][]float64

// compete takes turns: a burst of multiply-adds for the peak, Hone's kernel, and
// everybody else, everyone alone on the machine.
func compete(ctx context.Context, w *rpcrunner.Worker, f field, s *subject, tgt target.Target, o options) (*result, error) {
	_, copies, err := s.measure(ctx, w, true)
	if err != nil {
		return nil, err
	}
	list, err := f.start(ctx, s, &tgt, o.tmp, copies)
	if err != nil {
		return nil, err
	}
	defer stop(list)
	all := series{}
	for range o.rounds {
		if err := s.round(ctx, w, list, copies > 0, all); err != nil {
			return nil, err
		}
	}
	return summarize(s, all), nil
}

// round adds one value to every series.
func (s *subject) round(ctx context.Context, w *rpcrunner.Worker, list []*rival, cold bool, all series) error {
	add := func(name string, v float64) { all[name] = append(all[name], v) }
	rate, _, err := w.Peak(ctx, s.threads, 50*time.Millisecond)
	if err != nil {
		return err
	}
	ns, _, err := s.measure(ctx, w, false)
	if err != nil {
		return err
	}
	add("Hone", libproc.Median(ns))
	add("least", slices.Min(ns))
	add("peak", rate)
	if cold {
		if ns, _, err = s.measure(ctx, w, true); err != nil {
			return err
		}
		add("Hone cold", libproc.Median(ns))
	}
	for _, r := range list {
		ns, err := r.measure(s.threads)
		if err != nil {
			return err
		}
		if r.cold {
			add(r.name+" cold", ns)
		} else {
			add(r.name, ns)
		}
	}
	return nil
}

// measure times the tuned kernel.
func (s *subject) measure(ctx context.Context, w *rpcrunner.Worker, cold bool) (ns []float64, copies int, err error) {
	if ns, copies, err = harness.Sample(ctx, w, s.task, s.kernel, cold); err != nil {
		err = fmt.Errorf("%s: %w", s.name, err)
	}
	return ns, copies, err
}

func summarize(s *subject, all series) *result {
	r := &result{subject: s, ns: libproc.Median(all["Hone"]), rivals: map[string]float64{}, ratios: map[string]float64{}}
	r.share = s.layers.flops() / slices.Min(all["least"]) / slices.Max(all["peak"])
	r.ratios[peak] = r.share
	var warm, cold []string
	for _, name := range []string{"OpenBLAS", "oneDNN", "ORT"} {
		if x := all[name]; x != nil {
			warm = append(warm, name)
			r.rivals[name] = libproc.Median(x)
			r.ratios[name] = all.ratio([]string{name}, "Hone")
		}
		if all[name+" cold"] != nil {
			cold = append(cold, name+" cold")
		}
	}
	if len(warm) > 0 {
		r.ratios[best] = all.ratio(warm, "Hone")
	}
	if all["Hone cold"] != nil {
		r.coldNS = libproc.Median(all["Hone cold"])
		if len(cold) > 0 {
			r.cold = all.ratio(cold, "Hone cold")
		}
	}
	return r
}

// ratio is the median over the rounds of the time of the quickest of names, by its
// median, over that of base.
func (a series) ratio(names []string, base string) float64 {
	quickest := names[0]
	for _, n := range names[1:] {
		if libproc.Median(a[n]) < libproc.Median(a[quickest]) {
			quickest = n
		}
	}
	var out []float64
	for i, v := range a[quickest] {
		out = append(out, v/a[base][i])
	}
	return libproc.Median(out)
}
