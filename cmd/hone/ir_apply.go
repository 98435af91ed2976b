package main

import (
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"hone/compiler"
	"hone/compiler/tir"
)

// applyFlags are what `hone ir apply` was asked for.
type applyFlags struct {
	stateFlags
	targetFlags
}

func newApply() *cobra.Command {
	f := &applyFlags{}
	c := &cobra.Command{Use: "apply FILE", Short: "Give functions the schedules of their records and print them", Args: exactly("FILE"),
		Long: `Print functions as a build would schedule them: by the record that won its race
where the database has one for the target, else by the default schedule.
Standard error says which, and why. The database is only read.

  hone tune mm.py
  hone ir apply mm.py | hone ir emit -`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) }}
	f.stateFlags.add(c)
	f.targetFlags.add(c)
	return c
}

func (f *applyFlags) run(cmd *cobra.Command, path string) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
	defer stop()
	m, err := readModule(cmd.InOrStdin(), path)
	if err != nil {
		return err
	}
	t, err := f.targetFlags.parse()
	if err != nil {
		return err
	}
	tasks := make([]compiler.Task, len(m.Funcs))
	for i, fn := range m.Funcs {
		tasks[i] = compiler.Task{Name: fn.Name, Hash: tir.Hash(fn), Func: fn, Weight: 1}
	}
	found, why, err := f.lookup(ctx, tasks, t)
	if err != nil {
		return err
	}
	choices, err := compiler.Choose(tasks, found.records, &t)
	if err != nil {
		return err
	}
	var r compileReport
	r.add(choices, found, why)
	out := &tir.Module{Attrs: m.Attrs, Infos: m.Infos}
	for i, k := range r.Kernels {
		what := "default schedule: " + k.Cause
		if k.Record != "" {
			what = fmt.Sprintf("record %s, %v", k.Record, time.Duration(k.NS))
			if k.Cause != "" {
				what += ": " + k.Cause
			}
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s: %s\n", k.Kernel, k.Result, what)
		out.Set(named(choices[i].Func, m.Funcs[i]))
	}
	return printModule(cmd.OutOrStdout(), out)
}

// named is f under the name and symbol of another function, whose record it is.
func named(f, as *tir.PrimFunc) *tir.PrimFunc {
	g := *f
	g.Name = as.Name
	g.Attrs = g.Attrs.Without(tir.AttrGlobalSymbol)
	if symbol, ok := as.Attrs.Get(tir.AttrGlobalSymbol); ok {
		g.Attrs = g.Attrs.With(tir.AttrGlobalSymbol, symbol)
	}
	return &g
}
