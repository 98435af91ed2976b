package tvmscript

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// params reads the parameters from left to right. A quoted shape may name a
// scalar that stands later in the list: it defines it.
func (b *builder) params(s *funcStmt) {
	f := b.fn.fn
	f.Params = make([]tir.Param, len(s.params))
	var names nameSet
	for i, q := range s.params {
		if !names.add(q.name) {
			b.fail(q.p, "a second parameter %s", q.name)
		}
		if q.ann == nil {
			b.fail(q.p, "parameter %s has no annotation", q.name)
		}
		if t, ok := b.scalarAnnotation(q.ann); ok {
			v := tir.NewVar(q.name, t)
			v.Ptr = b.pointerAnnotation(q.ann)
			f.Params[i] = v
			if b.fn.scalars == nil {
				b.fn.scalars, b.fn.handles = map[string]*tir.Var{}, map[*tir.Var]int{}
			}
			b.fn.scalars[q.name] = v
			if t.Code == dtype.Handle {
				b.fn.handles[v] = i
			}
		}
	}
	for id := range b.typeVars {
		if b.fn.scalars[id] == nil {
			b.bind(id, tir.NewVar(id, dtype.Int64))
		}
	}
	for _, id := range s.typeParams {
		b.bind(id, tir.NewVar(id, dtype.Int64))
	}
	for i, q := range s.params {
		if f.Params[i] != nil {
			b.bind(q.name, b.fn.scalars[q.name])
			continue
		}
		buf := b.bufferAnnotation(q)
		f.Params[i] = buf
		b.bind(q.name, buf)
	}
}

// scalarAnnotation reads T.int32, T.int32(), T.handle, T.handle("float32") as types.
func (b *builder) scalarAnnotation(n node) (dtype.DType, bool) {
	if c, ok := n.(*callNode); ok {
		switch short, _ := cutT(dotted(c.fn)); {
		case short == "handle" || short == "Ptr":
			return dtype.HandleType, true
		case len(c.args)+len(c.kw) == 0: // T.int32() makes a variable of that type
			n = c.fn
		}
	}
	if t, ok := n.(*textNode); ok { // quoted, as with postponed annotations
		return b.scalarAnnotation(b.quotedExpr(t))
	}
	short, ok := cutT(dotted(n))
	if !ok {
		return dtype.DType{}, false
	}
	return typeName(short)
}

// typeAliases are short names of types.
var typeAliases = map[string]dtype.DType{"f16": dtype.Float16, "f32": dtype.Float32, "f64": dtype.Float64, "bf16": dtype.BFloat16,
	"i8": dtype.Int8, "i16": dtype.Int16, "i32": dtype.Int32, "i64": dtype.Int64,
	"u8": dtype.UInt8, "u16": dtype.UInt16, "u32": dtype.UInt32, "u64": dtype.UInt64, "boolean": dtype.BoolType}

// typeName is the type that a member of T is named after.
func typeName(short string) (dtype.DType, bool) {
	if t, ok := typeAliases[short]; ok {
		return t, true
	}
	t, err := dtype.Parse(short)
	return t, err == nil && short != ""
}

// pointerAnnotation reads what T.handle("float32", "shared") points to.
func (b *builder) pointerAnnotation(n node) *tir.Pointer {
	if t, ok := n.(*textNode); ok {
		n = b.quotedExpr(t)
	}
	x, ok := n.(*callNode)
	if !ok || !isT(dotted(x.fn), "handle") && !isT(dotted(x.fn), "Ptr") {
		return nil
	}
	c := &call{at: x.p, name: "T.handle"}
	b.arguments(c, x)
	args := b.named(c, []string{"dtype", "storage_scope"}, 0)
	if len(args) == 0 || args[0].val == nil {
		return nil
	}
	b.quotedType(args[0])
	p := &tir.Pointer{Elem: b.dtypeArg(args[0]), Scope: "global"}
	if len(args) > 1 {
		p.Scope = b.stringArg(args[1])
	}
	return p
}

func (b *builder) bufferAnnotation(q param) *tir.Buffer {
	n := q.ann
	if t, ok := n.(*textNode); ok {
		n = b.quotedExpr(t)
	}
	var c *call
	switch x := n.(type) {
	case *callNode:
		if isT(dotted(x.fn), "Buffer") {
			c = b.opened.put(call{at: x.p, name: "T.Buffer", shapes: true})
			b.arguments(c, x)
		}
	case *indexNode: // T.Buffer[(128, 128), "float32"]
		if isT(dotted(x.x), "Buffer") {
			c = &call{at: n.at(), name: "T.Buffer"}
			for i, it := range x.items {
				read := b.eval
				if i == 0 {
					read = b.shapeValue
				}
				c.args = append(c.args, arg{it.at(), read(it)})
			}
		}
	}
	if c == nil {
		b.fail(q.ann.at(), "parameter %s: expected T.Buffer(…), T.handle or a scalar type", q.name)
	}
	return b.declare(c, q.name, nil, true)
}

// typeOf reads a type annotation.
func (b *builder) typeOf(n node) dtype.DType {
	if id, ok := n.(*nameNode); ok && id.id == "None" {
		return dtype.VoidType
	}
	if c, ok := n.(*callNode); ok && dotted(c.fn) == "I.StringType" && len(c.args)+len(c.kw) == 0 {
		return dtype.StringType
	}
	t, ok := b.scalarAnnotation(n)
	if !ok {
		b.fail(n.at(), "expected a type such as T.int32")
	}
	return t
}

// quotedExpr parses the text of a literal as an expression; everything in it,
// faults included, is at the position of the literal.
func (b *builder) quotedExpr(t *textNode) node {
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(bail); ok {
				b.fail(t.p, "in the quoted expression: %s", e.err.(*Error).Msg)
			}
			panic(r)
		}
	}()
	p := (&source{b.file, t.val}).parser(t.p, b.scratch)
	n := p.expr()
	if k := p.tok.kind; k != newline && k != eof {
		p.fail(t.p, "unexpected %s", p.describe(p.tok))
	}
	return n
}

// cutT strips the dialect prefix of a dotted name.
func cutT(path string) (string, bool) {
	for _, prefix := range []string{"T.", "tir.", "tirx."} {
		if len(path) > len(prefix) && path[:len(prefix)] == prefix {
			return path[len(prefix):], true
		}
	}
	return "", false
}

func isT(path, name string) bool {
	short, ok := cutT(path)
	return ok && short == name
}
