package tir

import (
	"strings"

	"hone/compiler/dtype"
)

// body prints a function's body: a root block that the parser would add by
// itself is only a comment.
func (p *script) body(s Stmt) {
	if r, ok := s.(*BlockRealize); ok && implicitRoot(r) {
		p.line(`# with T.sblock("root"):`)
		p.allocs(r.Block)
		p.whole(r.Block.Body)
		return
	}
	p.whole(s)
}

// whole prints all that is in a body: attributes around all of it need no with.
func (p *script) whole(s Stmt) {
	a, ok := s.(*AttrStmt)
	if !ok {
		p.stmt(s)
		return
	}
	head, name, body := p.attr(a)
	if name != nil {
		head = p.define(name) + " = " + head
	}
	p.line(head)
	p.whole(body)
}

// attr prints the call that makes an attribute; name is the thread that it
// defines. Attributes about nothing that follow one another are one dict.
func (p *script) attr(s *AttrStmt) (head string, name *Var, body Stmt) {
	if it, ok := s.Node.(*IterVar); ok {
		tag := quote(it.Tag)
		if p.known(it.Var) {
			tag = p.name(it.Var)
		} else {
			name = it.Var
		}
		return "T.launch_thread(" + tag + ", " + p.value(s.Value) + ")", name, s.Body
	}
	if s.Node != nil {
		return "T.attr(" + p.value(s.Node) + ", " + quote(s.Key) + ", " + p.attrValue(s.Value) + ")", nil, s.Body
	}
	var items []string
	seen := map[string]bool{}
	body = s
	for a := s; a != nil && a.Node == nil && !seen[a.Key]; a, _ = body.(*AttrStmt) {
		items = append(items, quote(a.Key)+": "+p.attrValue(a.Value))
		seen[a.Key] = true
		body = a.Body
	}
	return "T.attr({" + strings.Join(items, ", ") + "})", nil, body
}

// implicitRoot reports whether r is what the parser wraps around a body: it has
// nothing of its own but allocations, and parsing the body alone brings it back.
func implicitRoot(r *BlockRealize) bool {
	b := r.Block
	if len(b.Iters)+len(b.Reads)+len(b.Writes)+len(b.Ann)+len(b.Matches) > 0 || b.Init != nil || !IsConst(r.Predicate, 1) {
		return false
	}
	if len(b.Allocs) > 0 {
		return true
	}
	if inner, ok := b.Body.(*BlockRealize); ok {
		return len(inner.Block.Iters) > 0
	}
	return ContainsBlock(b.Body)
}

// ContainsBlock reports whether s or a statement inside it is a block.
func ContainsBlock(s Stmt) bool {
	found := false
	WalkStmt(s, func(x Stmt) bool {
		if _, ok := x.(*BlockRealize); ok {
			found = true
		}
		return !found
	})
	return found
}

// nested prints s one level deeper with names of its own.
func (p *script) nested(s Stmt) {
	p.indent++
	p.push()
	p.whole(s)
	p.pop()
	p.indent--
}

func (p *script) stmt(s Stmt) {
	switch s := s.(type) {
	case *Store:
		value := p.expr(s.Value)
		target := p.name(s.Buffer)
		if !p.isScalar(s.Buffer, s.Indices) {
			target += "[" + p.indices(s.Indices, true) + "]"
		}
		p.line(target + " = " + value)
	case *Seq:
		for i := 0; i < len(s.Stmts); i++ {
			if i+1 < len(s.Stmts) && p.scalarDeclaration(s.Stmts[i], s.Stmts[i+1]) {
				i++
				continue
			}
			p.stmt(s.Stmts[i])
		}
	case *For:
		p.loop(s)
	case *BlockRealize:
		p.block(s)
	case *If:
		p.line("if " + p.expr(s.Cond) + ":")
		p.nested(s.Then)
		if s.Else != nil {
			p.line("else:")
			p.nested(s.Else)
		}
	case *Bind:
		value := p.expr(s.Value)
		p.line(p.define(s.Var) + ": T.let[" + varType(s.Var) + "] = " + value)
	case nil:
		p.line("pass")
	default:
		p.rareStmt(s)
	}
}

func (p *script) rareStmt(s Stmt) {
	switch s := s.(type) {
	case *Evaluate:
		p.evaluate(s.Value)
	case *AllocBuffer:
		p.flatAlloc(s)
	case *DeclBuffer:
		p.declaration(s)
	case *AttrStmt:
		head, name, body := p.attr(s)
		if name != nil {
			p.push()
			head += " as " + p.define(name)
		}
		p.line("with " + head + ":")
		p.nested(body)
		if name != nil {
			p.pop()
		}
	case *While:
		p.line("while " + p.expr(s.Cond) + ":")
		p.nested(s.Body)
	case *Assert:
		kind, parts := s.Kind, make([]string, len(s.Parts))
		if kind == "" {
			kind = "RuntimeError"
		}
		for i, x := range s.Parts {
			parts[i] = quote(x)
		}
		p.line("assert " + p.expr(s.Cond) + ", (" + quote(kind) + ", [" + strings.Join(parts, ", ") + "])")
	default:
		panic("BUG: unknown statement node")
	}
}

// declaration prints a buffer over a pointer, as a view where it is no more than
// another shape for the elements of a buffer.
func (p *script) declaration(s *DeclBuffer) {
	b, data := s.Buffer, p.expr(s.Data)
	if b.Scalar && DeclaredScalar(b) {
		p.declaredScalar(b, data)
		return
	}
	if r, ok := s.Data.(*BufferRef); ok && isView(b, r.Buffer) {
		dims := p.list(b.Shape)
		p.line(p.define(b) + " = " + p.source(r.Buffer) + ".view(" + dims + ")")
		return
	}
	p.line(p.define(b) + " = T.decl_buffer(" + p.declArgs(b, data) + ")")
}

// attrValue prints the value of an attribute: expressions keep their type.
func (p *script) attrValue(v any) string {
	if e, ok := v.(Expr); ok {
		return p.expr(e)
	}
	return p.value(v)
}

func isView(b, of *Buffer) bool {
	same := len(b.Shape) == len(of.Shape)
	for i := 0; same && i < len(b.Shape); i++ {
		same = EqualExpr(b.Shape[i], of.Shape[i])
	}
	return !same && len(b.Shape) > 0 && b.Type == of.Type && scopeOf(b) == scopeOf(of) && alignOf(b) == alignOf(of) && max(b.OffsetFactor, 1) == max(of.OffsetFactor, 1) &&
		len(b.Strides)+len(of.Strides)+len(offsetOf(b))+len(offsetOf(of)) == 0
}

// evaluate prints an expression as a statement: a call stands alone.
func (p *script) evaluate(e Expr) {
	text, _ := p.exprPrec(e)
	switch c, ok := e.(*Call); {
	case ok && c.Op == "ret" && len(c.Args) == 1:
		text = "return " + p.expr(c.Args[0])
	case ok && (strings.HasPrefix(text, "T."+c.Op+"(") || strings.HasPrefix(c.Op, "@")):
	default:
		text = "T.evaluate(" + text + ")"
	}
	p.line(text)
}

// declaredScalar prints a mutable scalar over memory that is there already.
func (p *script) declaredScalar(b *Buffer, data string) {
	p.scalars[b] = true
	args := "T.decl_scalar(" + typeName(b.Type) + ", data=" + data
	if b.ElemOffset != nil {
		args += ", elem_offset=" + p.expr(b.ElemOffset)
	}
	p.line(p.define(b) + " = " + args + ", scope=" + quote(scopeOf(b)) + ")")
}

// DeclaredScalar reports whether b has the form of a mutable scalar, in whatever
// memory: one element.
func DeclaredScalar(b *Buffer) bool {
	return len(b.Shape) == 1 && IsConst(b.Shape[0], 1) && b.Shape[0].DType() == dtype.Int32 && len(b.Strides) == 0 &&
		alignOf(b) == DefaultAlign && b.OffsetFactor <= 1
}

// LocalScalar reports whether b is what a mutable scalar of the script becomes:
// one element in local memory and nothing special about it.
func LocalScalar(b *Buffer) bool {
	return len(b.Shape) == 1 && IsConst(b.Shape[0], 1) && b.Shape[0].DType() == dtype.Int32 && b.Scope == "local" &&
		len(b.Strides) == 0 && b.ElemOffset == nil && alignOf(b) == DefaultAlign && b.OffsetFactor <= 1
}

// isScalar reports whether an access is to the element of a mutable scalar,
// which scripts write as the bare name.
func (p *script) isScalar(b *Buffer, indices []Expr) bool {
	return b.Scalar && p.scalars[b] && len(indices) == 1 && IsConst(indices[0], 0) && indices[0].DType() == dtype.Int32
}

// source names a buffer as a whole; the bare name of a mutable scalar is its
// value.
func (p *script) source(b *Buffer) string {
	if p.scalars[b] {
		return p.name(b) + ".source"
	}
	return p.name(b)
}

// scalarDeclaration prints an allocation and the store right after it as one
// declaration of a mutable scalar, when they are that.
func (p *script) scalarDeclaration(first, second Stmt) bool {
	alloc, ok1 := first.(*AllocBuffer)
	init, ok2 := second.(*Store)
	if !ok1 || !ok2 || init.Buffer != alloc.Buffer || !alloc.Buffer.Scalar || !LocalScalar(alloc.Buffer) || len(alloc.Ann) > 0 || len(init.Indices) != 1 ||
		!IsConst(init.Indices[0], 0) || init.Indices[0].DType() != dtype.Int32 {
		return false
	}
	reads := false
	Walk(init.Value, func(e Expr) bool {
		l, ok := e.(*Load)
		reads = reads || ok && l.Buffer == alloc.Buffer
		return true
	})
	if reads {
		return false
	}
	value := p.expr(init.Value)
	p.scalars[alloc.Buffer] = true
	p.line(p.define(alloc.Buffer) + ": " + typeName(alloc.Buffer.Type) + " = " + value)
	return true
}

// flatAlloc prints an allocation statement of lowered code.
func (p *script) flatAlloc(s *AllocBuffer) {
	name, maker := p.define(s.Buffer), "T.alloc_buffer("
	if s.Buffer.Scalar && !LocalScalar(s.Buffer) && DeclaredScalar(s.Buffer) && len(s.Ann) == 0 {
		p.scalars[s.Buffer] = true
		p.line(name + " = T.alloc_scalar(" + quote(s.Buffer.Type.String()) + ", scope=" + quote(scopeOf(s.Buffer)) + ")")
		return
	}
	if s.Buffer.Scalar && LocalScalar(s.Buffer) && len(s.Ann) == 0 {
		p.scalars[s.Buffer] = true
		p.line(name + ": " + typeName(s.Buffer.Type))
		return
	}
	b := *s.Buffer
	switch b.Scope {
	case "local":
		maker, b.Scope = "T.alloc_local(", "global"
	case "shared":
		maker, b.Scope = "T.alloc_shared(", "global"
	}
	args := p.bufferArgs(&b, false, false)
	if len(s.Ann) > 0 {
		args += ", annotations=" + p.typedValues(s.Ann)
	}
	p.line(name + " = " + maker + args + ")")
}

// loop prints a loop, or the longest chain of plain loops as one T.grid.
func (p *script) loop(s *For) {
	p.push()
	defer p.pop()
	chain := gridChain(s)
	if len(chain) < 2 {
		head := p.loopRange(s)
		p.enter(s)
		p.line("for " + p.name(s.Var) + " in " + head + ":")
		p.nested(s.Body)
		p.leave(s)
		return
	}
	vars, extents := make([]string, len(chain)), make([]string, len(chain))
	for i, l := range chain {
		extents[i] = p.expr(l.Extent)
	}
	for i, l := range chain {
		p.enter(l)
		vars[i] = p.name(l.Var)
	}
	p.line("for " + strings.Join(vars, ", ") + " in T.grid(" + strings.Join(extents, ", ") + "):")
	p.nested(chain[len(chain)-1].Body)
	for _, l := range chain {
		p.leave(l)
	}
}

func (p *script) enter(l *For) {
	p.define(l.Var)
	p.loops[l.Var] = l
}

func (p *script) leave(l *For) { delete(p.loops, l.Var) }

// gridChain is s and the loops right inside it that T.grid can express: serial
// from 0, nothing attached, extents free of the chain's variables.
func gridChain(s *For) []*For {
	var chain []*For
	mine := map[*Var]bool{}
	for s != nil && s.Kind == Serial && s.Step == nil && len(s.Ann) == 0 && IsConst(s.Min, 0) &&
		!UsesVar(s.Extent, func(v *Var) bool { return mine[v] }) {
		chain = append(chain, s)
		mine[s.Var] = true
		s, _ = s.Body.(*For)
	}
	return chain
}

var loopMakers = map[LoopKind]string{Serial: "T.serial", Parallel: "T.parallel", Vectorized: "T.vectorized",
	Unrolled: "T.unroll", ThreadBinding: "T.thread_binding"}

func (p *script) loopRange(s *For) string {
	var args []string
	if !IsConst(s.Min, 0) || s.Step != nil {
		args = append(args, p.expr(s.Min), p.expr(Add(s.Min, s.Extent)))
	} else {
		args = append(args, p.expr(s.Extent))
	}
	maker := loopMakers[s.Kind]
	if s.Kind == Serial && len(s.Ann) == 0 {
		maker = "range"
	}
	if s.Kind == ThreadBinding && s.Thread != nil {
		args = append(args, "thread="+quote(s.Thread.Tag))
	}
	if len(s.Ann) > 0 {
		args = append(args, p.loopAnnotations(s.Ann))
	}
	if s.Step != nil {
		step := p.expr(s.Step)
		if maker != "range" {
			step = "step=" + step
		}
		args = append(args, step)
	}
	return maker + "(" + strings.Join(args, ", ") + ")"
}

func (p *script) loopAnnotations(a Annotations) string {
	if len(a) == 1 {
		switch v := a[0].Value.(type) {
		case bool:
			if v && a[0].Key == "pragma_unroll" {
				return "unroll=True"
			}
			if v && a[0].Key == "disable_unroll" {
				return "unroll=False"
			}
		case int64:
			if a[0].Key == "pragma_unroll" {
				return "unroll=" + p.value(v)
			}
		}
	}
	return "annotations=" + p.value(a)
}
