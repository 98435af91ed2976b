package schedule

import "slices"

// replace puts new in the place of old, which keeps its own kids.
func (st *state) replace(old, new nid) {
	p := st.at(old).parent
	kids := slices.Clone(st.at(p).kids)
	kids[slices.Index(kids, old)] = new
	st.setKids(p, kids...)
}

// replaceMany puts a run of nodes in the place of old, which may be one of
// them; sequences among them are spliced.
func (st *state) replaceMany(old nid, news ...nid) {
	p := st.at(old).parent
	kids := st.at(p).kids
	i := slices.Index(kids, old)
	flat := st.flatten(news)
	if st.at(p).kind == kSeq {
		st.setKids(p, slices.Concat(kids[:i], flat, kids[i+1:])...)
		return
	}
	one := flat[0]
	if len(flat) > 1 {
		one = st.add(node{kind: kSeq, kids: flat})
	}
	kids = slices.Clone(kids)
	kids[i] = one
	st.setKids(p, kids...)
}

// flatten replaces sequences by their members.
func (st *state) flatten(ids []nid) []nid {
	out := make([]nid, 0, len(ids)+2)
	for _, id := range ids {
		if n := st.at(id); n.kind == kSeq {
			out = append(out, n.kids...)
		} else {
			out = append(out, id)
		}
	}
	return out
}

// insertBefore puts a node right before another one.
func (st *state) insertBefore(anchor, id nid) { st.replaceMany(anchor, id, anchor) }

// insertAfter puts a node right after another one.
func (st *state) insertAfter(anchor, id nid) { st.replaceMany(anchor, anchor, id) }

// members are the statements of a body: the kids of a sequence, or the one.
func (st *state) members(body nid) []nid {
	if n := st.at(body); n.kind == kSeq {
		return n.kids
	}
	return []nid{body}
}

// insertInto puts a node at position i among the statements of the body of a
// loop or block.
func (st *state) insertInto(parent nid, i int, id nid) {
	m := st.members(st.at(parent).kids[0])
	if i < len(m) {
		st.insertBefore(m[i], id)
	} else {
		st.insertAfter(m[len(m)-1], id)
	}
}

// emptied is the node that has to go when block id goes: the highest loop, or
// other statement, that would have nothing left inside. It is none when the
// scope's body would be empty.
func (st *state) emptied(id nid) nid {
	for {
		p := st.at(id).parent
		if p == none || st.at(p).kind == kBlock {
			return none
		}
		if len(st.at(p).kids) > 1 {
			return id
		}
		id = p
	}
}

// removable is emptied for a block that a primitive takes away, or why it cannot.
func (st *state) removable(id nid) (nid, *Error) {
	top := st.emptied(id)
	switch {
	case top == none:
		return none, refuse(OnlyLeaf, st.where(id), "it is the only block of its scope")
	case st.at(st.at(top).parent).kind == kOther:
		return none, refuse(BodyForm, st.where(id), "it is one of two branches")
	}
	return top, nil
}

// cut unlinks a node that emptied returned. Loops left without kids are marked
// as taken by the primitive.
func (st *state) cut(id nid, by string) {
	p := st.at(id).parent
	kids := slices.DeleteFunc(slices.Clone(st.at(p).kids), func(k nid) bool { return k == id })
	if st.at(p).kind == kSeq && len(kids) == 1 {
		st.replaceMany(p, kids[0])
		st.at(p).gone = by
		return
	}
	st.setKids(p, kids...)
}

// bury marks the loops from node top down to, not including, block id, which
// top may be, as taken away by a primitive.
func (st *state) bury(top, id nid, by string) {
	for id != top {
		id = st.at(id).parent
		st.at(id).gone = by
	}
}

// buryAll marks a node and everything below it as taken away by a primitive.
func (st *state) buryAll(id nid, by string) {
	n := st.at(id)
	n.gone = by
	for _, k := range n.kids {
		st.buryAll(k, by)
	}
}
