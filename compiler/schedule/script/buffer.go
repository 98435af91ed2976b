package script

import (
	"fmt"
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
)

// bufferSlots says in which direction a buffer given by name has to be accessed, by
// the name of the slot.
var bufferSlots = map[string]string{"read_buffer_index": "read", "write_buffer_index": "write", "buffer_index": "write"}

// findBuffer reads the argument buffer: ("read", 0) or a name.
func (c *call) findBuffer(a tvmscript.Arg) error {
	switch v := a.Value.(type) {
	case string:
		n, dir, err := c.byName(v)
		if err != nil {
			return err
		}
		c.index, c.direction = n, dir
	case []any:
		if len(v) == 2 {
			n, isInt := integer(v[1])
			dir, isDir := directions[v[0]]
			if word, isText := v[0].(string); isText && !isDir {
				return a.Errorf(`buffer of %s: %q is neither "read" nor "write"`, c.kind.Method(), word)
			}
			if isInt && isDir {
				c.index, c.direction = n, dir
			}
		}
	}
	if c.index == nil {
		return a.Errorf(`buffer of %s is a name, ("read", i) or ("write", i), this is %s`, c.kind.Method(), describe(a.Value))
	}
	rs := c.regions(c.direction.(int64))
	if i := c.index.(int64); i >= 0 && i < int64(len(rs)) {
		c.buffer = rs[i].Buffer
	}
	return nil
}

// directions are the values of buffer_index_type.
var directions = map[any]int64{"read": 0, "write": 1}

func (c *call) directionOf(a tvmscript.Arg) (any, error) {
	if d, ok := directions[a.Value]; ok {
		return d, nil
	}
	return nil, a.Errorf(`buf_type of %s is "read" or "write", not %s`, c.kind.Method(), describe(a.Value))
}

func (c *call) regions(direction int64) []tir.Region {
	switch {
	case c.block == nil:
		return nil
	case direction == 0:
		return c.block.Reads
	}
	return c.block.Writes
}

// byName finds a buffer of the block, as written when it is read and written.
func (c *call) byName(name string) (index, direction int64, err error) {
	var found *tir.Buffer
	for _, dir := range []int64{0, 1} {
		for i, r := range c.regions(dir) {
			if r.Buffer.Name != name {
				continue
			}
			if found != nil && found != r.Buffer {
				return 0, 0, c.refuse(schedule.AmbiguousName, "it accesses several buffers %q", name)
			}
			found, index, direction = r.Buffer, int64(i), dir
		}
	}
	if found == nil {
		return 0, 0, c.refuse(schedule.UnknownName, "it accesses no buffer %q", name)
	}
	return index, direction, nil
}

// bufferIndex is the index of a buffer by name in the direction wanted.
func (c *call) bufferIndex(name, want string) (any, error) {
	index, direction, err := c.byName(name)
	if err == nil && direction != directions[want] {
		err = c.refuse(schedule.BadArgument, "%s is not among the buffers that it %ss", name, want)
		if want == "read" && c.accesses(0, name) {
			err = c.refuse(schedule.BadArgument, "it reads and writes %s, which counts as a buffer that it writes", name)
		}
	}
	return index, err
}

func (c *call) refuse(cond schedule.Condition, format string, args ...any) error {
	return &schedule.Error{Primitive: c.kind.Method(), Condition: cond, Location: c.where, Reason: fmt.Sprintf(format, args...)}
}

func (c *call) accesses(direction int64, name string) bool {
	return slices.ContainsFunc(c.regions(direction), func(r tir.Region) bool { return r.Buffer.Name == name })
}
