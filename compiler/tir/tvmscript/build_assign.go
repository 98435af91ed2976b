package tvmscript

import (
	"strconv"
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
	b.emit(b.ir.stores.put(tir.Store{Buffer: buf, Value: b.stored(v, want, at), Indices: idx}))
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
	case "alloc_shared", "smem":
		return b.flatAlloc(name, c, "shared"), true
	case "tmem":
		return b.flatAlloc(name, c, "tmem"), true
	case "decl_scalar":
		return b.declScalar(name, c), true
	case "Bind", "bind":
		return b.bindCall(name, c), true
	case "env_thread":
		return b.envThread(name, c), true
	case "launch_thread":
		return b.launchRest(name, c), true
	case "decl_buffer":
		return b.declBuffer(name, c), true
	case "axis.remap":
		vs := b.remap(c, []string{name}, -1)
		if len(vs) > 1 {
			b.fail(c.p, "%d iterators for one name", len(vs))
		}
		return vs[0], true
	}
	if scope, ok := scalarMakers[short]; ok {
		return b.allocScalar(name, scope, c), true
	}
	if axis, ok := strings.CutPrefix(short, "axis."); ok {
		if kind, ok := axisKinds[axis]; ok {
			return b.axis(c, name, kind), true
		}
	}
	if len(c.args) == 0 && len(c.kw) == 0 {
		if t, ok := typeName(short); ok {
			return b.declareVar(name, t), true
		}
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
	if c, ok := value.(*callNode); ok && isMetaVar(dotted(c.fn)) && len(c.args) == 1 && len(c.kw) == 0 {
		b.define(t.id, b.eval(c.args[0]), t.p) // a value while reading, not a scalar
		return
	}
	if v, ok := b.maker(t.id, value); ok {
		b.define(t.id, v, t.p)
		return
	}
	v := b.eval(value)
	if buf := b.scalar(t.id); buf != nil && isScalarValue(v) {
		b.store(buf, []tir.Expr{tir.Int(0)}, v, value.at())
		return
	}
	b.assignValue(t.id, v, value.at())
}

// assignValue gives a value a name: constants and expressions become mutable
// scalars, everything else has another name from here on.
func (b *builder) assignValue(id string, v any, at pos) {
	switch x := v.(type) {
	case *tir.Var:
		if !b.bound(x) {
			b.define(id, v, at) // a variable that is declared here
			return
		}
		b.mutable(id, x.Type, x, at)
	case []any:
		for i, y := range x {
			b.assignValue(id+"_"+strconv.Itoa(i), y, at)
		}
		b.define(id, v, at)
	case *tir.Buffer:
		if x.Name == "" || b.justDeclared(x) {
			x.Name = id
		}
		b.define(id, x, at)
	case nil, map[string]any, ref:
		if !b.fn.old {
			b.fail(at, "a %s has no type to be a scalar of", describe(v))
		}
		b.define(id, v, at)
	case tir.Region, *Lambda, tir.Target, *tir.Reducer, *tir.IndexMap:
		b.define(id, v, at) // another name for the same thing
	case string:
		b.fail(at, "a text has no type by itself: write %s: T.let = …", id)
	default:
		e := b.expr(v, at)
		if c := e.DType().Code; b.fn.old || c == dtype.Handle || c == dtype.String {
			b.bindLet(id, e, at)
			return
		}
		b.mutable(id, e.DType(), e, at)
	}
}

func isScalarValue(v any) bool {
	switch v.(type) {
	case tir.Expr, int64, float64, bool:
		return true
	}
	return false
}

// justDeclared reports whether the last statement declares x.
func (b *builder) justDeclared(x *tir.Buffer) bool {
	n := len(b.emitted)
	if n == b.top().first {
		return false
	}
	d, ok := b.emitted[n-1].(*tir.DeclBuffer)
	return ok && d.Buffer == x
}

// bound reports whether some name stands for v.
func (b *builder) bound(v *tir.Var) bool {
	for _, scope := range b.scopes {
		for _, x := range scope.names {
			if x.val == any(v) {
				return true
			}
		}
	}
	return false
}

// bindLet emits an immutable binding.
func (b *builder) bindLet(id string, e tir.Expr, at pos) {
	v := tir.NewVar(id, e.DType())
	v.Ptr = pointerOf(e)
	b.emit(&tir.Bind{Var: v, Value: e})
	b.define(id, v, at)
}

// bindCall reads x = T.Bind(e), an immutable binding.
func (b *builder) bindCall(id string, n *callNode) *tir.Var {
	c := &call{at: n.p, name: dotted(n.fn)}
	b.arguments(c, n)
	e := b.vector(b.positional(c, 1, 1)[0])
	v := tir.NewVar(id, e.DType())
	v.Ptr = pointerOf(e)
	b.emit(&tir.Bind{Var: v, Value: e})
	return v
}

func isMetaVar(path string) bool { return isT(path, "meta_var") || path == "I.meta_var" }

// pointerOf says what an expression points to, as far as it is known.
func pointerOf(e tir.Expr) *tir.Pointer {
	switch e := e.(type) {
	case *tir.BufferRef:
		elem := e.Buffer.Type
		if elem.IsBool() {
			elem = dtype.Int8 // how bools lie in memory
		}
		return &tir.Pointer{Elem: elem, Scope: e.Buffer.Scope}
	case *tir.Var:
		return e.Ptr
	}
	return nil
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
		if typed != (dtype.DType{}) && typed != e.DType() {
			b.fail(s.p, "%s is declared as %s, its value is %s", t.id, typed, e.DType())
		}
		if typed.Code == dtype.Handle {
			b.checkPointer(ann.(*indexNode).items[0], e, s.p)
		}
		b.bindLet(t.id, e, s.p)
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
	buf.Scalar = !b.fn.stir && tir.LocalScalar(buf) // as with T.alloc_local
	b.emitAlloc(&tir.AllocBuffer{Buffer: buf}, s.p)
	b.define(id, buf, s.p)
}

// checkPointer compares what a declaration says that e points to with what it
// does.
func (b *builder) checkPointer(declared node, e tir.Expr, at pos) {
	want, have := b.pointerAnnotation(declared), pointerOf(e)
	if (want == nil) != (have == nil) || want != nil && *want != *have {
		b.fail(at, "%s is declared to point to %s, its value to %s", tir.ExprString(e), pointed(want), pointed(have))
	}
}

func pointed(p *tir.Pointer) string {
	if p == nil {
		return "anything"
	}
	return p.Elem.String() + " in scope " + p.Scope
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
		if l, ok := x.(*tir.Load); ok {
			b.store(l.Buffer, l.Indices, b.evalBinary(s.op, l, v, s.p), s.value.at())
			return
		}
	}
	b.fail(s.p, "only an element of a buffer or a mutable scalar can be updated")
}

// assignTuple reads `a, b = …`, with one starred target allowed.
func (b *builder) assignTuple(t *listNode, value node) {
	names, star := b.targetNames(t)
	if c, ok := value.(*callNode); ok && isT(dotted(c.fn), "axis.remap") {
		vs := b.remap(c, names, star)
		if len(vs) == 1 && star < 0 && !b.fn.old {
			b.fail(value.at(), "one iterator is no tuple")
		}
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
	vals := b.values.room(len(names)) // not in list, a part of which the starred name stands for
	b.open()
	b.bindTargets(names, star, list, value.at())
	for _, id := range names {
		v, _ := b.lookup(id)
		vals = append(vals, v)
	}
	b.close()
	for i, id := range names { // what is no name of something else is a scalar of its own
		b.assignValue(id, vals[i], value.at())
	}
}

// targetNames lists the names of a tuple target; star is the starred one or -1.
func (b *builder) targetNames(t *listNode) (names []string, star int) {
	names = b.idents.room(len(t.items))
	star = -1
	var set nameSet
	for i, x := range t.items {
		if st, ok := x.(*starNode); ok && star < 0 {
			star, x = i, st.x
		}
		n, ok := x.(*nameNode)
		if !ok {
			b.fail(x.at(), "only names can be targets here")
		}
		if !set.add(n.id) {
			b.fail(x.at(), "the name %s twice on the left", n.id)
		}
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
			b.define(id, vals[i], at)
		case i == star:
			b.define(id, vals[i:i+taken:i+taken], at)
		default:
			b.define(id, vals[i-1+taken], at)
		}
	}
}
