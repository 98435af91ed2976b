package interp

import (
	"fmt"
	"strings"
)

// Error says what went wrong in a function and where.
type Error struct {
	Func  string
	Block string // innermost block around the fault, "" outside of blocks
	Where string // values of the block's iterators, "vi=3, vj=5"
	Msg   string
}

// Error implements error: `main: block "C" (vi=3): load of A[9] …`.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Func)
	if e.Block != "" {
		fmt.Fprintf(&b, ": block %q", e.Block)
		if e.Where != "" {
			b.WriteString(" (" + e.Where + ")")
		}
	}
	return b.String() + ": " + e.Msg
}

// site is the place of a piece of code, known when it is compiled.
type site struct {
	fn    string
	block string
	iters []namedSlot
}

type namedSlot struct {
	name string
	slot int
}

// fail records the first fault of a run; loops stop when they see it, stores
// write nothing after it.
func (e *env) fail(at *site, format string, args ...any) {
	if e.err != nil {
		return
	}
	where := make([]string, len(at.iters))
	for i, it := range at.iters {
		where[i] = fmt.Sprintf("%s=%d", it.name, e.ints[it.slot])
	}
	e.err = &Error{at.fn, at.block, strings.Join(where, ", "), fmt.Sprintf(format, args...)}
}

// reject records the first fault found while compiling.
func (c *compiler) reject(format string, args ...any) {
	if c.err == nil {
		c.err = &Error{Func: c.at.fn, Block: c.at.block, Msg: fmt.Sprintf(format, args...)}
	}
}
