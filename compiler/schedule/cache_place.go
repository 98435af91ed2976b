package schedule

import "slices"

// place is where a copy goes: before member index of the body of parent, a loop
// or the scope.
type place struct {
	parent nid
	index  int
}

// atEnd is the place after everything in a scope.
func (st *state) atEnd(scope nid) place {
	return place{scope, len(st.members(st.at(scope).kids[0]))}
}

// passed reports whether a block of a scope comes before a place in it.
func (st *state) passed(scope nid, at place, b nid) bool {
	if st.within(b, at.parent) {
		for i, m := range st.members(st.at(at.parent).kids[0]) {
			if st.within(b, m) {
				return i < at.index
			}
		}
	}
	sibs := st.childBlocks(scope)
	return slices.Index(sibs, b) < slices.IndexFunc(sibs, func(o nid) bool { return st.within(o, at.parent) })
}

// finder looks for the place of a copy of what one block writes for related
// ones: before the member of the innermost sequence holding both which contains
// the first related block.
type finder struct {
	st      *state
	writer  nid
	related []nid

	wrote, met bool // the walk has passed the writer, a related block
	at         place
	found      bool
	bad        bool // the sequence is not the body of a loop or of the scope
}

// placeBetween finds the place. A related block before the writer stops the
// search: the copy then opens the scope.
func (st *state) placeBetween(scope, writer nid, related []nid) (place, bool) {
	f := &finder{st: st, writer: writer, related: related}
	f.visit(st.at(scope).kids[0])
	switch {
	case f.found:
		return f.at, !f.bad
	case f.met && !f.wrote:
		return place{scope, 0}, true
	}
	return place{}, false
}

func (f *finder) visit(id nid) {
	switch n := f.st.at(id); n.kind {
	case kBlock:
		switch {
		case id == f.writer:
			f.wrote = true
		case slices.Contains(f.related, id):
			f.met = true
		}
	case kSeq:
		f.visitSeq(id, n)
	default:
		for _, k := range n.kids {
			f.visit(k)
		}
	}
}

// visitSeq asks of the members of a sequence alone whether they hold both.
func (f *finder) visitSeq(id nid, n *node) {
	before := f.wrote
	f.wrote = false
	for i, k := range n.kids {
		f.visit(k)
		if f.found || f.met && !f.wrote {
			break
		}
		if f.met {
			kind := f.st.at(n.parent).kind
			f.at, f.found, f.bad = place{n.parent, i}, true, kind != kLoop && kind != kBlock
			break
		}
	}
	f.wrote = f.wrote || before
}
