package graph

import (
	"fmt"
	"strconv"
	"strings"

	"hone/compiler/dtype"
)

// Parse reads what String prints. consts resolves the hashes of constants that
// the text does not show; nil is enough when there are none. Errors name the
// line.
func Parse(text string, consts map[string]*dtype.Tensor) (*Graph, error) {
	p := parser{consts: consts, ids: map[int64]ValueID{}, g: &Graph{}}
	closed := false
	for i, line := range strings.Split(text, "\n") {
		p.lex(line)
		if p.at("") {
			continue
		}
		if closed {
			return nil, fmt.Errorf("line %d: text after the closing brace", i+1)
		}
		p.line(&closed)
		if p.err == nil && !p.at("") {
			p.fail("unexpected %q", p.toks[0])
		}
		if p.err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, p.err)
		}
	}
	if !closed {
		return nil, fmt.Errorf("the closing brace is missing")
	}
	if err := p.g.Verify(); err != nil {
		return nil, err
	}
	return p.g, nil
}

// parser reads line by line. The first error sticks in err; after that every
// method does nothing.
type parser struct {
	g      *Graph
	consts map[string]*dtype.Tensor
	ids    map[int64]ValueID
	toks   []string
	opened bool
	err    error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// lex cuts a line into quoted strings, words (with signs and points), and
// single punctuation marks.
func (p *parser) lex(line string) {
	p.toks = p.toks[:0]
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '"':
			q, err := strconv.QuotedPrefix(line[i:])
			if err != nil {
				p.fail("unterminated string")
				return
			}
			p.toks = append(p.toks, q)
			i += len(q)
		case isWord(c):
			j := i
			for j < len(line) && isWord(line[j]) {
				j++
			}
			p.toks = append(p.toks, line[i:j])
			i = j
		default:
			p.toks = append(p.toks, line[i:i+1])
			i++
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || c == '-' || c == '+' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (p *parser) at(tok string) bool {
	if len(p.toks) == 0 {
		return tok == ""
	}
	return p.toks[0] == tok
}

func (p *parser) next() string {
	if len(p.toks) == 0 {
		p.fail("unexpected end of line")
		return ""
	}
	t := p.toks[0]
	p.toks = p.toks[1:]
	return t
}

func (p *parser) accept(tok string) bool {
	if p.at(tok) && tok != "" {
		p.toks = p.toks[1:]
		return true
	}
	return false
}

func (p *parser) expect(tok string) {
	if t := p.next(); t != tok {
		p.fail("found %q, want %q", t, tok)
	}
}

func (p *parser) line(closed *bool) {
	switch {
	case !p.opened:
		p.expect("graph")
		p.g.Name = p.quoted()
		p.expect("{")
		p.opened = true
	case p.accept("}"):
		*closed = true
	case p.accept("input"):
		id := p.valueID()
		name := p.quoted()
		p.expect(":")
		if t := p.typ(); p.err == nil {
			p.define(id, p.g.Input(name, t))
		}
	case p.accept("const"):
		p.constant()
	case p.accept("output"):
		v := p.value()
		p.g.Output(p.quoted(), v)
	default:
		p.node()
	}
}

func (p *parser) quoted() string {
	s, err := strconv.Unquote(p.next())
	if err != nil {
		p.fail("want a quoted name")
	}
	return s
}

func (p *parser) integer() int64 {
	t := p.next()
	n, err := strconv.ParseInt(t, 10, 64)
	if err != nil {
		p.fail("%q is not an integer", t)
	}
	return n
}

func (p *parser) valueID() int64 {
	p.expect("%")
	return p.integer()
}

func (p *parser) value() ValueID {
	id := p.valueID()
	v, ok := p.ids[id]
	if !ok {
		p.fail("value %%%d is not defined", id)
	}
	return v
}

func (p *parser) define(id int64, v ValueID) {
	if _, dup := p.ids[id]; dup {
		p.fail("value %%%d is defined twice", id)
	}
	p.ids[id] = v
}

func (p *parser) typ() Type {
	word := p.next()
	elem, err := dtype.Parse(word)
	if err != nil || elem.Bytes() == 0 {
		p.fail("%q is not an element type", word)
		return Type{}
	}
	t := Type{Elem: elem, Shape: p.dims()}
	if n, ok := elementCount(t.Shape); p.err == nil && (!ok || n > 1<<40) {
		p.fail("the shape %v is negative or too large", t.Shape)
	}
	if p.accept(":") {
		t.Layout = p.layout(t.Rank())
	}
	return t
}

// elementCount multiplies dimensions; false on a negative one or overflow.
func elementCount(shape []int64) (int64, bool) {
	n := int64(1)
	for _, d := range shape {
		if d < 0 || d > 0 && n > (1<<62)/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

func (p *parser) dims() []int64 {
	shape := []int64{}
	p.expect("[")
	for p.err == nil && !p.accept("]") {
		shape = append(shape, p.integer())
		if !p.at("]") {
			p.expect(",")
		}
	}
	return shape
}

func (p *parser) layout(rank int) Layout {
	var axis, block int
	word := p.next()
	var l Layout
	if n, _ := fmt.Sscanf(word, "c%d", &block); n == 1 {
		l = Blocked(block)
	} else if n, _ := fmt.Sscanf(word, "s%dx%d", &axis, &block); n == 2 {
		l = Layout{Kind: Split, Axis: int8(axis), Block: int16(block)}
	} else if n, _ := fmt.Sscanf(word, "r%dx%d", &axis, &block); n == 2 {
		l = Rounded(axis, block)
	}
	if l.Kind == Plain || int(l.Axis) >= rank || l.Axis < 0 || l.Block < 1 || block > 1<<14 {
		p.fail("%q is not a layout of a tensor of rank %d", word, rank)
		return Layout{}
	}
	return l
}

func (p *parser) constant() {
	id := p.valueID()
	name := ""
	if !p.at(":") {
		name = p.quoted()
	}
	p.expect(":")
	t := p.typ()
	p.expect("=")
	if p.err != nil {
		return
	}
	var x *dtype.Tensor
	if p.accept("#") {
		key := p.next()
		if x = p.consts[key]; x == nil {
			p.fail("constant #%s is not at hand", key)
			return
		}
	} else {
		x = p.elements(t)
	}
	if p.err != nil {
		return
	}
	v := p.g.Constant(x, name)
	p.g.Values[v].Type = t
	p.define(id, v)
}

func (p *parser) elements(t Type) *dtype.Tensor {
	if t.Len() > inlineElements {
		p.fail("%s is too large to be written out", t)
		return nil
	}
	x := dtype.NewTensor(t.Elem, t.Shape...)
	p.expect("[")
	for i := range x.Len() {
		if i > 0 {
			p.expect(",")
		}
		word := p.next()
		var err error
		if t.Elem.IsFloat() {
			var f float64
			f, err = strconv.ParseFloat(word, 64)
			x.SetFloat(i, f)
		} else {
			var n int64
			n, err = strconv.ParseInt(word, 10, 64)
			x.SetInt(i, n)
		}
		if err != nil {
			p.fail("%q is not an element of %s", word, t.Elem)
			return nil
		}
	}
	p.expect("]")
	return x
}
