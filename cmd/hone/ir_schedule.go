package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hone/compiler/schedule"
	"hone/compiler/schedule/script"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
	"hone/internal/rng"
)

// scheduleFlags are what schedule and replay share.
type scheduleFlags struct {
	traceOut string
	seed     int64
	intrins  []string
	epilogue bool
}

func (f *scheduleFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.traceOut, "trace-out", "", "`file` for the trace, in MetaSchedule's JSON; - prints it and no module")
	c.Flags().StringArrayVar(&f.intrins, "intrin", nil, "NAME=FILE.py of a tensor intrinsic for tensorize (repeat for several)")
	c.Flags().BoolVar(&f.epilogue, "nonlinear-epilogues", false, "let fuse_reduction_epilogue accept all that TVM accepts, though results may change")
	c.Flags().Int64Var(&f.seed, "seed", 0, "seed of what sampling draws without a decision")
}

const scheduleExits = `
A refused call exits with 1 and prints "refused: PRIMITIVE: CONDITION: …" on
standard output, and on standard error where the script made it. What does not
read, or is not well formed, exits with 2.`

func newSchedule() *cobra.Command {
	f := &scheduleFlags{}
	var path string
	c := &cobra.Command{Use: "schedule FILE --script S.py", Short: "Transform functions by a schedule script and print them", Args: exactly("FILE"),
		Long: `Perform a schedule script and print the module that results. A script is
straight-line Python that calls the methods of TVM's Schedule on sch:

  b = sch.get_sblock("C")
  i, j = sch.get_loops(b)
  i0, i1 = sch.split(i, factors=[None, 16])

A function that stands alone is the function main of a module here.
` + scheduleExits,
		RunE: func(cmd *cobra.Command, args []string) error {
			if path == "" {
				return usagef("give --script S.py")
			}
			if path == "-" && args[0] == "-" {
				return usagef("only one of FILE and --script can be standard input")
			}
			text, err := readText(cmd.InOrStdin(), path)
			if err != nil {
				return unreadable(err)
			}
			return f.run(cmd, args[0], func(s *schedule.Schedule) error { return script.Run(s, path, text) })
		}}
	c.Flags().StringVar(&path, "script", "", "the schedule `script`")
	f.add(c)
	return c
}

func newReplay() *cobra.Command {
	f := &scheduleFlags{}
	c := &cobra.Command{Use: "replay FILE T.json", Short: "Transform functions by a trace and print them", Args: exactly("FILE", "T.json"),
		Long: `Replay a trace, MetaSchedule's JSON or that of an older release, and print the
module that results.
` + scheduleExits,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readText(cmd.InOrStdin(), args[1])
			if err != nil {
				return unreadable(err)
			}
			t, err := trace.Parse([]byte(text))
			if err != nil {
				return unreadable(located(args[1], err))
			}
			return f.run(cmd, args[0], func(s *schedule.Schedule) error { return t.Replay(s, trace.Options{}) })
		}}
	f.add(c)
	return c
}

// run schedules the functions of a file by do and prints them.
func (f *scheduleFlags) run(cmd *cobra.Command, path string, do func(*schedule.Schedule) error) error {
	m, name, err := readScheduled(cmd.InOrStdin(), path)
	if err != nil {
		return unreadable(err)
	}
	s := schedule.New(m, rng.New(uint64(f.seed), "hone ir schedule"))
	if err := f.addIntrins(s); err != nil {
		return err
	}
	if f.epilogue {
		s.AllowNonlinearEpilogues()
	}
	if err := do(s); err != nil {
		var refusal *schedule.Error
		if !errors.As(err, &refusal) {
			return unreadable(err)
		}
		fmt.Fprintln(cmd.OutOrStdout(), refusal)
		return brief(err, refusal)
	}
	if err := f.writeTrace(cmd.OutOrStdout(), s); err != nil || f.traceOut == "-" {
		return err
	}
	out := s.Module()
	if name == "" {
		return printText(cmd.OutOrStdout(), out.Script())
	}
	fn := *out.Funcs[0]
	fn.Name = name
	return printText(cmd.OutOrStdout(), tir.Script(&fn))
}

// brief is the error of a refusal that is printed already: where it happened, and
// what was broken.
func brief(err error, refusal *schedule.Error) error {
	short := fmt.Sprintf("refused: %s: %s", refusal.Primitive, refusal.Condition)
	return errors.New(strings.Replace(err.Error(), refusal.Error(), short, 1))
}

// addIntrins reads intrinsics: a file holds the description and then the
// implementation, or functions desc and impl.
func (f *scheduleFlags) addIntrins(s *schedule.Schedule) error {
	for _, text := range f.intrins {
		name, path, ok := strings.Cut(text, "=")
		if !ok || name == "" || path == "" {
			return usagef("--intrin %q: want NAME=FILE.py", text)
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return unreadable(err)
		}
		in, err := schedule.ReadIntrin(name, path, string(src))
		if err != nil {
			return unreadable(err)
		}
		s.UseIntrin(in)
	}
	return nil
}

// readScheduled reads a module. One function outside of a class becomes its main;
// alone is the name that it had.
func readScheduled(in io.Reader, path string) (m *tir.Module, alone string, err error) {
	text, err := readText(in, path)
	if err != nil {
		return nil, "", err
	}
	m, class, err := tvmscript.ParseText(path, text)
	if err != nil || class || len(m.Funcs) != 1 {
		return m, "", err
	}
	f := *m.Funcs[0]
	alone, f.Name = f.Name, schedule.MainFunc
	return &tir.Module{Funcs: []*tir.PrimFunc{&f}, Attrs: m.Attrs, Infos: m.Infos}, alone, nil
}

func (f *scheduleFlags) writeTrace(w io.Writer, s *schedule.Schedule) error {
	if f.traceOut == "" {
		return nil
	}
	text, err := trace.Of(s).MarshalJSON()
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if f.traceOut == "-" {
		_, err = w.Write(text)
		return err
	}
	return os.WriteFile(f.traceOut, text, 0o644)
}

// unreadable is the failure of a file that does not read, with the code of wrong
// usage.
func unreadable(err error) error { return &failure{err, exitUsage} }
