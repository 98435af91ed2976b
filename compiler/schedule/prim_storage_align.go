package schedule

//	stride[axis] = k * factor + offset, for some k

var kindStorageAlign = define(Kind{
	Name: "StorageAlign", Doc: "asks for a stride of a buffer that a block writes",
	Params: "block, buffer_index, axis, factor, offset",
	In:     []Slot{{Name: "block", Kind: SlotBlock}},
	Attrs: []Slot{{Name: "buffer_index", Kind: SlotInt}, {Name: "axis", Kind: SlotInt},
		{Name: "factor", Kind: SlotInt}, {Name: "offset", Kind: SlotInt}},
	Refuses: []Condition{BadArgument, BufferScope},
})

func init() {
	kindStorageAlign.Apply = func(s *Schedule, c Call) error {
		return s.StorageAlign(c.block(0), c.int(0), c.int(1), c.int(2), c.int(3))
	}
}

// annAlign is the annotation of a block that lists wishes: the number of the
// buffer among those written, the axis, the factor and the offset.
const annAlign = "buffer_dim_align"

// StorageAlign asks that the stride of a dimension of the buffer which b writes
// as its bufferIndex-th is a multiple of factor, plus offset. A negative axis
// counts from the end; the buffer must be allocated in the function. Another
// wish for the same dimension replaces the first.
func (s *Schedule) StorageAlign(b BlockRV, bufferIndex, axis, factor, offset int) error {
	st, id, err := s.block(b)
	if err == nil {
		err = st.storageAlign(id, bufferIndex, axis, factor, offset)
	}
	if err != nil {
		return err.by("storage_align")
	}
	s.record(kindStorageAlign, []any{b}, []any{int64(bufferIndex), int64(axis), int64(factor), int64(offset)}, nil, nil)
	return nil
}

func (st *state) storageAlign(id nid, index, axis, factor, offset int) *Error {
	buf, err := st.accessed(id, index, true)
	if err != nil {
		return err
	}
	rank := len(buf.Shape)
	switch {
	case factor <= 0:
		return refuse(BadArgument, st.where(id), "factor %d is not positive", factor)
	case axis < -rank || axis >= rank:
		return refuse(BadArgument, st.where(id), "buffer %s has %d dimensions, axis %d was asked for", buf.Name, rank, axis)
	case axis < 0:
		axis += rank
	}
	if _, ok := st.owner(id, buf); !ok {
		return refuse(BufferScope, st.where(id), "buffer %s is not allocated in the function", buf.Name)
	}
	old, _ := st.annotations(id).Get(annAlign)
	wishes, ok := alignments(old)
	if !ok {
		return refuse(BadArgument, st.where(id), "its annotation %s is no list of four integers each", annAlign)
	}
	wish := []any{int64(index), int64(axis), int64(factor), int64(offset)}
	out, found := make([]any, len(wishes)), false
	for i, w := range wishes {
		out[i] = any(w)
		if !found && w[0] == wish[0] && w[1] == wish[1] {
			out[i], found = wish, true
		}
	}
	if !found {
		out = append(out, wish)
	}
	st.setAnnotations(id, st.annotations(id).With(annAlign, out))
	return nil
}

// alignments reads an annotation of wishes; none is an empty list.
func alignments(v any) (out [][]any, ok bool) {
	if v == nil {
		return nil, true
	}
	list, ok := v.([]any)
	for _, x := range list {
		w, isList := x.([]any)
		if !isList || len(w) != 4 {
			return nil, false
		}
		for _, n := range w {
			if _, isInt := n.(int64); !isInt {
				return nil, false
			}
		}
		out = append(out, w)
	}
	return out, ok
}
