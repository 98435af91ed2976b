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
		p.stmt(r.Block.Body)
		return
	}
	p.stmt(s)
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
	p.stmt(s)
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
		p.line(p.define(s.Var) + ": T.let[" + typeName(s.Var.Type) + "] = " + value)
	case nil:
		p.line("pass")
	default:
		p.rareStmt(s)
	}
}

func (p *script) rareStmt(s Stmt) {
	switch s := s.(type) {
	case *Evaluate:
		text, _ := p.exprPrec(s.Value)
		if c, ok := s.Value.(*Call); !ok || !strings.HasPrefix(text, "T."+c.Op+"(") {
			text = "T.evaluate(" + text + ")"
		}
		p.line(text)
	case *AllocBuffer:
		p.flatAlloc(s)
	case *AttrStmt:
		p.line("with T.attr({" + quote(s.Key) + ": " + p.value(s.Value) + "}):")
		p.nested(s.Body)
	case *While:
		p.line("while " + p.expr(s.Cond) + ":")
		p.nested(s.Body)
	case *Assert:
		p.line("assert " + p.expr(s.Cond) + `, ("RuntimeError", [` + quote(s.Message) + "])")
	default:
		panic("BUG: unknown statement node")
	}
}

// localScalar reports whether b is what a mutable scalar of the script becomes:
// one element in local memory and nothing special about it.
func localScalar(b *Buffer) bool {
	return len(b.Shape) == 1 && IsConst(b.Shape[0], 1) && b.Shape[0].DType() == dtype.Int32 && b.Scope == "local" &&
		len(b.Strides) == 0 && b.ElemOffset == nil && alignOf(b) == DefaultAlign && b.OffsetFactor <= 1
}

// isScalar reports whether an access is to the element of a mutable scalar,
// which scripts write as the bare name.
func (p *script) isScalar(b *Buffer, indices []Expr) bool {
	return p.scalars[b] && len(indices) == 1 && IsConst(indices[0], 0) && indices[0].DType() == dtype.Int32
}

// scalarDeclaration prints an allocation and the store right after it as one
// declaration of a mutable scalar, when they are that.
func (p *script) scalarDeclaration(first, second Stmt) bool {
	alloc, ok1 := first.(*AllocBuffer)
	init, ok2 := second.(*Store)
	if !ok1 || !ok2 || init.Buffer != alloc.Buffer || !localScalar(alloc.Buffer) || len(alloc.Ann) > 0 || len(init.Indices) != 1 ||
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
	if localScalar(s.Buffer) && len(s.Ann) == 0 {
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
		args += ", annotations=" + p.value(s.Ann)
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
