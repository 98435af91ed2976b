// Package codegen is the seam between lowered tensor functions and source code:
// a Backend turns flat functions into one unit of source text with entries that
// a runner can call.
//
// Start from Backend. The members are in sub-packages (cgen emits C for CPUs)
// and are chosen by target kind through a Registry that the wiring fills. The
// package imports tir and target only; it knows neither schedules nor tuning.
package codegen

import (
	"fmt"
	"sort"
	"strings"

	"hone/compiler/target"
	"hone/compiler/tir"
)

// Lowered is one function ready for emission: buffers are one-dimensional with
// constant sizes, blocks are gone, vector loops are vector values.
type Lowered struct {
	Symbol string // the exported name, a C identifier
	Func   *tir.PrimFunc
	Packs  []Pack
}

// Pack is a function of two buffers, source and destination, that rewrites one
// constant argument into the layout Func reads.
type Pack struct {
	Arg    int // index of the packed argument among Func's parameters
	Symbol string
	Func   *tir.PrimFunc
}

// Source is one unit of generated source.
type Source struct {
	C       string
	Entries []Entry // one per Lowered, in order
}

// Entry describes a kernel of a unit.
type Entry struct {
	Symbol string
	// Workspace is how many bytes, aligned to 64, a call needs besides its
	// arguments when it runs on at most Threads threads.
	Workspace int64
	Threads   int
	Packs     []PackEntry
	// Text is the kernel's own part of the unit. It depends on the function,
	// the target and the symbol alone, so it is the same in a batch of
	// candidates and in a shipped artifact; its hash identifies the kernel.
	Text string
}

// PackEntry describes a packing function of a kernel.
type PackEntry struct {
	Arg    int
	Symbol string
	Bytes  int64 // size of the packed argument
}

// Backend emits source for one kind of target.
type Backend interface {
	// Emit emits all functions into one unit. An error names the function and
	// the construct that has no translation.
	Emit(funcs []Lowered, tgt target.Target) (Source, error)
}

// Registry maps target kinds to backends.
type Registry map[string]Backend

// For returns the backend of a target.
func (r Registry) For(tgt target.Target) (Backend, error) {
	if b, ok := r[tgt.Kind]; ok {
		return b, nil
	}
	var kinds []string
	for k := range r {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	return nil, fmt.Errorf("no code generator for target kind %q (there are: %s)", tgt.Kind, strings.Join(kinds, ", "))
}
