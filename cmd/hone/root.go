package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"hone/internal/version"
)

// Exit codes, as the help says.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitGate   = 3
	// What shells report of a program that an interrupt ended.
	exitInterrupted = 130
)

const about = `Hone tunes tensor programs: it takes a model apart, searches for fast schedules
by measuring candidates on the device, and keeps the best for later builds.

  hone tune model.onnx                  search on this machine
  hone compile model.onnx -o model.so   build with what was found
  hone run model.so --input x=x.npy     run it
  hone bench model.so                   time it

State is kept under the data directory: --data-dir, $HONE_DATA_DIR, or hone
under $XDG_DATA_HOME.

Exit codes: 0 done, 1 failed, 2 wrong usage, or functions and scripts that do not
read, 3 a gate (such as coverage) not met, 130 interrupted.`

// failure is an error of a command that was used rightly.
type failure struct {
	err  error
	code int
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// gate is a failure with exit code 3.
func gate(format string, args ...any) error {
	return &failure{fmt.Errorf(format, args...), exitGate}
}

// usage is a mistake in how a command was called.
type usage struct{ err error }

func (u *usage) Error() string { return u.err.Error() }
func (u *usage) Unwrap() error { return u.err }

func usagef(format string, args ...any) error { return &usage{fmt.Errorf(format, args...)} }

// Main runs the command line and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "agent" {
		return agentMain(args[1:], stdout, stderr)
	}
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(context.Background())
	if err == nil {
		return exitDone
	}
	return report(stderr, cmd, err)
}

// report prints an error and says what it is worth. What comes from a command's
// own code is a failure; all other errors are cobra's, about flags and names.
func report(w io.Writer, cmd *cobra.Command, err error) int {
	var f *failure
	var u *usage
	code, text, misused := exitUsage, err.Error(), true
	if errors.As(err, &f) {
		code, misused = f.code, false
		if errors.As(f.err, &u) {
			code, misused = exitUsage, true
		}
	}
	if misused {
		// cobra's suggestions take several lines
		text, _, _ = strings.Cut(text, "\n")
		text += "\nrun \"" + cmd.CommandPath() + " --help\" for how it is used"
	}
	fmt.Fprintf(w, "%s: %s\n", cmd.CommandPath(), printable(text))
	return code
}

// printable spells the control characters that names in files may hold: a terminal
// would obey them.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func newRoot() *cobra.Command {
	root := &cobra.Command{Use: "hone", Long: about, SilenceErrors: true, SilenceUsage: true, Version: version.Build,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true}}
	root.SetVersionTemplate("hone {{.Version}}\n")
	for _, c := range []*cobra.Command{newTune(), newCompile(), newRun(), newBench(), newRecords(), newJobs(), newIR(), newDoctor(), newServe(), newAgent(), newVersion()} {
		root.AddCommand(c)
	}
	mark(root)
	return root
}

// mark makes the errors of all commands failures, apart from those of cobra.
func mark(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(cmd *cobra.Command, args []string) error {
			err := run(cmd, args)
			var f *failure
			if err == nil || errors.As(err, &f) {
				return err
			}
			code := exitFailed
			if errors.Is(err, errInterrupted) {
				code = exitInterrupted
			}
			return &failure{err, code}
		}
	}
	for _, sub := range c.Commands() {
		mark(sub)
	}
}

// group is a command that holds others. By itself it does what the first does,
// if that needs no arguments, as lists do not.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		return usagef("it needs a command")
	}}
	if first := subs[0]; first.Use == first.Name() {
		c.RunE = first.RunE
		c.Flags().AddFlagSet(first.Flags())
	}
	c.AddCommand(subs...)
	return c
}
