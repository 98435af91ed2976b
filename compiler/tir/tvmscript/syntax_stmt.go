package tvmscript

// file reads the whole text.
func (p *parser) file() []pyStmt {
	for p.peek().kind != eof {
		if p.peek().kind == newline {
			p.advance()
			continue
		}
		p.stmt()
	}
	return p.stmts.take(0)
}

// suite reads the indented body of a compound statement, or the rest of its
// line.
func (p *parser) suite() []pyStmt {
	p.enter(p.peek().pos)
	defer p.leave()
	p.expect(":")
	mark := p.stmts.mark()
	if p.peek().kind != newline {
		p.simpleLine()
		return p.stmts.take(mark)
	}
	p.advance()
	if t := p.peek(); t.kind != indent {
		p.fail(t.pos, "expected an indented block, found %s", t.describe())
	}
	p.advance()
	for p.peek().kind != dedent {
		if p.peek().kind == eof {
			p.fail(p.peek().pos, "the block has no end")
		}
		p.stmt()
	}
	p.advance()
	return p.stmts.take(mark)
}

// stmt reads a statement, or a line of them, onto the pile.
func (p *parser) stmt() {
	t := p.peek()
	if t.kind == indent {
		p.fail(t.pos, "unexpected indentation")
	}
	switch {
	case p.is("@"), p.is("def"), p.is("class"):
		p.stmts.push(p.definition())
	case p.accept("for"):
		target := p.targets()
		p.expect("in")
		iter := p.expr()
		p.stmts.push(&forStmt{t.pos, target, iter, p.suite()})
	case p.accept("if"):
		p.stmts.push(p.ifRest(t.pos))
	case p.accept("while"):
		cond := p.expr()
		p.stmts.push(&whileStmt{t.pos, cond, p.suite()})
	case p.accept("with"):
		s := &withStmt{p: t.pos, item: p.expr()}
		if p.accept("as") {
			s.as = p.targets()
		}
		s.body = p.suite()
		p.stmts.push(s)
	default:
		p.simpleLine()
	}
}

func (p *parser) ifRest(at pos) pyStmt {
	p.enter(at)
	defer p.leave()
	s := &ifStmt{p: at, cond: p.expr()}
	s.then = p.suite()
	if t := p.peek(); p.accept("elif") {
		s.els = []pyStmt{p.ifRest(t.pos)}
	} else if p.accept("else") {
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
		if !p.accept(";") || p.peek().kind == newline {
			break
		}
	}
	if t := p.peek(); t.kind == newline {
		p.advance()
	} else if t.kind != eof && t.kind != dedent {
		p.fail(t.pos, "expected the end of the line, found %s", t.describe())
	}
}

func (p *parser) simple() pyStmt {
	t := p.peek()
	switch {
	case p.accept("pass"):
		return &passStmt{t.pos}
	case p.accept("assert"):
		s := &assertStmt{p: t.pos, cond: p.expr()}
		if p.accept(",") {
			s.msg = p.expr()
		}
		return s
	case p.accept("break"), p.accept("continue"):
		return &jumpStmt{p: t.pos, word: t.val}
	case p.accept("return"):
		s := &jumpStmt{p: t.pos, word: t.val}
		if k := p.peek().kind; k != newline && k != eof && !p.is(";") {
			s.value = p.targets()
		}
		return s
	case p.is("import"), p.is("from"):
		if p.depth > 0 {
			p.fail(t.pos, "imports stand at the top of the text")
		}
		for p.peek().kind != newline && p.peek().kind != eof {
			p.advance()
		}
		return nil
	}
	x := p.targets()
	at := p.peek()
	if at.kind != op {
		return &exprStmt{t.pos, x}
	}
	switch at.val {
	case "=":
		p.advance()
		return p.assignment(t.pos, x)
	case ":":
		p.advance()
		s := &annStmt{p: t.pos, target: x, ann: p.expr()}
		if p.accept("=") {
			s.value = p.targets()
		}
		return s
	case "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "//=", "<<=", ">>=", "**=", "@=":
		p.advance()
		return &augStmt{t.pos, at.val[:len(at.val)-1], x, p.targets()}
	}
	return &exprStmt{t.pos, x}
}

func (p *parser) assignment(at pos, target node) pyStmt {
	value := p.targets()
	if p.is("=") {
		p.fail(p.peek().pos, "chained assignments are not supported")
	}
	return &assignStmt{at, target, value}
}

// targets reads an expression or a bare tuple of them.
func (p *parser) targets() node {
	at := p.peek().pos
	x := p.target()
	if !p.is(",") {
		return x
	}
	mark := p.nodes.mark()
	p.nodes.push(x)
	for p.accept(",") {
		if p.is("=") || p.is("in") || p.peek().kind == newline {
			break
		}
		p.nodes.push(p.target())
	}
	return p.lists.put(listNode{at, p.nodes.take(mark), true})
}

func (p *parser) target() node {
	if t := p.peek(); p.accept("*") {
		return &starNode{t.pos, p.binary(0)}
	}
	return p.expr()
}

func (p *parser) definition() pyStmt {
	at := p.peek().pos
	var decorators []node
	for p.accept("@") {
		decorators = append(decorators, p.expr())
		if t := p.peek(); t.kind != newline {
			p.fail(t.pos, "expected the end of the line, found %s", t.describe())
		}
		p.advance()
	}
	if p.accept("class") {
		s := &classStmt{p: at, decorators: decorators, name: p.ident().val}
		if p.accept("(") {
			p.expect(")")
		}
		s.body = p.suite()
		return s
	}
	p.expect("def")
	id := p.ident()
	s := &funcStmt{p: id.pos, decorators: decorators, name: id.val}
	if p.accept("[") {
		for !p.accept("]") {
			s.typeParams = append(s.typeParams, p.ident().val)
			if p.accept(":") {
				p.expr()
			}
			if !p.accept(",") && !p.is("]") {
				p.expect("]")
			}
		}
	}
	p.expect("(")
	for !p.accept(")") {
		id := p.ident()
		q := param{p: id.pos, name: id.val}
		if p.accept(":") {
			q.ann = p.expr()
		}
		s.params = append(s.params, q)
		if !p.accept(",") && !p.is(")") {
			p.expect(")")
		}
	}
	if p.accept("->") {
		s.returns = p.expr()
	}
	outer := p.old
	p.old = false
	s.body = p.suite()
	s.old, p.old = p.old, p.old || outer
	return s
}
