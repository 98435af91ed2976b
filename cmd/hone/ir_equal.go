package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hone/compiler/tir"
)

// errDifferent ends a comparison whose output has said so.
var errDifferent = errors.New("the functions are different")

func newEqual() *cobra.Command {
	var ignoreSymbol bool
	c := &cobra.Command{Use: "equal A B", Short: "Say how far the functions of two files are the same", Args: exactly("A", "B"),
		Long: `Compare two files structurally: names do not count, attributes do. The first
line says "equal", "equal up to index arithmetic" (integer expressions that are
written in another way but have equal values over the domains of their
variables) or "different"; the next one where the first difference is. Two files
with one function each are compared whatever the names, modules function by
function. Exit code 1: different, 2: a file does not read.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "-" && args[1] == "-" {
				return usagef("only one of A and B can be standard input")
			}
			var ms [2]*tir.Module
			for i, path := range args {
				m, err := readModule(cmd.InOrStdin(), path)
				if err != nil {
					return err
				}
				if ms[i] = m; ignoreSymbol {
					ms[i] = withoutSymbols(m)
				}
			}
			return equalModules(cmd.OutOrStdout(), ms[0], ms[1])
		}}
	c.Flags().BoolVar(&ignoreSymbol, "ignore-global-symbol", false, "leave the attribute global_symbol out")
	return c
}

func equalModules(w io.Writer, a, b *tir.Module) error {
	grade := tir.GradeModules
	if len(a.Funcs) == 1 && len(b.Funcs) == 1 {
		grade = func(a, b *tir.Module) (tir.Likeness, string) { return tir.Grade(a.Funcs[0], b.Funcs[0]) }
	}
	like, diff := grade(a, b)
	text := like.String()
	if diff != "" {
		text += "\n" + diff
	}
	if _, err := fmt.Fprintln(w, text); err != nil {
		return err
	}
	if like == tir.Different {
		return errDifferent
	}
	return nil
}

// withoutSymbols is a module whose functions have no global symbol.
func withoutSymbols(m *tir.Module) *tir.Module {
	out := &tir.Module{Attrs: m.Attrs, Infos: m.Infos}
	for _, f := range m.Funcs {
		g := *f
		g.Attrs = f.Attrs.Without(tir.AttrGlobalSymbol)
		out.Set(&g)
	}
	return out
}
