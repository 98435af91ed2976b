package tvmscript

import (
	"strconv"
	"strings"
)

// parser reads tokens into the syntax tree.
type parser struct {
	*source
	toks  []token
	i     int
	depth int
}

func (p *parser) peek() token { return p.toks[p.i] }

func (p *parser) is(val string) bool {
	t := p.toks[p.i]
	return (t.kind == op || t.kind == name) && t.val == val
}

// accept skips the operator or keyword when it comes next.
func (p *parser) accept(val string) bool {
	if p.is(val) {
		p.i++
		return true
	}
	return false
}

func (p *parser) expect(val string) token {
	t := p.peek()
	if !p.is(val) {
		p.fail(t.pos, "expected %q, found %s", val, t.describe())
	}
	p.i++
	return t
}

func (p *parser) ident() token {
	t := p.peek()
	if t.kind != name || keywords[t.val] {
		p.fail(t.pos, "expected a name, found %s", t.describe())
	}
	p.i++
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
		p.i++
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
		p.i++
		x = &binNode{t.pos, t.val, x, p.binary(level + 1)}
	}
}

func (p *parser) unary() node {
	t := p.peek()
	if t.kind == op && (t.val == "-" || t.val == "+" || t.val == "~") {
		p.enter(t.pos)
		defer p.leave()
		p.i++
		return &unaryNode{t.pos, t.val, p.unary()}
	}
	x := p.postfix()
	if t := p.peek(); p.accept("**") {
		return &binNode{t.pos, "**", x, p.unary()}
	}
	return x
}

func (p *parser) postfix() node {
	x := p.atom()
	for {
		t := p.peek()
		switch {
		case p.accept("."):
			x = &attrNode{t.pos, x, p.ident().val}
		case p.accept("("):
			x = p.call(x, t.pos)
		case p.accept("["):
			x = &indexNode{t.pos, x, p.subscripts()}
		default:
			return x
		}
	}
}

func (p *parser) call(fn node, at pos) node {
	n := &callNode{p: fn.at(), fn: fn}
	if a, ok := fn.(*attrNode); ok {
		n.p = leftmost(a)
	}
	for !p.accept(")") {
		t := p.peek()
		switch {
		case t.kind == name && p.toks[p.i+1].kind == op && p.toks[p.i+1].val == "=":
			p.i += 2
			n.kw = append(n.kw, keyword{t.pos, t.val, p.expr()})
		case p.accept("*"):
			n.args = append(n.args, &starNode{t.pos, p.expr()})
		case len(n.kw) > 0:
			p.fail(t.pos, "an argument without a name follows one with a name")
		default:
			n.args = append(n.args, p.expr())
			if p.is("for") && len(n.args) == 1 {
				n.args[0] = p.comprehension(n.args[0])
			}
		}
		if !p.accept(",") && !p.is(")") {
			p.fail(p.peek().pos, "expected \",\" or \")\", found %s (the bracket opens at column %d)", p.peek().describe(), p.fault(at, "").Col)
		}
	}
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
	var out []node
	for !p.accept("]") {
		out = append(out, p.subscript())
		if !p.accept(",") {
			p.expect("]")
			break
		}
	}
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
		p.i++
		return &nameNode{t.pos, t.val}
	case integer:
		p.i++
		v, err := strconv.ParseInt(t.val, 0, 64)
		if err != nil {
			u, uerr := strconv.ParseUint(t.val, 0, 64)
			if uerr != nil {
				p.fail(t.pos, "%s is not an integer of 64 bits", t.val)
			}
			v = int64(u)
		}
		return &intNode{t.pos, v}
	case float:
		p.i++
		v, err := strconv.ParseFloat(t.val, 64)
		if err != nil && v == 0 {
			p.fail(t.pos, "%s is not a number", t.val)
		}
		return &floatNode{t.pos, v}
	case text:
		var b strings.Builder
		for ; p.peek().kind == text; p.i++ {
			b.WriteString(p.peek().val)
		}
		return &textNode{t.pos, b.String()}
	case op:
		switch t.val {
		case "(", "[":
			p.i++
			return p.list(t)
		case "{":
			p.i++
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
	n := &listNode{p: open.pos, tuple: open.val == "("}
	comma := false
	for !p.accept(end) {
		if t := p.peek(); p.accept("*") {
			n.items = append(n.items, &starNode{t.pos, p.expr()})
		} else {
			n.items = append(n.items, p.expr())
		}
		if p.is("for") && len(n.items) == 1 {
			c := p.comprehension(n.items[0])
			p.expect(end)
			return c
		}
		if p.accept(",") {
			comma = true
		} else if !p.is(end) {
			p.expect(end)
		}
	}
	if n.tuple && !comma && len(n.items) == 1 {
		return n.items[0]
	}
	return n
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
