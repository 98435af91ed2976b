package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hone/compiler/onnx"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
)

func newIR() *cobra.Command {
	return group("ir", "Print, check, compare, schedule, lower and run tensor functions (a file may be - for standard input, a FILE also an ONNX model)",
		onModule("print", "Print functions in Hone's spelling", printModule),
		onModule("check", "Check that functions are well formed, and say what schedules know of their blocks", checkModule),
		newEqual(),
		onModule("hash", "Print the hashes under which functions are known", hashModule),
		newSchedule(), newReplay(), newApply(), newLower(), newEmit(), newInterpret())
}

// onModule is a command on the functions of one file.
func onModule(use, short string, run func(w io.Writer, m *tir.Module) error) *cobra.Command {
	return &cobra.Command{Use: use + " FILE", Short: short, Args: exactly("FILE"), Long: short + "." + unreadableExits, RunE: func(cmd *cobra.Command, args []string) error {
		m, err := readModule(cmd.InOrStdin(), args[0])
		if err != nil {
			return err
		}
		return run(cmd.OutOrStdout(), m)
	}}
}

// unreadableExits is what the help of every command on functions says of files.
const unreadableExits = "\nWhat does not read, or is not well formed, exits with 2."

// readModule reads TVMScript from a file or from in, or takes the functions of
// an ONNX model. What does not read is unreadable in every command.
func readModule(in io.Reader, path string) (*tir.Module, error) {
	if strings.HasSuffix(strings.ToLower(path), ".onnx") {
		return modelModule(path)
	}
	text, err := readText(in, path)
	if err != nil {
		return nil, unreadable(err)
	}
	if strings.HasPrefix(text, "\b") { // the first field of every ONNX model
		return nil, unreadable(fmt.Errorf("%s: no text; an ONNX model is read from a file whose name ends in .onnx", path))
	}
	m, err := tvmscript.Parse(path, text)
	if err != nil {
		return nil, unreadable(err)
	}
	return m, nil
}

// readText reads a file, or in for "-".
func readText(in io.Reader, path string) (string, error) {
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(in)
	} else {
		text, err = os.ReadFile(path)
	}
	return string(text), err
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

// printModule prints a module, or its function when there is only one.
func printModule(w io.Writer, m *tir.Module) error {
	if len(m.Funcs) == 1 {
		return printText(w, tir.Script(m.Funcs[0]))
	}
	return printText(w, m.Script())
}

func printText(w io.Writer, text string) error {
	_, err := fmt.Fprintln(w, strings.TrimRight(text, "\n"))
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
