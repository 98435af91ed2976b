package interp

import "hone/compiler/tir"

// shadow remembers, per value of a buffer, what the optional checks need. An
// allocation starts with a fresh one, so what an iteration allocates is private
// to it.
type shadow struct {
	written []bool // nil: everything is initialised, as arguments are
	writer  []int32
	readers [][2]int32 // two latest readers of different stamps
}

// stamp is one iteration of a concurrent loop, in a tree: the parent is the
// iteration of the concurrent loop around it, 0 the code outside of all.
type stamp struct {
	parent int32
	depth  int32
	entry  int32 // number of the entry into the loop
	name   string
}

func newShadow(n int64, fresh, races bool) *shadow {
	s := &shadow{}
	if fresh {
		s.written = make([]bool, n)
	}
	if races {
		s.writer, s.readers = make([]int32, n), make([][2]int32, n)
	}
	return s
}

// concurrent runs a body as one iteration of a concurrent loop.
func concurrent(body stmtFn, name string) stmtFn {
	return func(e *env) {
		outer := e.now
		e.stamps = append(e.stamps, stamp{outer, e.stamps[outer].depth + 1, e.entry, name})
		e.now = int32(len(e.stamps) - 1)
		entry := e.entry
		body(e)
		e.now, e.entry = outer, entry
	}
}

// race returns the loop that runs two stamped iterations concurrently, or "".
func (e *env) race(a, b int32) string {
	var belowA, belowB int32
	for a != b {
		if e.stamps[a].depth >= e.stamps[b].depth {
			belowA, a = a, e.stamps[a].parent
		} else {
			belowB, b = b, e.stamps[b].parent
		}
	}
	if belowA != 0 && belowB != 0 && e.stamps[belowA].parent == a && e.stamps[belowB].parent == b &&
		e.stamps[belowA].entry == e.stamps[belowB].entry {
		return e.stamps[belowA].name
	}
	return ""
}

// shadowed adds the checks of initialisation and races to an address.
func (c *compiler) shadowed(addr access, b *tir.Buffer, write bool) access {
	at, opt, name := c.at, c.opt, b.Name
	return func(e *env, lane int) (*storage, int64, bool) {
		s, pos, ok := addr(e, lane)
		if !ok {
			return s, pos, false
		}
		sh := s.shadow
		if sh.written != nil {
			if write {
				sh.written[pos] = true
			} else if opt.Uninitialised && !sh.written[pos] {
				e.fail(at, "load of an element of %s that nothing has written", name)
				return s, pos, false
			}
		}
		if sh.writer != nil {
			if loop := sh.note(e, pos, write); loop != "" {
				e.fail(at, "iterations of loop %s race for an element of %s", loop, name)
				return s, pos, false
			}
		}
		return s, pos, true
	}
}

// note records an access and returns the loop whose iterations it makes race.
func (sh *shadow) note(e *env, pos int64, write bool) string {
	if loop := e.race(sh.writer[pos], e.now); sh.writer[pos] != 0 && loop != "" {
		return loop
	}
	r := &sh.readers[pos]
	if !write {
		if r[0] != e.now {
			r[0], r[1] = e.now, r[0]
		}
		return ""
	}
	for _, reader := range r {
		if reader != 0 {
			if loop := e.race(reader, e.now); loop != "" {
				return loop
			}
		}
	}
	sh.writer[pos] = e.now
	return ""
}
