package schedule

import (
	"slices"

	"hone/compiler/tir"
)

var kindAnnotate = define(Kind{
	Name: "Annotate", Doc: "attaches a key and a value to a block or loop",
	Params: "block_or_loop, ann_key, ann_val",
	In:     []Slot{{Name: "block_or_loop", Kind: SlotPlace}, {Name: "ann_val", Kind: SlotValue}},
	Attrs:  []Slot{{Name: "ann_key", Kind: SlotString}},
})

func init() {
	kindAnnotate.Apply = func(s *Schedule, c Call) error {
		if l, ok := c.Inputs[0].(LoopRV); ok {
			return s.AnnotateLoop(l, c.string(0), c.Inputs[1])
		}
		return s.Annotate(c.block(0), c.string(0), c.Inputs[1])
	}
}

// Annotate attaches key to a block. The value is an integer, float, bool,
// string, ExprRV, []ExprRV, []any or map[string]any; operands are stored as
// their integers. A key that is there already keeps its value.
func (s *Schedule) Annotate(b BlockRV, key string, value any) error {
	st, id, err := s.block(b)
	return s.annotate(st, id, err, b, key, value)
}

// AnnotateLoop is Annotate on a loop.
func (s *Schedule) AnnotateLoop(l LoopRV, key string, value any) error {
	st, id, err := s.loop(l)
	return s.annotate(st, id, err, l, key, value)
}

func (s *Schedule) annotate(st *state, id nid, err *Error, place any, key string, value any) error {
	if err == nil && !storable(value) {
		err = refuse(BadArgument, st.where(id), "the value holds what is no number, text, list or dict")
	}
	if err != nil {
		return err.by("annotate")
	}
	if ann := st.annotations(id); !has(ann, key) {
		st.setAnnotations(id, ann.With(key, resolveValue(value)))
	}
	s.record(kindAnnotate, []any{place, plainInput(value)}, []any{key}, nil, nil)
	return nil
}

// storable accepts the values that annotations may have.
func storable(v any) bool {
	switch x := v.(type) {
	case nil, bool, int, int64, float64, string, ExprRV, []ExprRV, *tir.IndexMap, tir.Target, tir.Expr:
		return true
	case []any:
		return !slices.ContainsFunc(x, func(e any) bool { return !storable(e) })
	case map[string]any:
		for _, e := range x {
			if !storable(e) {
				return false
			}
		}
		return true
	}
	return false
}

func has(a tir.Annotations, key string) bool {
	_, ok := a.Get(key)
	return ok
}

func (st *state) annotations(id nid) tir.Annotations {
	if n := st.at(id); n.kind == kLoop {
		return n.loop.Ann
	}
	return st.at(id).block.Ann
}

func (st *state) setAnnotations(id nid, ann tir.Annotations) {
	n := st.at(id)
	if n.kind == kLoop {
		n.loop.Ann = ann
	} else {
		b := *n.block
		b.Ann = ann
		n.block = &b
	}
	st.touch(id)
}
