package tvmscript

import (
	"fmt"
	"strings"
)

// Error is a fault in the text.
type Error struct {
	File      string // as given to Parse, "" for none
	Line, Col int    // from 1; Col counts bytes
	Source    string // the line of text
	Msg       string
}

// Error implements error: position and message, then the line and a caret.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ":")
	}
	fmt.Fprintf(&b, "%d:%d: %s", e.Line, e.Col, e.Msg)
	if text := strings.TrimRight(e.Source, " \t\r"); text != "" && len(text) <= 200 {
		pad := make([]byte, 0, e.Col)
		for i := range min(e.Col-1, len(text)) {
			if text[i] == '\t' {
				pad = append(pad, '\t')
			} else {
				pad = append(pad, ' ')
			}
		}
		fmt.Fprintf(&b, "\n  %s\n  %s^", text, pad)
	}
	return b.String()
}

// pos is a byte offset in the text.
type pos int32

// nowhere is no position.
const nowhere pos = -1

// bail is how a fault leaves the recursive descent; the functions that callers
// start from recover it and nothing else does.
type bail struct{ err error }

// rescue, deferred, turns a bail into the error it carries.
func rescue(err *error) {
	if r := recover(); r != nil {
		b, ok := r.(bail)
		if !ok {
			panic(r)
		}
		*err = b.err
	}
}

// source is the text with what locates positions in it.
type source struct{ file, text string }

// fault makes the located error.
func (s *source) fault(at pos, format string, args ...any) *Error {
	off := min(max(int(at), 0), len(s.text))
	start := strings.LastIndexByte(s.text[:off], '\n') + 1
	line := s.text[start:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	return &Error{File: s.file, Line: strings.Count(s.text[:off], "\n") + 1, Col: off - start + 1, Source: line, Msg: fmt.Sprintf(format, args...)}
}

// fail stops the parse.
func (s *source) fail(at pos, format string, args ...any) {
	//lint:ignore panic control flow inside the package, see bail
	panic(bail{s.fault(at, format, args...)})
}
