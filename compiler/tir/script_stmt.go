package tir

import (
	"strings"
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
		p.line(p.name(s.Buffer) + "[" + p.indices(s.Indices, true) + "] = " + value)
	case *Seq:
		for _, x := range s.Stmts {
			p.stmt(x)
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

// flatAlloc prints an allocation statement of lowered code.
func (p *script) flatAlloc(s *AllocBuffer) {
	name, maker := p.define(s.Buffer), "T.alloc_buffer("
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
