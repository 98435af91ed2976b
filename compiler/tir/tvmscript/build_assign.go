package tvmscript

import (
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// assign reads `target = value`.
func (b *builder) assign(s *assignStmt) {
	switch t := s.target.(type) {
	case *indexNode:
		b.storeTo(t, s.value)
	case *nameNode:
		b.assignName(t, s.value)
	case *listNode:
		b.assignTuple(t, s.value)
	default:
		b.fail(s.p, "this cannot be assigned to")
	}
}

// storeTo emits a store to an element or a vector of elements.
func (b *builder) storeTo(t *indexNode, value node) {
	buf, ok := b.eval(t.x).(*tir.Buffer)
	if !ok {
		b.fail(t.at(), "only an element of a buffer can be assigned to")
	}
	v := b.eval(value)
	idx := b.storeIndices(buf, t)
	b.store(buf, idx, v, value.at())
}

func (b *builder) store(buf *tir.Buffer, idx []tir.Expr, v any, at pos) {
	want := (&tir.Load{Buffer: buf, Indices: idx}).DType()
	b.emit(&tir.Store{Buffer: buf, Value: b.stored(v, want, at), Indices: idx})
}

// makers are the calls whose result takes its name from the left side.
func (b *builder) maker(name string, n node) (any, bool) {
	c, ok := n.(*callNode)
	if !ok {
		return nil, false
	}
	short, ok := cutT(dotted(c.fn))
	if !ok {
		return nil, false
	}
	switch short {
	case "match_buffer":
		return b.matchBuffer(name, c), true
	case "sblock_alloc_buffer":
		return b.blockAlloc(name, c), true
	case "alloc_buffer":
		if b.fn.old {
			return b.blockAlloc(name, c), true
		}
		return b.flatAlloc(name, c, ""), true
	case "alloc_local":
		return b.flatAlloc(name, c, "local"), true
	case "alloc_shared":
		return b.flatAlloc(name, c, "shared"), true
	case "axis.remap":
		vs := b.remap(c, []string{name}, false)
		return vs[0], true
	}
	if kind, ok := axisKinds[strings.TrimPrefix(short, "axis.")]; ok && strings.HasPrefix(short, "axis.") {
		return b.axis(c, name, kind), true
	}
	if t, err := dtype.Parse(short); err == nil && len(c.args) == 0 && len(c.kw) == 0 {
		return b.declareVar(name, t), true
	}
	return nil, false
}

// declareVar reads `n = T.int32()`: a shape variable named before, or a new one.
func (b *builder) declareVar(name string, t dtype.DType) *tir.Var {
	if v, ok := b.lookup(name); ok {
		if x, ok := v.(*tir.Var); ok && x.Type == t {
			return x
		}
	}
	return tir.NewVar(name, t)
}

func (b *builder) assignName(t *nameNode, value node) {
	if v, ok := b.maker(t.id, value); ok {
		b.bind(t.id, v)
		return
	}
	v := b.eval(value)
	if buf, ok := v.(*tir.Buffer); ok && oneElement(buf) {
		v = b.expr(buf, value.at()) // the value of a scalar, not another name for it
	}
	if old, ok := b.lookup(t.id); ok {
		if buf, ok := old.(*tir.Buffer); ok && oneElement(buf) && isScalarValue(v) {
			b.store(buf, []tir.Expr{tir.Int(0)}, v, value.at())
			return
		}
	}
	switch x := v.(type) {
	case tir.Region, *tir.Buffer, []any, map[string]any, ref, *Lambda, nil:
		b.bind(t.id, v) // another name for the same thing
	case string:
		b.bindLet(t.id, &tir.StringImm{Value: x})
	default:
		e := b.expr(v, value.at())
		if c := e.DType().Code; b.fn.old || c == dtype.Handle || c == dtype.String {
			b.bindLet(t.id, e)
			return
		}
		b.mutable(t.id, e.DType(), e, value.at())
	}
}

func isScalarValue(v any) bool {
	switch v.(type) {
	case tir.Expr, int64, float64, bool:
		return true
	}
	return false
}

// bindLet emits an immutable binding.
func (b *builder) bindLet(id string, e tir.Expr) {
	v := tir.NewVar(id, e.DType())
	b.emit(&tir.Bind{Var: v, Value: e})
	b.bind(id, v)
}

// mutable emits a local scalar: a buffer of one element and a store.
func (b *builder) mutable(id string, t dtype.DType, value any, at pos) {
	buf := tir.NewStaticBuffer(id, t, 1)
	buf.Scope = "local"
	b.emit(&tir.AllocBuffer{Buffer: buf})
	b.bind(id, buf)
	if value != nil {
		b.store(buf, []tir.Expr{tir.Int(0)}, value, at)
	}
}

// annotated reads `x: T.let[T.int32] = e`, `x: T.int32 = e` and
// `x: T.float32[N]`.
func (b *builder) annotated(s *annStmt) {
	t, ok := s.target.(*nameNode)
	if !ok {
		b.fail(s.p, "only a name can be annotated")
	}
	ann := s.ann
	if x, ok := ann.(*indexNode); ok && !isT(dotted(x.x), "let") {
		b.localArray(t.id, x, s)
		return
	}
	let, typed := ann, dtype.DType{}
	if x, ok := ann.(*indexNode); ok {
		let = x.x
		if len(x.items) != 1 {
			b.fail(ann.at(), "T.let takes one type")
		}
		typed = b.typeOf(x.items[0])
	}
	if isT(dotted(let), "let") {
		if s.value == nil {
			b.fail(s.p, "T.let needs a value")
		}
		e := b.expr(b.eval(s.value), s.value.at())
		if typed != (dtype.DType{}) && typed != e.DType() && typed.Code != dtype.Handle {
			e = tir.NewCast(typed, e)
		}
		b.bindLet(t.id, e)
		return
	}
	scalar, ok := b.scalarAnnotation(ann)
	if !ok {
		b.fail(ann.at(), "expected T.let or a type such as T.int32")
	}
	var value any
	at := s.p
	if s.value != nil {
		value, at = b.eval(s.value), s.value.at()
	}
	b.mutable(t.id, scalar, value, at)
}

func (b *builder) localArray(id string, x *indexNode, s *annStmt) {
	t, ok := b.scalarAnnotation(x.x)
	if !ok || s.value != nil {
		b.fail(s.p, "a local buffer is declared as x: T.float32[4]")
	}
	buf := tir.NewBuffer(id, t)
	buf.Scope = "local"
	for _, it := range b.indexItems(x) {
		buf.Shape = append(buf.Shape, b.indexExpr(b.eval(it), it.at()))
	}
	b.emit(&tir.AllocBuffer{Buffer: buf})
	b.bind(id, buf)
}

// augmented reads `x op= e` on an element or a mutable scalar.
func (b *builder) augmented(s *augStmt) {
	v := b.eval(s.value)
	switch t := s.target.(type) {
	case *indexNode:
		buf, ok := b.eval(t.x).(*tir.Buffer)
		if !ok {
			break
		}
		idx := b.storeIndices(buf, t)
		b.store(buf, idx, b.evalBinary(s.op, &tir.Load{Buffer: buf, Indices: idx}, v, s.p), s.value.at())
		return
	case *nameNode:
		x, _ := b.lookup(t.id)
		if buf, ok := x.(*tir.Buffer); ok && oneElement(buf) {
			idx := []tir.Expr{tir.Int(0)}
			b.store(buf, idx, b.evalBinary(s.op, &tir.Load{Buffer: buf, Indices: idx}, v, s.p), s.value.at())
			return
		}
	}
	b.fail(s.p, "only an element of a buffer or a mutable scalar can be updated")
}

// assignTuple reads `a, b = …`, with one starred target allowed.
func (b *builder) assignTuple(t *listNode, value node) {
	names, star := b.targetNames(t)
	if c, ok := value.(*callNode); ok && isT(dotted(c.fn), "axis.remap") {
		vs := b.remap(c, names, star >= 0)
		b.bindTargets(names, star, vs, value.at())
		return
	}
	if l, ok := value.(*listNode); ok && star < 0 && len(l.items) == len(names) {
		for i, id := range names {
			b.assignName(&nameNode{t.p, id}, l.items[i])
		}
		return
	}
	list, ok := b.eval(value).([]any)
	if !ok {
		b.fail(value.at(), "only a tuple can be assigned to several names")
	}
	b.bindTargets(names, star, list, value.at())
}

// targetNames lists the names of a tuple target; star is the starred one or -1.
func (b *builder) targetNames(t *listNode) (names []string, star int) {
	star = -1
	seen := map[string]bool{}
	for i, x := range t.items {
		if st, ok := x.(*starNode); ok && star < 0 {
			star, x = i, st.x
		}
		n, ok := x.(*nameNode)
		if !ok {
			b.fail(x.at(), "only names can be targets here")
		}
		if seen[n.id] && n.id != "_" {
			b.fail(x.at(), "the name %s twice on the left", n.id)
		}
		seen[n.id] = true
		names = append(names, n.id)
	}
	return names, star
}

func (b *builder) bindTargets(names []string, star int, vals []any, at pos) {
	if star < 0 && len(names) != len(vals) || star >= 0 && len(vals) < len(names)-1 {
		b.fail(at, "%d values for %d names", len(vals), len(names))
	}
	taken := len(vals) - len(names) + 1 // by the starred name
	for i, id := range names {
		switch {
		case star < 0 || i < star:
			b.bind(id, vals[i])
		case i == star:
			b.bind(id, vals[i:i+taken:i+taken])
		default:
			b.bind(id, vals[i-1+taken])
		}
	}
}
