// Package cgen emits C for CPUs from lowered tensor functions: freestanding C
// with GCC and Clang vector extensions, compiled at run time by the device's or
// a cross compiler.
//
// Start from Backend. A unit is a prelude (types and helpers, unit.go) and
// kernels (kernel.go); statements (stmt.go) and expressions (value*.go) are
// emitted into a tree of C blocks in which index arithmetic is hoisted to the
// outermost place where its operands exist (block.go, index.go). DESIGN.md says
// why the C looks the way it does.
//
// The package imports codegen, tir, dtype and target. It never calls a compiler.
package cgen

import (
	"fmt"
	"regexp"
	"strings"

	"hone/compiler/codegen"
	"hone/compiler/target"
)

// Backend is the C code generator. The zero value is ready.
type Backend struct{}

var symbolPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// Emit implements codegen.Backend.
func (Backend) Emit(funcs []codegen.Lowered, tgt target.Target) (codegen.Source, error) {
	u := newUnit(&tgt)
	var src codegen.Source
	var text strings.Builder
	seen := map[string]bool{}
	for _, l := range funcs {
		for _, sym := range symbolsOf(l) {
			if !symbolPattern.MatchString(sym) || seen[sym] {
				return codegen.Source{}, fmt.Errorf("cgen: symbol %q is not a C identifier or is used twice", sym)
			}
			seen[sym] = true
		}
		entry, err := u.kernel(l)
		if err != nil {
			return codegen.Source{}, fmt.Errorf("cgen: function %s: %w", l.Func.Name, err)
		}
		text.WriteString(entry.Text)
		src.Entries = append(src.Entries, entry)
	}
	src.C = u.prelude() + text.String()
	return src, nil
}

func symbolsOf(l codegen.Lowered) []string {
	out := []string{l.Symbol}
	for _, p := range l.Packs {
		out = append(out, p.Symbol)
	}
	return out
}

// emitError carries a construct without translation from deep inside an
// expression to the function that reports it.
type emitError struct{ err error }

// fail stops the emission of the current function.
func fail(format string, args ...any) {
	panic(emitError{fmt.Errorf(format, args...)})
}

// catch turns fail's panic into the error it carries.
func catch(err *error) {
	if r := recover(); r != nil {
		e, ok := r.(emitError)
		if !ok {
			panic(r)
		}
		*err = e.err
	}
}
