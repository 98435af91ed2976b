package main

import (
	"fmt"
	"io"
	"strings"

	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// checkModule verifies functions and that they can be computed, then lists for each
// block of the schedulable ones what primitives will find.
func checkModule(w io.Writer, m *tir.Module) error {
	if err := tir.VerifyModule(m); err != nil {
		return err
	}
	for _, f := range m.Funcs {
		if err := tir.VerifyComputable(f); err != nil {
			return err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ok: %s\n", counted(len(m.Funcs), "function"))
	s := schedule.New(m, nil)
	for _, f := range m.Funcs {
		if on, _ := f.Attrs.Get(tir.AttrSTIR); on != true {
			continue
		}
		blocks, err := s.Facts(f.Name)
		if err != nil {
			continue // well formed, and nothing that a schedule takes
		}
		fmt.Fprintf(&b, "function %s\n", f.Name)
		for _, x := range blocks {
			writeFacts(&b, x)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeFacts gives the reason of every no; a block need not be a reduction when it
// is complete, nor the other way round.
func writeFacts(b *strings.Builder, x schedule.BlockFacts) {
	facts := make([]string, len(x.Facts))
	var why strings.Builder
	either := x.Holds("complete") || x.Holds("reduction")
	for i, f := range x.Facts {
		facts[i] = f.Name + " yes"
		if f.Holds {
			continue
		}
		facts[i] = f.Name + " no"
		if !either || f.Name != "complete" && f.Name != "reduction" {
			fmt.Fprintf(&why, "    %s: %s\n", f.Name, f.Why)
		}
	}
	fmt.Fprintf(b, "  block %s: %s\n%s", x.Block, strings.Join(facts, ", "), why.String())
}
