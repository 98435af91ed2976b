package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hone/bench/simulate"
	"hone/compiler/tir"
)

// recorded is a subject with its log as programs.
type recorded struct {
	subject
	log   *simulate.Log
	f     *tir.PrimFunc // as the log has it
	cands []simulate.Candidate
	prior []byte // see history
}

// load reads the logs of all subjects: others than those asked for may lend.
func load(o options) ([]*recorded, error) {
	var out []*recorded
	for _, s := range subjects(8) { // names and donors only: the functions are the logs'
		f, err := os.Open(o.path(s.Name))
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Printf("%-12s not recorded\n", s.Name)
			continue
		}
		if err != nil {
			return nil, err
		}
		l, err := simulate.Read(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.path(s.Name), err)
		}
		r := &recorded{subject: s, log: l}
		stale := 0
		if r.cands, stale, err = simulate.Candidates(l); err != nil {
			return nil, err
		}
		if r.Func, err = l.Func(); err != nil {
			return nil, err
		}
		fmt.Printf("%-12s %d candidates, the reference takes %.1f µs, measured with %s on %s", s.Name, len(r.cands), l.Reference()/1e3, l.CC, l.Target.Key())
		if stale > 0 {
			fmt.Printf("; %d are other programs today", stale)
		}
		fmt.Println()
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no logs in %s: make them by -record", o.logs)
	}
	return out, nil
}

// of are the candidates of a preset.
func (r *recorded) of(preset string) []simulate.Candidate {
	var out []simulate.Candidate
	for _, c := range r.cands {
		if c.Preset == preset {
			out = append(out, c)
		}
	}
	return out
}

// simulated reports on stored logs.
func simulated(_ context.Context, o options) error {
	all, err := load(o)
	if err != nil {
		return err
	}
	if o.ablate {
		return ablate(o, all)
	}
	quality, err := gradeModels(o, all)
	if err != nil {
		return err
	}
	convergence, err := converge(o, all)
	if err != nil {
		return err
	}
	fmt.Printf("RESULT search %s %s\n", convergence, quality)
	return nil
}
