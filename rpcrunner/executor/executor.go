// Package executor runs kernel images in a disposable child process: a small C program
// that maps images, owns the operands between guard pages, and calls, checks and times
// entries at the agent's word. Whatever a kernel does (crash, hang, wild write) costs that
// child only; the error says which kernel ran.
//
// It must not import the link, the scheduler or the compiler (its C interface,
// compiler/runtime/csrc, is data). Start from Build, which makes the program once per
// machine, and Start, which returns a Process.
package executor

import (
	"fmt"
	"syscall"
)

// Phase says what the executor was doing.
type Phase int32

// The phases, as the executor writes them into the shared page.
const (
	PhaseNone  Phase = 0
	PhasePack  Phase = 1
	PhaseFirst Phase = 2
	PhaseTime  Phase = 3
)

func (p Phase) String() string {
	switch p {
	case PhasePack:
		return "packing a constant"
	case PhaseFirst:
		return "the first run"
	case PhaseTime:
		return "timing"
	}
	return "no kernel"
}

// Idle is the tag while no foreign code runs; tags of kernels lie in [-MaxTag, MaxTag].
const (
	Idle   = -1000
	MaxTag = 500
)

// MaxCopies is how many copies of a constant a child can hold.
const MaxCopies = 64

// Death is the end of a child before it answered.
type Death struct {
	Tag     int // of the kernel that ran, Idle when none did
	Phase   Phase
	Signal  syscall.Signal // 0 when it exited by itself
	Guard   bool           // the fault was an access to a guard page
	Timeout bool           // the agent killed it at its limit
	Exit    int
	Stderr  string
}

func (d *Death) Error() string {
	how := fmt.Sprintf("exit status %d", d.Exit)
	switch {
	case d.Timeout:
		how = "time limit"
	case d.Guard:
		how = fmt.Sprintf("%v at a guard page", d.Signal)
	case d.Signal != 0:
		how = d.Signal.String()
	}
	s := fmt.Sprintf("the executor died of %s during %s", how, d.Phase)
	if d.Stderr != "" {
		s += ": " + d.Stderr
	}
	return s
}

// Class of a refusal.
type Class string

// The classes of requests the executor answers with an error and survives.
const (
	ClassRequest Class = "request" // the agent asked for something impossible
	ClassMemory  Class = "memory"  // an allocation exceeded the limit
	ClassImage   Class = "image"   // the image cannot be mapped or lacks a symbol
	ClassRefused Class = "refused" // the kernel returned non-zero
	ClassBounds  Class = "bounds"  // a canary beside an operand was overwritten
	ClassSystem  Class = "system"  // a system call failed
)

// Refusal is an answered error; the child lives on.
type Refusal struct {
	Class Class
	Text  string
}

func (r *Refusal) Error() string { return fmt.Sprintf("executor: %s: %s", r.Class, r.Text) }
