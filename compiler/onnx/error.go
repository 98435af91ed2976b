package onnx

import (
	"fmt"
	"strings"
)

// Error is a fault of a model or of what was asked of it: where it is, what is
// wrong and, where one exists, the next step.
type Error struct {
	Path   string // of the model file; "" while decoding
	Where  string // "graph.node[3] (Conv \"/stem\")", "byte 1042"
	Reason string
	Next   string
}

// Error implements error, on one line but for the next step.
func (e *Error) Error() string {
	var b strings.Builder
	for _, s := range []string{e.Path, e.Where} {
		if s != "" {
			b.WriteString(s + ": ")
		}
	}
	b.WriteString(e.Reason)
	if e.Next != "" {
		b.WriteString("\n  " + e.Next)
	}
	return b.String()
}

func errorAt(where, format string, args ...any) error {
	return &Error{Where: where, Reason: fmt.Sprintf(format, args...)}
}
