package tvmscript

// file reads the whole text.
func (p *parser) file() (all []pyStmt) {
	for {
		stmts, more := p.outer()
		if !more {
			return all
		}
		all = append(all, stmts...)
	}
}

// outer reads the next statement outside of any other, or a line of them; more is
// false at the end of the text.
func (p *parser) outer() (stmts []pyStmt, more bool) {
	for p.accept(newline) {
	}
	if p.tok.kind == eof {
		return nil, false
	}
	p.stmt()
	return p.stmts.take(0), true
}

// member is outer inside the class that was read last.
func (p *parser) member() (stmts []pyStmt, more bool) {
	if !p.inClass {
		return nil, false
	}
	if p.ends() {
		p.inClass = false
		p.leave()
		return nil, false
	}
	mark := p.stmts.mark()
	p.stmt()
	return p.stmts.take(mark), true
}

// suite reads the indented body of a compound statement, or the rest of its
// line.
func (p *parser) suite() []pyStmt {
	p.enter(p.tok.pos)
	mark := p.stmts.mark()
	if !p.begins() {
		p.simpleLine()
	} else {
		for !p.ends() {
			p.stmt()
		}
	}
	p.leave()
	return p.stmts.take(mark)
}

// begins reads up to the first statement of a body; it reports whether the body
// is indented.
func (p *parser) begins() bool {
	p.expect(opColon)
	if !p.accept(newline) {
		return false
	}
	if t := p.tok; !p.accept(indent) {
		p.fail(t.pos, "expected an indented block, found %s", p.describe(t))
	}
	return true
}

// ends skips the end of an indented body.
func (p *parser) ends() bool {
	if p.tok.kind == eof {
		p.fail(p.tok.pos, "the block has no end")
	}
	return p.accept(dedent)
}

// stmt reads a statement, or a line of them, onto the pile.
func (p *parser) stmt() {
	t := p.tok
	if t.kind == indent {
		p.fail(t.pos, "unexpected indentation")
	}
	switch t.kind {
	case opAt, kwDef, kwClass:
		p.stmts.push(p.definition())
	case kwFor:
		p.advance()
		target := p.targets()
		p.expect(kwIn)
		iter := p.expr()
		p.stmts.push(p.fors.put(forStmt{t.pos, target, iter, p.suite()}))
	case kwIf:
		p.advance()
		p.stmts.push(p.ifRest(t.pos))
	case kwWhile:
		p.advance()
		cond := p.expr()
		p.stmts.push(&whileStmt{t.pos, cond, p.suite()})
	case kwWith:
		p.advance()
		p.stmts.push(p.withRest(t.pos))
	default:
		p.simpleLine()
	}
}

// withRest reads the items of a with statement, each inside the one before, and
// the body.
func (p *parser) withRest(at pos) pyStmt {
	p.enter(at)
	defer p.leave()
	s := p.withs.put(withStmt{p: at, item: p.expr()})
	if p.accept(kwAs) {
		s.as = p.target()
	}
	if p.accept(opComma) {
		s.body = []pyStmt{p.withRest(at)}
	} else {
		s.body = p.suite()
	}
	return s
}

func (p *parser) ifRest(at pos) pyStmt {
	p.enter(at)
	defer p.leave()
	s := &ifStmt{p: at, cond: p.expr()}
	s.then = p.suite()
	if t := p.tok; p.accept(kwElif) {
		s.els = []pyStmt{p.ifRest(t.pos)}
	} else if p.accept(kwElse) {
		s.els = p.suite()
	}
	return s
}

// simpleLine reads statements separated by semicolons up to the end of a line.
func (p *parser) simpleLine() {
	for {
		if s := p.simple(); s != nil {
			p.stmts.push(s)
		}
		if !p.accept(opSemicolon) || p.tok.kind == newline {
			break
		}
	}
	if t := p.tok; t.kind == newline {
		p.advance()
	} else if t.kind != eof && t.kind != dedent {
		p.fail(t.pos, "expected the end of the line, found %s", p.describe(t))
	}
}

func (p *parser) simple() pyStmt {
	t := p.tok
	switch t.kind {
	case kwPass:
		p.advance()
		return &passStmt{t.pos}
	case kwAssert:
		p.advance()
		s := &assertStmt{p: t.pos, cond: p.expr()}
		if p.accept(opComma) {
			s.msg = p.expr()
		}
		return s
	case kwBreak, kwContinue:
		p.advance()
		return &jumpStmt{p: t.pos, word: t.kind.String()}
	case kwReturn:
		p.advance()
		s := &jumpStmt{p: t.pos, word: t.kind.String()}
		if k := p.tok.kind; k != newline && k != eof && !p.is(opSemicolon) {
			s.value = p.targets()
		}
		return s
	case kwImport, kwFrom:
		if p.depth > 0 {
			p.fail(t.pos, "imports stand at the top of the text")
		}
		for p.tok.kind != newline && p.tok.kind != eof {
			p.advance()
		}
		return nil
	}
	x := p.targets()
	switch at := p.tok; at.kind {
	case opAssign:
		p.advance()
		return p.assignment(t.pos, x)
	case opColon:
		p.advance()
		s := &annStmt{p: t.pos, target: x, ann: p.expr()}
		if p.accept(opAssign) {
			s.value = p.targets()
		}
		return s
	case opAugmented:
		op := updated(p.val(at))
		p.advance()
		return &augStmt{t.pos, op, x, p.targets()}
	}
	return p.exprs.put(exprStmt{t.pos, x})
}

func (p *parser) assignment(at pos, target node) pyStmt {
	value := p.targets()
	if p.is(opAssign) {
		p.fail(p.tok.pos, "chained assignments are not supported")
	}
	return p.assigns.put(assignStmt{at, target, value})
}

// targets reads an expression or a bare tuple of them.
func (p *parser) targets() node {
	at := p.tok.pos
	x := p.target()
	if !p.is(opComma) {
		return x
	}
	mark := p.nodes.mark()
	p.nodes.push(x)
	for p.accept(opComma) {
		if p.is(opAssign) || p.is(kwIn) || p.tok.kind == newline {
			break
		}
		p.nodes.push(p.target())
	}
	return p.lists.put(listNode{at, p.nodes.take(mark), true})
}

func (p *parser) target() node {
	if t := p.tok; p.accept(opStar) {
		return &starNode{t.pos, p.binary(levelBar)}
	}
	return p.expr()
}

func (p *parser) definition() pyStmt {
	at := p.tok.pos
	mark := p.nodes.mark()
	for p.accept(opAt) {
		p.nodes.push(p.expr())
		if t := p.tok; t.kind != newline {
			p.fail(t.pos, "expected the end of the line, found %s", p.describe(t))
		}
		p.advance()
	}
	decorators := p.nodes.take(mark)
	if p.accept(kwClass) {
		return p.class(at, decorators)
	}
	p.expect(kwDef)
	id := p.ident()
	s := p.funcs.put(funcStmt{p: id.pos, decorators: decorators, name: p.val(id)})
	if p.accept(opLbracket) {
		for !p.accept(opRbracket) {
			s.typeParams = append(s.typeParams, p.val(p.ident()))
			if p.accept(opColon) {
				p.expr()
			}
			if !p.accept(opComma) && !p.is(opRbracket) {
				p.expect(opRbracket)
			}
		}
	}
	s.params = p.paramList()
	if p.accept(opArrow) {
		s.returns = p.expr()
	}
	outer := p.old
	p.old = false
	s.body = p.suite()
	s.size = int(p.tok.from - s.p)
	s.old, p.old = p.old, p.old || outer
	return s
}

func (p *parser) paramList() []param {
	p.expect(opLparen)
	mark := p.params.mark()
	for !p.accept(opRparen) {
		id := p.ident()
		q := param{p: id.pos, name: p.val(id)}
		if p.accept(opColon) {
			q.ann = p.expr()
		}
		p.params.push(q)
		if !p.accept(opComma) && !p.is(opRparen) {
			p.expect(opRparen)
		}
	}
	return p.params.take(mark)
}

// class reads the head of a class; member reads what is inside.
func (p *parser) class(at pos, decorators []node) pyStmt {
	if p.depth > 0 {
		p.fail(at, "a class is not allowed inside of another statement")
	}
	s := &classStmt{p: at, decorators: decorators, name: p.val(p.ident())}
	if p.accept(opLparen) {
		p.expect(opRparen)
	}
	p.enter(at)
	if p.inClass = p.begins(); !p.inClass {
		p.fail(p.tok.pos, "the statements of a class stand on lines of their own")
	}
	return s
}
