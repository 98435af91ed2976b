package tvmscript

import (
	"strconv"
	"strings"
)

// parser reads tokens into the syntax tree.
type parser struct {
	lexer
	*scratch
	depth   int
	old     bool // spellings of releases up to 0.20 were found
	inClass bool // between the statements of a class
}

func (s *source) parser(place pos, r *scratch) *parser {
	p := &parser{lexer: s.lexer(place), scratch: r}
	p.advance()
	return p
}

func (p *parser) is(k kind) bool { return p.tok.kind == k }

// accept skips a token of kind k when it comes next.
func (p *parser) accept(k kind) bool {
	if p.tok.kind != k {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(k kind) token {
	t := p.tok
	if t.kind != k {
		p.fail(t.pos, "expected %q, found %s", spelling[k], p.describe(t))
	}
	p.advance()
	return t
}

func (p *parser) ident() token {
	t := p.tok
	if t.kind != name {
		p.fail(t.pos, "expected a name, found %s", p.describe(t))
	}
	p.advance()
	return t
}

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
	at := p.tok.pos
	p.enter(at)
	var x node
	if p.accept(kwLambda) {
		x = p.lambda(at)
	} else {
		x = p.binary(levelOr)
	}
	if t := p.tok; p.accept(kwIf) {
		cond := p.binary(levelOr)
		p.expect(kwElse)
		x = &ifNode{t.pos, cond, x, p.expr()}
	}
	p.leave()
	return x
}

func (p *parser) lambda(at pos) node {
	n := &lamNode{p: at}
	for !p.is(opColon) {
		star := p.accept(opStar)
		id := p.val(p.ident())
		if star {
			id = "*" + id
		}
		n.params = append(n.params, id)
		if !p.accept(opComma) {
			break
		}
	}
	p.expect(opColon)
	n.body = p.expr()
	return n
}

// binary reads operators that bind at least as tightly as least.
func (p *parser) binary(least uint8) node {
	x := p.prefix(least)
	for {
		t := p.tok
		level := levels[t.kind]
		if level == noLevel || level < least {
			return x
		}
		switch level {
		case levelOr, levelAnd:
			x = p.logic(x, level)
		case levelCompare:
			x = p.comparison(x)
		default:
			p.advance()
			x = p.bins.put(binNode{t.pos, t.kind, x, p.binary(level + 1)})
		}
	}
}

// logic reads what `and` or `or` joins to x.
func (p *parser) logic(x node, level uint8) node {
	t := p.tok
	n := &logicNode{t.pos, t.kind, []node{x}}
	for p.accept(t.kind) {
		n.items = append(n.items, p.binary(level+1))
	}
	return n
}

// comparison reads the chain of comparisons that begins with x.
func (p *parser) comparison(x node) node {
	n := &cmpNode{p.tok.pos, nil, []node{x}}
	for levels[p.tok.kind] == levelCompare {
		n.ops = append(n.ops, p.tok.kind)
		p.advance()
		n.items = append(n.items, p.binary(levelBar))
	}
	return n
}

// prefix reads `not` where an operand this loose may stand, a sign, or a power.
func (p *parser) prefix(least uint8) node {
	t := p.tok
	switch t.kind {
	case kwNot:
		if least > levelNot {
			break
		}
		return p.unary(t, levelNot)
	case opMinus, opPlus, opTilde:
		return p.unary(t, levelUnary)
	}
	x := p.postfix()
	if t := p.tok; t.kind == opPower {
		p.enter(t.pos)
		p.advance()
		x = p.bins.put(binNode{t.pos, t.kind, x, p.prefix(levelUnary)})
		p.leave()
	}
	return x
}

func (p *parser) unary(t token, level uint8) node {
	p.enter(t.pos)
	p.advance()
	n := &unaryNode{t.pos, t.kind, p.binary(level)}
	p.leave()
	return n
}

func (p *parser) postfix() node {
	x := p.atom()
	for {
		t := p.tok
		switch t.kind {
		case opDot:
			p.advance()
			x = p.attribute(t.pos, x, p.ident())
		case opLparen:
			p.advance()
			x = p.call(x, t.pos)
		case opLbracket:
			p.advance()
			x = p.indices.put(indexNode{t.pos, x, p.subscripts()})
		default:
			return x
		}
	}
}

func (p *parser) call(fn node, at pos) node {
	n := p.calls.put(callNode{p: fn.at(), fn: fn})
	args, kw := p.nodes.mark(), p.keywords.mark()
	for !p.accept(opRparen) {
		t := p.tok
		if p.accept(opStar) {
			p.nodes.push(&starNode{t.pos, p.expr()})
		} else {
			p.argument(t, args, kw)
		}
		if !p.accept(opComma) && !p.is(opRparen) {
			p.fail(p.tok.pos, "expected \",\" or \")\", found %s (the bracket opens at column %d)", p.describe(p.tok), p.fault(at, "").Col)
		}
	}
	n.args, n.kw = p.nodes.take(args), p.keywords.take(kw)
	return n
}

// argument reads an argument of a call that begins with the token t.
func (p *parser) argument(t token, args, kw int) {
	x := p.expr()
	if id, ok := x.(*nameNode); ok && t.kind == name && p.accept(opAssign) {
		p.keywords.push(keyword{t.pos, id.id, p.expr()})
		return
	}
	if p.keywords.mark() > kw {
		p.fail(t.pos, "an argument without a name follows one with a name")
	}
	if p.is(kwFor) && p.nodes.mark() == args {
		x = p.comprehension(x)
	}
	p.nodes.push(x)
}

// maxPath bounds dotted names with space or a line break before a dot: every
// prefix of one is kept.
const maxPath = 200

// attribute makes x.id.
func (p *parser) attribute(at pos, x node, id token) node {
	name := p.val(id)
	if of := dotted(x); of != "" && len(of) <= maxPath {
		return p.dotted(x.at(), of+"."+name)
	}
	return &attrNode{p: at, x: x, name: name}
}

// dotted makes a dotted name and notes what only old releases wrote.
func (p *parser) dotted(at pos, path string) node {
	switch path {
	case "T.block", "T.block_attr", "tir.block", "tir.block_attr":
		p.old = true
	}
	return p.paths.put(pathNode{at, path})
}

// subscripts reads indices and slices up to "]".
func (p *parser) subscripts() []node {
	mark := p.nodes.mark()
	for !p.accept(opRbracket) {
		p.nodes.push(p.subscript())
		if !p.accept(opComma) {
			p.expect(opRbracket)
			break
		}
	}
	out := p.nodes.take(mark)
	if len(out) == 0 {
		p.fail(p.tok.pos, "no index")
	}
	return out
}

func (p *parser) subscript() node {
	t := p.tok
	var lo node
	if p.accept(opStar) {
		return &starNode{t.pos, p.expr()}
	}
	if !p.is(opColon) {
		lo = p.expr()
		if !p.is(opColon) {
			return lo
		}
	}
	n := p.slices.put(sliceNode{p: t.pos, lo: lo})
	p.expect(opColon)
	if !p.is(opColon) && !p.is(opComma) && !p.is(opRbracket) {
		n.hi = p.expr()
	}
	if p.accept(opColon) && !p.is(opComma) && !p.is(opRbracket) {
		n.step = p.expr()
	}
	return n
}

func (p *parser) atom() node {
	t := p.tok
	switch t.kind {
	case name:
		p.advance()
		return p.names.put(nameNode{t.pos, p.val(t)})
	case path:
		p.advance()
		return p.dotted(t.pos, p.val(t))
	case integer:
		p.advance()
		v, big := p.integer(t)
		if big {
			return &bigNode{t.pos, bigInt(v)}
		}
		return p.ints.put(intNode{t.pos, v})
	case float:
		p.advance()
		v, err := strconv.ParseFloat(p.digits(t), 64)
		if err != nil && v == 0 {
			p.fail(t.pos, "%s is not a number", p.val(t))
		}
		return p.floats.put(floatNode{t.pos, v})
	case text:
		val := p.val(t)
		if p.advance(); p.tok.kind == text {
			val = p.adjacent(val)
		}
		return p.texts.put(textNode{t.pos, val})
	case opLparen, opLbracket:
		p.advance()
		return p.list(t)
	case opLbrace:
		p.advance()
		return p.dict(t.pos)
	}
	p.fail(t.pos, "expected an expression, found %s", p.describe(t))
	return nil
}

// adjacent joins the literals that follow one.
func (p *parser) adjacent(first string) string {
	var b strings.Builder
	for b.WriteString(first); p.tok.kind == text; p.advance() {
		b.WriteString(p.val(p.tok))
	}
	return b.String()
}

// digits are those of a number, without the underscores between them.
func (p *parser) digits(t token) string { return strings.ReplaceAll(p.val(t), "_", "") }

// integer is the value of one; from 2^63 on, which is big, it is that of its 64
// bits.
func (p *parser) integer(t token) (v int64, big bool) {
	digits := p.digits(t)
	if len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]) && strings.Trim(digits, "0") != "" {
		p.fail(t.pos, "%s begins with a zero; octal numbers begin with 0o", digits)
	}
	v, err := strconv.ParseInt(digits, 0, 64)
	if err == nil {
		return v, false
	}
	u, err := strconv.ParseUint(digits, 0, 64)
	if err != nil {
		p.fail(t.pos, "%s is not an integer of 64 bits", digits)
	}
	return int64(u), true
}

// list reads a tuple, a parenthesised expression or a list after its bracket.
func (p *parser) list(open token) node {
	end, tuple := opRparen, true
	if open.kind == opLbracket {
		end, tuple = opRbracket, false
	}
	mark := p.nodes.mark()
	comma := false
	for !p.accept(end) {
		if t := p.tok; p.accept(opStar) {
			p.nodes.push(&starNode{t.pos, p.expr()})
		} else {
			p.nodes.push(p.expr())
		}
		if p.is(kwFor) && p.nodes.mark() == mark+1 {
			c := p.comprehension(p.nodes.take(mark)[0])
			p.expect(end)
			return c
		}
		if p.accept(opComma) {
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
	n := &compNode{p: p.expect(kwFor).pos, item: item, target: p.targets()}
	p.expect(kwIn)
	n.iter = p.binary(levelOr)
	for p.accept(kwIf) {
		n.conds = append(n.conds, p.binary(levelOr))
	}
	return n
}

func (p *parser) dict(at pos) node {
	mark := p.entries.mark()
	for !p.accept(opRbrace) {
		key := p.expr()
		p.expect(opColon)
		p.entries.push(entry{key, p.expr()})
		if !p.accept(opComma) && !p.is(opRbrace) {
			p.expect(opRbrace)
		}
	}
	return p.dicts.put(dictNode{at, p.entries.take(mark)})
}
