package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/dlight"
	"hone/compiler/pipeline"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// lowerFlags are what `hone ir lower` was asked for.
type lowerFlags struct {
	targetFlags
	after    string
	schedule bool
}

func newLower() *cobra.Command {
	f := &lowerFlags{}
	c := f.command("lower", "Print functions as the passes leave them", func(w io.Writer, _ target.Target, low []codegen.Lowered) error {
		out := &tir.Module{}
		for _, l := range low {
			out.Set(l.Func)
			for _, p := range l.Packs {
				out.Set(p.Func)
			}
		}
		return printModule(w, out)
	})
	c.Long = "Print functions as the lowering passes leave them, in this order:\n\n" + passes() + "\n--after PASS stops early; --schedule gives the functions their default schedules first." + unreadableExits
	c.Flags().StringVar(&f.after, "after", "", "print what this pass leaves")
	return c
}

func newEmit() *cobra.Command {
	f := &lowerFlags{}
	return f.command("emit", "Print the C code of functions", func(w io.Writer, t target.Target, low []codegen.Lowered) error {
		src, err := cgen.Backend{}.Emit(low, t)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "/* for %s: %s */\n%s", t.Triple, strings.Join(t.CFlags(), " "), src.C)
		return err
	})
}

// command lowers the functions of a file and hands them to show.
func (f *lowerFlags) command(use, short string, show func(w io.Writer, t target.Target, low []codegen.Lowered) error) *cobra.Command {
	c := onModule(use, short, func(w io.Writer, m *tir.Module) error {
		t, err := f.targetFlags.parse()
		if err != nil {
			return err
		}
		if f.cc != "" { // the text is the same for all, yet a wrong name is a mistake
			if _, err := f.compiler(context.Background(), t); err != nil {
				return err
			}
		}
		low, err := f.run(m, t)
		if err != nil {
			return err
		}
		return show(w, t, low)
	})
	f.targetFlags.add(c)
	c.Flags().BoolVar(&f.schedule, "schedule", false, "apply the default schedules first")
	return c
}

func passes() string {
	var b strings.Builder
	for _, p := range pipeline.CPU {
		fmt.Fprintf(&b, "  %-18s %s\n", p.Name, p.Why)
	}
	return b.String()
}

func (f *lowerFlags) run(m *tir.Module, t target.Target) ([]codegen.Lowered, error) {
	if err := f.checkPass(); err != nil {
		return nil, err
	}
	if err := tir.VerifyModule(m); err != nil {
		return nil, err
	}
	var low []codegen.Lowered
	for _, fn := range m.Funcs {
		u, err := f.lower(fn, t)
		if err != nil {
			return nil, fmt.Errorf("function %s: %w", fn.Name, err)
		}
		symbol := cgen.Symbol(fn.Name)
		l := codegen.Lowered{Symbol: symbol, Func: u.Func}
		for i, p := range u.Packs {
			l.Packs = append(l.Packs, codegen.Pack{Arg: p.Param, Symbol: fmt.Sprintf("%s_pack%d", symbol, i), Func: p.Func})
		}
		low = append(low, l)
	}
	return low, nil
}

func (f *lowerFlags) lower(fn *tir.PrimFunc, t target.Target) (*pipeline.Unit, error) {
	if f.schedule {
		s, _, err := dlight.Default(fn, &t)
		if err != nil {
			return nil, err
		}
		fn = s.Func()
	}
	return (&pipeline.Runner{StopAfter: f.after}).LowerCPU(fn, &t)
}

func (f *lowerFlags) checkPass() error {
	if f.after == "" {
		return nil
	}
	var names []string
	for _, p := range pipeline.CPU {
		if p.Name == f.after {
			return nil
		}
		names = append(names, p.Name)
	}
	return usagef("--after %s: no such pass; there are %s", f.after, strings.Join(names, ", "))
}
