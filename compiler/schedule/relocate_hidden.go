package schedule

import "hone/compiler/tir"

// hidden refuses to move a block past accesses that the blocks around them do not
// declare, as caches for listed consumers inside of blocks leave them: whether they
// lie where they have to is not known of them, nor what they need.
func (st *state) hidden(id nid, cond Condition) *Error {
	for _, o := range st.childBlocks(st.scopeOf(id)) {
		if o == id || len(st.at(o).kids) == 0 {
			continue
		}
		if in, buf := st.undeclared(o, id); buf != nil {
			return refuse(cond, st.where(in), "it accesses %s, which %s around it does not declare", buf.Name, st.where(o))
		}
	}
	return nil
}

// undeclared finds the first block inside of block o which reads or writes what block id
// writes, or writes what id reads, and that o does not say so.
func (st *state) undeclared(o, id nid) (in nid, buf *tir.Buffer) {
	b, around := st.at(id).block, st.at(o).block
	in = none
	st.eachShell(st.at(o).kids[0], func(x nid) {
		if buf != nil || st.at(x).kind != kBlock {
			return
		}
		inner := st.at(x).block
		for _, r := range inner.Reads {
			if writes(b, r.Buffer) && !reads(around, r.Buffer) && !writes(around, r.Buffer) {
				in, buf = x, r.Buffer
				return
			}
		}
		for _, w := range inner.Writes {
			if (writes(b, w.Buffer) || reads(b, w.Buffer)) && !writes(around, w.Buffer) {
				in, buf = x, w.Buffer
				return
			}
		}
	})
	return in, buf
}
