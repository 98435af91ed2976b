package rule

import (
	"fmt"
	"slices"

	"hone/compiler/target"
)

// Context is what a rule knows besides the schedule, and where it leaves what
// the user should hear.
type Context struct {
	Target *target.Target

	notes []string
}

// Note leaves a message for the user; one that is there already is not repeated.
func (c *Context) Note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(c.notes, n) {
		c.notes = append(c.notes, n)
	}
}

// Notes are the messages in order.
func (c *Context) Notes() []string { return c.notes }
