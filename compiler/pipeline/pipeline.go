// Package pipeline runs passes: it owns their order, timing, dumps, checks and
// blame, so that passes know nothing of each other. cpu.go holds the table that
// lowers a scheduled function for a CPU, with the reason for every place.
//
// Start from LowerCPU, and Runner for what can be observed.
package pipeline

import (
	"fmt"
	"runtime/debug"
	"time"

	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/tirpass"
)

// Unit is what flows through a lowering pipeline: a function and the packing
// functions split off it.
type Unit struct {
	Func  *tir.PrimFunc
	Packs []tirpass.Pack
}

// Pass is one row of a table: what it is called, why it stands where it does and
// what it does to a unit.
type Pass struct {
	Name string
	Why  string
	Run  func(u *Unit, t *target.Target) error
}

// Runner runs tables of passes. Its fields may stay empty.
type Runner struct {
	// Dump is called after every pass with the text of the function.
	Dump func(pass, text string)
	// Timed is called after every pass with the time it took.
	Timed func(pass string, d time.Duration)
	// StopAfter ends the pipeline after the pass of that name.
	StopAfter string
	// Check is called on the function after every pass; an error stops the run
	// and names the pass.
	Check func(f *tir.PrimFunc) error
}

// Run applies the table to u. An error or a panic names the pass and function.
func (r *Runner) Run(table []Pass, u *Unit, t *target.Target) error {
	if r.StopAfter != "" && !has(table, r.StopAfter) {
		return fmt.Errorf("no pass %q in this pipeline", r.StopAfter)
	}
	for _, p := range table {
		start := time.Now()
		if err := r.one(p, u, t); err != nil {
			return fmt.Errorf("pass %s on %s: %w", p.Name, u.Func.Name, err)
		}
		if r.Timed != nil {
			r.Timed(p.Name, time.Since(start))
		}
		if r.Dump != nil {
			r.Dump(p.Name, tir.Script(u.Func))
		}
		if p.Name == r.StopAfter {
			return nil
		}
	}
	return nil
}

func has(table []Pass, name string) bool {
	for _, p := range table {
		if p.Name == name {
			return true
		}
	}
	return false
}

func (r *Runner) one(p Pass, u *Unit, t *target.Target) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v\n%s", x, debug.Stack())
		}
	}()
	if err := p.Run(u, t); err != nil {
		return err
	}
	if r.Check != nil {
		return r.Check(u.Func)
	}
	return nil
}
