package cc

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrNoCompiler matches every NoCompilerError.
var ErrNoCompiler = errors.New("no C compiler found")

// NoCompilerError says that no compiler builds for the triple.
type NoCompilerError struct {
	Triple string // empty: this machine
	Tried  []string
}

// Error implements error; the text ends with the next step.
func (e *NoCompilerError) Error() string {
	if e.Triple == "" || e.Triple == HostTriple() {
		return "no C compiler found: install gcc or clang, or set HONE_CC"
	}
	return fmt.Sprintf("no C compiler found for %s: install %s-gcc or clang, or set HONE_CC", e.Triple, e.Triple)
}

// Is reports that every NoCompilerError is ErrNoCompiler.
func (e *NoCompilerError) Is(target error) bool { return target == ErrNoCompiler }

// Error is a compiler or linker that ran and refused its input.
type Error struct {
	Stage       string // "compile" or "link"
	Compiler    string // short name
	Diagnostics string // first lines of what the tool said
	ExitCode    int
}

// Error implements error.
func (e *Error) Error() string {
	first, _, _ := strings.Cut(e.Diagnostics, "\n")
	if first == "" {
		first = fmt.Sprintf("exit status %d without a message", e.ExitCode)
	}
	return fmt.Sprintf("%s: %s failed: %s", e.Compiler, e.Stage, first)
}

// LimitError is a compiler or linker that was stopped at a limit.
type LimitError struct {
	Stage    string
	Compiler string
	Limit    string // "time", "cpu", "memory" or "output"
	After    time.Duration
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %s stopped after %s: %s limit reached", e.Compiler, e.Stage, e.After.Round(time.Millisecond), e.Limit)
}

// Timeout reports whether the limit was one of time; it makes LimitError
// satisfy the interface of net errors that callers test for.
func (e *LimitError) Timeout() bool { return e.Limit == "time" || e.Limit == "cpu" }

// maxDiagnostics bounds what is kept of a tool's output.
const maxDiagnostics = 4 << 10

// diagnostics picks the part of a tool's output that explains a failure:
// from its first error line on, at most six lines.
func diagnostics(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	start := 0
	for i, l := range lines {
		if strings.Contains(l, "error:") || strings.Contains(l, "undefined reference") || strings.Contains(l, "undefined symbol") {
			start = i
			break
		}
	}
	lines = lines[start:]
	if len(lines) > 6 {
		lines = lines[:6]
	}
	text := strings.Join(lines, "\n")
	if len(text) > maxDiagnostics {
		text = text[:maxDiagnostics]
	}
	return text
}
