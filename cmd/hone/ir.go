package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/dlight"
	"hone/compiler/onnx"
	"hone/compiler/pipeline"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
)

func newIR() *cobra.Command {
	file := func(use, short string, run func(w io.Writer, m *tir.Module) error) *cobra.Command {
		return &cobra.Command{Use: use + " FILE", Short: short, Args: exactly("FILE"), RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readModule(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			return run(cmd.OutOrStdout(), m)
		}}
	}
	return group("ir", "Print, check and lower tensor functions (FILE may be - for standard input, or an ONNX model)",
		file("print", "Print functions in Hone's spelling", printModule),
		file("check", "Check that functions are well formed", checkModule),
		file("hash", "Print the hashes under which functions are known", hashModule),
		newLower())
}

// readModule reads TVMScript from a file or from in, or takes the functions of
// an ONNX model.
func readModule(in io.Reader, path string) (*tir.Module, error) {
	if strings.HasSuffix(strings.ToLower(path), ".onnx") {
		return modelModule(path)
	}
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(in)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	return tvmscript.Parse(path, string(text))
}

// modelModule holds the tensor functions of a model, the distinct ones.
func modelModule(path string) (*tir.Module, error) {
	t, err := target.Native()
	if err != nil {
		return nil, err
	}
	m, err := readModel(path, t, onnx.Binding{})
	if err != nil {
		return nil, err
	}
	mod := &tir.Module{}
	for _, w := range m.workloads {
		f := *w.fn
		for n := 1; ; n++ { // a module has one function a name
			if _, taken := mod.Lookup(f.Name); !taken {
				break
			}
			f.Name = fmt.Sprintf("%s_%d", w.fn.Name, n)
		}
		mod.Set(&f)
	}
	return mod, nil
}

func printModule(w io.Writer, m *tir.Module) error {
	text := m.Script()
	if len(m.Funcs) == 1 {
		text = tir.Script(m.Funcs[0])
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(text, "\n"))
	return err
}

func checkModule(w io.Writer, m *tir.Module) error {
	if err := tir.VerifyModule(m); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "ok: %s\n", counted(len(m.Funcs), "function"))
	return err
}

func hashModule(w io.Writer, m *tir.Module) error {
	for _, f := range m.Funcs {
		h := tir.Hash(f)
		if _, err := fmt.Fprintf(w, "%s  %s\n", hex.EncodeToString(h[:]), f.Name); err != nil {
			return err
		}
	}
	return nil
}

// lowerFlags are what `hone ir lower` was asked for.
type lowerFlags struct {
	targetFlags
	after    string
	schedule bool
	c        bool
}

func newLower() *cobra.Command {
	f := &lowerFlags{}
	c := &cobra.Command{Use: "lower FILE", Short: "Print functions as the passes leave them, or the C code", Args: exactly("FILE"),
		Long: "Print functions as the lowering passes leave them, in this order:\n\n" + passes() + "\n--after PASS stops early; --schedule gives the functions their default schedules first.",
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readModule(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			return f.run(cmd.OutOrStdout(), m)
		}}
	f.targetFlags.add(c)
	c.Flags().StringVar(&f.after, "after", "", "print what this pass leaves")
	c.Flags().BoolVar(&f.schedule, "schedule", false, "apply the default schedules first")
	c.Flags().BoolVar(&f.c, "emit", false, "print the C code")
	return c
}

func passes() string {
	var b strings.Builder
	for _, p := range pipeline.CPU {
		fmt.Fprintf(&b, "  %-18s %s\n", p.Name, p.Why)
	}
	return b.String()
}

func (f *lowerFlags) run(w io.Writer, m *tir.Module) error {
	t, err := f.targetFlags.parse()
	if err != nil {
		return err
	}
	if err := f.checkPass(); err != nil {
		return err
	}
	if err := tir.VerifyModule(m); err != nil {
		return err
	}
	out := &tir.Module{}
	var low []codegen.Lowered
	for _, fn := range m.Funcs {
		u, err := f.lower(fn, t)
		if err != nil {
			return fmt.Errorf("function %s: %w", fn.Name, err)
		}
		l := codegen.Lowered{Symbol: fn.Name, Func: u.Func}
		out.Set(u.Func)
		for i, p := range u.Packs {
			l.Packs = append(l.Packs, codegen.Pack{Arg: p.Param, Symbol: fmt.Sprintf("%s_pack%d", fn.Name, i), Func: p.Func})
			out.Set(p.Func)
		}
		low = append(low, l)
	}
	if !f.c {
		return printModule(w, out)
	}
	src, err := cgen.Backend{}.Emit(low, t)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, src.C)
	return err
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
	if f.c {
		return usagef("--emit prints what all passes leave: leave --after out")
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
