package tvmscript

import "strconv"

// parser reads tokens into the syntax tree.
type parser struct {
	lexer
	depth int
	old   bool // spellings of releases up to 0.20 were found
	paths map[dottedPath]string

	nodes    pile[node]
	stmts    pile[pyStmt]
	keywords pile[keyword]
	names    slab[nameNode]
	ints     slab[intNode]
	attrs    slab[attrNode]
	calls    slab[callNode]
	indices  slab[indexNode]
	bins     slab[binNode]
	lists    slab[listNode]
}

// dottedPath is the key of an attribute's path.
type dottedPath struct{ of, name string }

func (s *source) parser(place pos) *parser {
	p := &parser{lexer: s.lexer(place), paths: map[dottedPath]string{}}
	p.advance()
	return p
}

func (p *parser) peek() token { return p.tok }

func (p *parser) is(val string) bool {
	return p.tok.val == val && (p.tok.kind == op || p.tok.kind == name)
}

// accept skips the operator or keyword when it comes next.
func (p *parser) accept(val string) bool {
	if p.is(val) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(val string) token {
	t := p.peek()
	if !p.is(val) {
		p.fail(t.pos, "expected %q, found %s", val, t.describe())
	}
	p.advance()
	return t
}

func (p *parser) ident() token {
	t := p.peek()
	if t.kind != name || keywords[t.val] {
		p.fail(t.pos, "expected a name, found %s", t.describe())
	}
	p.advance()
	return t
}

func (t token) describe() string {
	switch t.kind {
	case eof:
		return "the end of the text"
	case newline:
		return "the end of the line"
	case indent:
		return "an indented line"
	case dedent:
		return "the end of the block"
	case text:
		return "a text literal"
	}
	return strconv.Quote(t.val)
}

var keywords = map[string]bool{"and": true, "or": true, "not": true, "if": true, "else": true, "elif": true, "for": true,
	"in": true, "while": true, "with": true, "as": true, "def": true, "class": true, "pass": true, "assert": true,
	"lambda": true, "return": true, "import": true, "from": true, "is": true, "break": true, "continue": true}

// enter guards the recursion; leave ends what enter began. A fault ends it all.
func (p *parser) enter(at pos) {
	p.depth++
	if p.depth > maxDepth {
		p.fail(at, "nested too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

// expr reads a conditional expression or a lambda.
func (p *parser) expr() node {
	p.enter(p.peek().pos)
	defer p.leave()
	if t := p.peek(); p.accept("lambda") {
		return p.lambda(t.pos)
	}
	x := p.or()
	if t := p.peek(); p.accept("if") {
		cond := p.or()
		p.expect("else")
		return &ifNode{t.pos, cond, x, p.expr()}
	}
	return x
}

func (p *parser) lambda(at pos) node {
	n := &lamNode{p: at}
	for !p.is(":") {
		star := p.accept("*")
		id := p.ident().val
		if star {
			id = "*" + id
		}
		n.params = append(n.params, id)
		if !p.accept(",") {
			break
		}
	}
	p.expect(":")
	n.body = p.expr()
	return n
}

func (p *parser) or() node  { return p.logic("or", p.and) }
func (p *parser) and() node { return p.logic("and", p.not) }

func (p *parser) logic(word string, sub func() node) node {
	x := sub()
	if !p.is(word) {
		return x
	}
	n := &logicNode{p.peek().pos, word, []node{x}}
	for p.accept(word) {
		n.items = append(n.items, sub())
	}
	return n
}

func (p *parser) not() node {
	if t := p.peek(); p.accept("not") {
		p.enter(t.pos)
		defer p.leave()
		return &unaryNode{t.pos, "not", p.not()}
	}
	return p.comparison()
}

var comparisons = map[string]bool{"<": true, "<=": true, ">": true, ">=": true, "==": true, "!=": true}

func (p *parser) comparison() node {
	x := p.binary(0)
	t := p.peek()
	if t.kind != op || !comparisons[t.val] {
		return x
	}
	n := &cmpNode{t.pos, nil, []node{x}}
	for t := p.peek(); t.kind == op && comparisons[t.val]; t = p.peek() {
		p.advance()
		n.ops = append(n.ops, t.val)
		n.items = append(n.items, p.binary(0))
	}
	return n
}

// precedence of the binary operators, loosest first.
var precedence = map[string]int{"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6, "@": 6}

// binary reads operators that bind at least as tightly as least.
func (p *parser) binary(least int) node {
	x := p.unary()
	for {
		t := p.peek()
		if t.kind != op {
			return x
		}
		level := precedence[t.val]
		if level == 0 || level < least {
			return x
		}
		p.advance()
		x = p.bins.put(binNode{t.pos, t.val, x, p.binary(level + 1)})
	}
}

func (p *parser) unary() node {
	t := p.peek()
	if t.kind == op && (t.val == "-" || t.val == "+" || t.val == "~") {
		p.enter(t.pos)
		defer p.leave()
		p.advance()
		return &unaryNode{t.pos, t.val, p.unary()}
	}
	x := p.postfix()
	if t := p.peek(); p.accept("**") {
		return p.bins.put(binNode{t.pos, "**", x, p.unary()})
	}
	return x
}

func (p *parser) postfix() node {
	x := p.atom()
	for {
		t := p.peek()
		switch {
		case p.accept("."):
			x = p.attribute(t.pos, x, p.ident().val)
		case p.accept("("):
			x = p.call(x, t.pos)
		case p.accept("["):
			x = p.indices.put(indexNode{t.pos, x, p.subscripts()})
		default:
			return x
		}
	}
}

func (p *parser) call(fn node, at pos) node {
	n := p.calls.put(callNode{p: leftmost(fn), fn: fn})
	args, kw := p.nodes.mark(), p.keywords.mark()
	for !p.accept(")") {
		t := p.peek()
		if p.accept("*") {
			p.nodes.push(&starNode{t.pos, p.expr()})
		} else {
			p.argument(t, args, kw)
		}
		if !p.accept(",") && !p.is(")") {
			p.fail(p.peek().pos, "expected \",\" or \")\", found %s (the bracket opens at column %d)", p.peek().describe(), p.fault(at, "").Col)
		}
	}
	n.args, n.kw = p.nodes.take(args), p.keywords.take(kw)
	return n
}

// argument reads an argument of a call that begins with the token t.
func (p *parser) argument(t token, args, kw int) {
	x := p.expr()
	if id, ok := x.(*nameNode); ok && t.kind == name && p.accept("=") {
		p.keywords.push(keyword{t.pos, id.id, p.expr()})
		return
	}
	if p.keywords.mark() > kw {
		p.fail(t.pos, "an argument without a name follows one with a name")
	}
	if p.is("for") && p.nodes.mark() == args {
		x = p.comprehension(x)
	}
	p.nodes.push(x)
}

// maxPath bounds dotted names: every prefix of one is kept.
const maxPath = 200

// attribute makes x.name, and its path when x is a dotted name.
func (p *parser) attribute(at pos, x node, name string) node {
	n := p.attrs.put(attrNode{p: at, x: x, name: name})
	of := dotted(x)
	if of == "" || len(of) > maxPath {
		return n
	}
	if (of == "T" || of == "tir") && (name == "block" || name == "block_attr") {
		p.old = true
	}
	key := dottedPath{of, name}
	path, ok := p.paths[key]
	if !ok {
		path = of + "." + name
		p.paths[key] = path
	}
	n.path = path
	return n
}

func leftmost(n node) pos {
	for {
		a, ok := n.(*attrNode)
		if !ok {
			return n.at()
		}
		n = a.x
	}
}

// subscripts reads indices and slices up to "]".
func (p *parser) subscripts() []node {
	mark := p.nodes.mark()
	for !p.accept("]") {
		p.nodes.push(p.subscript())
		if !p.accept(",") {
			p.expect("]")
			break
		}
	}
	out := p.nodes.take(mark)
	if len(out) == 0 {
		p.fail(p.peek().pos, "no index")
	}
	return out
}

func (p *parser) subscript() node {
	t := p.peek()
	var lo node
	if p.accept("*") {
		return &starNode{t.pos, p.expr()}
	}
	if !p.is(":") {
		lo = p.expr()
		if !p.is(":") {
			return lo
		}
	}
	n := &sliceNode{p: t.pos, lo: lo}
	p.expect(":")
	if !p.is(":") && !p.is(",") && !p.is("]") {
		n.hi = p.expr()
	}
	if p.accept(":") && !p.is(",") && !p.is("]") {
		n.step = p.expr()
	}
	return n
}

func (p *parser) atom() node {
	t := p.peek()
	switch t.kind {
	case name:
		if keywords[t.val] {
			break
		}
		p.advance()
		return p.names.put(nameNode{t.pos, t.val})
	case integer:
		p.advance()
		v, err := strconv.ParseInt(t.val, 0, 64)
		if err != nil {
			u, uerr := strconv.ParseUint(t.val, 0, 64)
			if uerr != nil {
				p.fail(t.pos, "%s is not an integer of 64 bits", t.val)
			}
			v = int64(u)
		}
		return p.ints.put(intNode{t.pos, v})
	case float:
		p.advance()
		v, err := strconv.ParseFloat(t.val, 64)
		if err != nil && v == 0 {
			p.fail(t.pos, "%s is not a number", t.val)
		}
		return &floatNode{t.pos, v}
	case text:
		p.advance()
		val := t.val
		for ; p.peek().kind == text; p.advance() {
			val += p.peek().val
		}
		return &textNode{t.pos, val}
	case op:
		switch t.val {
		case "(", "[":
			p.advance()
			return p.list(t)
		case "{":
			p.advance()
			return p.dict(t.pos)
		}
	}
	p.fail(t.pos, "expected an expression, found %s", t.describe())
	return nil
}

// list reads a tuple, a parenthesised expression or a list after its bracket.
func (p *parser) list(open token) node {
	end := ")"
	if open.val == "[" {
		end = "]"
	}
	tuple := open.val == "("
	mark := p.nodes.mark()
	comma := false
	for !p.accept(end) {
		if t := p.peek(); p.accept("*") {
			p.nodes.push(&starNode{t.pos, p.expr()})
		} else {
			p.nodes.push(p.expr())
		}
		if p.is("for") && p.nodes.mark() == mark+1 {
			c := p.comprehension(p.nodes.take(mark)[0])
			p.expect(end)
			return c
		}
		if p.accept(",") {
			comma = true
		} else if !p.is(end) {
			p.expect(end)
		}
	}
	items := p.nodes.take(mark)
	if tuple && !comma && len(items) == 1 {
		return items[0]
	}
	return p.lists.put(listNode{open.pos, items, tuple})
}

// comprehension reads what follows its item.
func (p *parser) comprehension(item node) node {
	n := &compNode{p: p.expect("for").pos, item: item, target: p.targets()}
	p.expect("in")
	n.iter = p.or()
	for p.accept("if") {
		n.conds = append(n.conds, p.or())
	}
	return n
}

func (p *parser) dict(at pos) node {
	n := &dictNode{p: at}
	for !p.accept("}") {
		n.keys = append(n.keys, p.expr())
		p.expect(":")
		n.vals = append(n.vals, p.expr())
		if !p.accept(",") && !p.is("}") {
			p.expect("}")
		}
	}
	return n
}
