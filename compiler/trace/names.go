package trace

import (
	"strconv"

	"hone/compiler/schedule"
)

// names are those of a trace's results, in order: b0, l1, v2, …
type names struct {
	of   map[int32]string
	next int
}

func newNames() names { return names{of: map[int32]string{}} }

// define names a result; what is no handle is "_" and stays unknown.
func (n *names) define(v any) string {
	i, ok := id(v)
	if !ok {
		return "_"
	}
	prefix := "v"
	switch v.(type) {
	case schedule.BlockRV:
		prefix = "b"
	case schedule.LoopRV:
		prefix = "l"
	}
	n.of[i] = prefix + strconv.Itoa(n.next)
	n.next++
	return n.of[i]
}
