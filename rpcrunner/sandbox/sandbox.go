// Package sandbox decides what an executor may do and how that is applied: resource
// limits (which alone must hold), no privileges, and, where the kernel offers them,
// Landlock and a seccomp filter. The executor installs what it is handed; this package
// only prepares requests for it, so that the policy is Go and the child stays small.
//
// It imports nothing of Hone's. Start from Policy.Apply; Harden is for the agent itself.
package sandbox

import (
	"fmt"
	"os"
	"slices"
)

// Policy bounds one executor process for its whole life.
type Policy struct {
	AddressSpace int64 // bytes, 0 for no bound; per-item budgets are set below it
	FileSize     int64 // bytes any file may grow to
	OpenFiles    int64
	Off          []string // optional steps left out, by name (an operator's choice)
}

// DefaultPolicy suits kernels: they write no files and open none.
func DefaultPolicy() Policy { return Policy{FileSize: 0, OpenFiles: 64} }

// Report says what holds and, with reasons, what does not. It is part of a device's
// description.
type Report struct {
	Applied []string
	Lacks   []string
}

// Request asks the executor to apply one step; file may be nil and stays the caller's.
type Request func(words string, file *os.File) error

// step is one measure. An optional step that fails is reported; others must hold.
type step struct {
	name     string
	optional bool
	apply    func(Request) error
}

// Apply runs the steps in their order: limits first, then privileges (Landlock and
// seccomp need no_new_privs), the filter last, because it forbids the rest.
func (p Policy) Apply(ask Request) (Report, error) {
	var r Report
	for _, s := range p.steps() {
		if s.optional && slices.Contains(p.Off, s.name) {
			r.Lacks = append(r.Lacks, s.name+": switched off")
			continue
		}
		err := s.apply(ask)
		switch {
		case err == nil:
			r.Applied = append(r.Applied, s.name)
		case s.optional:
			r.Lacks = append(r.Lacks, fmt.Sprintf("%s: %v", s.name, err))
		default:
			return r, fmt.Errorf("sandbox: %s: %w", s.name, err)
		}
	}
	return r, nil
}

func (p Policy) steps() []step {
	limit := func(name string, value int64) step {
		return step{name: "rlimit " + name, apply: func(ask Request) error {
			return ask(fmt.Sprintf("rlimit %s %d", name, value), nil)
		}}
	}
	steps := []step{limit("core", 0), limit("fsize", p.FileSize), limit("nofile", p.OpenFiles), limit("nproc", 0)}
	if p.AddressSpace > 0 {
		steps = append(steps, limit("as", p.AddressSpace))
	}
	return append(steps,
		step{name: "privileges", apply: func(ask Request) error { return ask("privileges", nil) }},
		step{name: "landlock", optional: true, apply: applyLandlock},
		step{name: "seccomp", optional: true, apply: applySeccomp},
	)
}
