package schedule

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

//	B[i] = x; … B[i] …   →   B[i] = cast(x); … cast(B[i]) …

var kindUnsafeSetDType = define(Kind{
	Name: "UnsafeSetDType", Doc: "changes the element type of a buffer that a block writes, rounding what it holds",
	Params:  "block, buffer_index, dtype",
	In:      []Slot{{Name: "block", Kind: SlotBlock}},
	Attrs:   []Slot{{Name: "buffer_index", Kind: SlotInt}, {Name: "dtype", Kind: SlotString}},
	Refuses: []Condition{BadArgument, BufferScope},
})

func init() {
	kindUnsafeSetDType.Apply = func(s *Schedule, c Call) error { return s.UnsafeSetDType(c.block(0), c.int(0), c.string(1)) }
}

// UnsafeSetDType makes the buffer that b writes as its bufferIndex-th hold
// elements of another type, and casts what is stored there and loaded from it.
// The buffer must be allocated in the function. The function computes the same
// only as far as the new type holds the values.
func (s *Schedule) UnsafeSetDType(b BlockRV, bufferIndex int, typeName string) error {
	st, id, err := s.block(b)
	if err == nil {
		err = st.setDType(id, bufferIndex, typeName)
	}
	if err != nil {
		return err.by("unsafe_set_dtype")
	}
	s.record(kindUnsafeSetDType, []any{b}, []any{int64(bufferIndex), typeName}, nil, nil)
	return nil
}

func (st *state) setDType(id nid, i int, typeName string) *Error {
	buf, err := st.accessed(id, i, true)
	if err != nil {
		return err
	}
	t, bad := dtype.Parse(typeName)
	if bad != nil {
		return refuse(BadArgument, st.where(id), "%v", bad)
	}
	if t.Code == dtype.Handle {
		return refuse(BadArgument, st.where(id), "elements of a buffer are no pointers")
	}
	if buf.Type == t {
		return nil
	}
	owner, ok := st.owner(id, buf)
	switch {
	case !ok:
		return refuse(BufferScope, st.where(id), "buffer %s is not allocated in the function", buf.Name)
	case t.Code == dtype.Void || t.Lanes != buf.Type.Lanes:
		return refuse(BadArgument, st.where(id), "no value of %s can be cast to %q", buf.Type, typeName)
	}
	sub := st.withViews(owner, buf, func(b *tir.Buffer) *tir.Buffer {
		c := *b
		c.Type = t
		return &c
	})
	w := castingRewriter(sub, buf.Type, t)
	st.eachShell(owner, func(id nid) { st.mapShell(id, w.Rewrite) })
	return nil
}

// castingRewriter puts buffers in the place of others of type from and casts
// between the two types.
func castingRewriter(sub map[*tir.Buffer]*tir.Buffer, from, to dtype.DType) *tir.StmtRewriter {
	buffer := replaced(sub)
	load := func(e tir.Expr) tir.Expr {
		switch x := e.(type) {
		case *tir.Load:
			if b := sub[x.Buffer]; b != nil {
				return &tir.Cast{Type: from, Value: &tir.Load{Buffer: b, Indices: x.Indices}}
			}
		case *tir.BufferRef:
			return &tir.BufferRef{Buffer: buffer(x.Buffer)}
		}
		return e
	}
	return &tir.StmtRewriter{
		Expr:   func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, load) },
		Buffer: func(b *tir.Buffer) *tir.Buffer { return buffer(b) },
		Stmt: func(s tir.Stmt) tir.Stmt {
			for _, b := range sub {
				if x, ok := s.(*tir.Store); ok && x.Buffer == b {
					return &tir.Store{Buffer: b, Value: &tir.Cast{Type: to, Value: x.Value}, Indices: x.Indices}
				}
			}
			return s
		},
	}
}
