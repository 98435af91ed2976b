package main

import (
	"context"
	"fmt"
	"math"

	"hone/bench/libproc"
	"hone/bench/ortproc"
	"hone/compiler/target"
)

// field is who else is here, and why somebody is not.
type field struct {
	programs map[string]*libproc.Program
	ort      *ortproc.Runtime
}

// findField compiles the other libraries' programs and names what is missing.
func findField(ctx context.Context, dir string) field {
	f := field{programs: map[string]*libproc.Program{}}
	for i := range libproc.Libraries {
		l := &libproc.Libraries[i]
		p, err := l.Build(ctx, dir)
		if err != nil {
			fmt.Println("skipped:", err)
			continue
		}
		f.programs[l.Name] = p
	}
	var err error
	if f.ort, err = ortproc.Find(ctx, dir); err != nil {
		fmt.Println("skipped:", err)
	}
	return f
}

// rival is a process that computes what a subject computes.
type rival struct {
	name string
	cold bool // takes its weights from far away
	p    *libproc.Process
	per  float64 // layers that one call computes
	ns   float64 // of a call, about
}

// start starts everybody who has the subject's operator: once with warm weights and,
// where copies says how many weights to rotate over, once with cold ones.
func (f field) start(ctx context.Context, s *subject, tgt *target.Target, dir string, copies int) (list []*rival, err error) {
	defer func() {
		if err != nil {
			stop(list)
		}
	}()
	add := func(name string, cold bool, per int, p *libproc.Process) error {
		r := &rival{name: name, cold: cold, p: p, per: float64(per)}
		list = append(list, r)
		ns, err := p.Sample(5, 1, false)
		r.ns = libproc.Median(ns)
		return err
	}
	for _, l := range libproc.Libraries {
		program, args := f.programs[l.Name], s.layers.args(l.Name)
		if program == nil || args == nil {
			continue
		}
		for _, n := range []int{1, copies} {
			if n == 0 {
				continue
			}
			p, err := program.Start(ctx, s.threads, n, args...)
			if err != nil {
				return list, err
			}
			if err := add(l.Name, n > 1, 1, p); err != nil {
				return list, err
			}
		}
	}
	if f.ort == nil {
		return list, nil
	}
	inputs, err := s.inputs(tgt)
	if err != nil {
		return list, err
	}
	p, err := f.ort.Start(ctx, dir, s.model, s.threads, inputs)
	if err != nil {
		return list, err
	}
	return list, add("ORT", false, s.layers.count(), p)
}

func stop(list []*rival) {
	for _, r := range list {
		r.p.Close()
	}
}

// The samples of a rival are as those of the measuring protocol: 100 µs at least,
// fourteen of them while they are short.
const (
	minSampleNS = 100e3
	roundNS     = 500e6
	mostSamples = 14
)

// measure is the median time of one layer, now.
func (r *rival) measure(threads int) (float64, error) {
	inner := math.Max(1, math.Ceil(minSampleNS/r.ns))
	n := math.Max(3, math.Min(mostSamples, roundNS/(inner*r.ns)))
	ns, err := r.p.Sample(int(n), int(inner), threads == 1)
	if err != nil {
		return 0, err
	}
	return libproc.Median(ns) / r.per, nil
}
