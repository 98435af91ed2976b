package tvmscript

import (
	"strconv"
	"strings"
)

type kind uint8

const (
	eof kind = iota
	newline
	indent
	dedent
	name
	integer
	float
	text
	op
)

// token is a Python token. val is the name, the operator, the decoded text or
// the digits of a number.
type token struct {
	kind kind
	val  string
	pos  pos
}

// Limits on what Parse reads, so that no input exhausts memory or stack.
const (
	maxSource = 16 << 20
	maxDepth  = 200
)

type lexer struct {
	*source
	off     int
	indents []int
	nest    int // open brackets
	out     []token
}

// lex splits the text into tokens, with newline, indent and dedent as Python has
// them: none inside brackets, none for blank lines and comments.
func (s *source) lex() []token {
	l := &lexer{source: s, indents: []int{0}, out: make([]token, 0, len(s.text)/2+8)}
	for l.off < len(l.text) {
		if l.nest == 0 && (len(l.out) == 0 || l.out[len(l.out)-1].kind == newline) && l.atLineStart() {
			l.lineStart()
			continue
		}
		l.next()
	}
	if n := len(l.out); n > 0 && l.out[n-1].kind != newline {
		l.add(newline, "", l.off)
	}
	for range l.indents[1:] {
		l.add(dedent, "", l.off)
	}
	l.add(eof, "", l.off)
	return l.out
}

func (l *lexer) add(k kind, val string, at int) { l.out = append(l.out, token{k, val, pos(at)}) }

func (l *lexer) atLineStart() bool { return l.off == 0 || l.text[l.off-1] == '\n' }

// lineStart reads the indentation of a line and skips it when it is blank.
func (l *lexer) lineStart() {
	width, i := 0, l.off
	for ; i < len(l.text); i++ {
		if l.text[i] == ' ' {
			width++
		} else if l.text[i] == '\t' {
			width += 8 - width%8
		} else {
			break
		}
	}
	rest := l.text[i:]
	if rest == "" || rest[0] == '\n' || rest[0] == '\r' || rest[0] == '#' {
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			l.off = len(l.text)
		} else {
			l.off = i + end + 1
		}
		return
	}
	l.off = i
	top := l.indents[len(l.indents)-1]
	if width > top {
		if len(l.indents) > maxDepth {
			l.fail(pos(i), "indented too deeply")
		}
		l.indents = append(l.indents, width)
		l.add(indent, "", i)
	}
	for width < l.indents[len(l.indents)-1] {
		l.indents = l.indents[:len(l.indents)-1]
		l.add(dedent, "", i)
	}
	if width != l.indents[len(l.indents)-1] {
		l.fail(pos(i), "indentation matches no block around")
	}
	l.next()
}

// next reads one token, or skips space.
func (l *lexer) next() {
	c := l.text[l.off]
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		l.off++
	case c == '\n':
		if l.nest == 0 && len(l.out) > 0 && l.out[len(l.out)-1].kind != newline {
			l.add(newline, "", l.off)
		}
		l.off++
	case c == '#':
		for l.off < len(l.text) && l.text[l.off] != '\n' {
			l.off++
		}
	case c == '\\' && strings.HasPrefix(l.text[l.off+1:], "\n"):
		l.off += 2
	case c == '\\' && strings.HasPrefix(l.text[l.off+1:], "\r\n"):
		l.off += 3
	case isLetter(c):
		l.word()
	case isDigit(c) || c == '.' && l.off+1 < len(l.text) && isDigit(l.text[l.off+1]):
		l.number()
	case c == '"' || c == '\'':
		l.quoted(l.off, false)
	default:
		l.operator()
	}
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func (l *lexer) word() {
	start := l.off
	for l.off < len(l.text) && (isLetter(l.text[l.off]) || isDigit(l.text[l.off])) {
		l.off++
	}
	w := l.text[start:l.off]
	if l.off < len(l.text) && (l.text[l.off] == '"' || l.text[l.off] == '\'') {
		switch w {
		case "r", "R":
			l.quoted(start, true)
			return
		case "f", "F", "b", "B", "u", "U", "rb", "br", "fr", "rf":
			l.fail(pos(start), "text literals with the prefix %s are not supported", w)
		}
	}
	l.add(name, w, start)
}

func (l *lexer) number() {
	start := l.off
	s := l.text[l.off:]
	if len(s) > 1 && s[0] == '0' && strings.ContainsRune("xXoObB", rune(s[1])) {
		l.off += 2
		for l.off < len(l.text) && (isLetter(l.text[l.off]) || isDigit(l.text[l.off])) {
			l.off++
		}
		l.add(integer, l.text[start:l.off], start)
		return
	}
	k := integer
	digits := func() {
		for l.off < len(l.text) && (isDigit(l.text[l.off]) || l.text[l.off] == '_') {
			l.off++
		}
	}
	digits()
	if l.off < len(l.text) && l.text[l.off] == '.' {
		k = float
		l.off++
		digits()
	}
	if l.off < len(l.text) && l.text[l.off]|0x20 == 'e' {
		mark := l.off
		l.off++
		if l.off < len(l.text) && (l.text[l.off] == '+' || l.text[l.off] == '-') {
			l.off++
		}
		if l.off < len(l.text) && isDigit(l.text[l.off]) {
			k = float
			digits()
		} else {
			l.off = mark
		}
	}
	if l.off < len(l.text) && isLetter(l.text[l.off]) {
		l.fail(pos(l.off), "a letter right after a number")
	}
	l.add(k, strings.ReplaceAll(l.text[start:l.off], "_", ""), start)
}

// quoted reads a text literal; adjacent ones are joined by the parser.
func (l *lexer) quoted(start int, raw bool) {
	if raw {
		l.off = start + 1
	}
	q := l.text[l.off : l.off+1]
	if t := strings.Repeat(q, 3); strings.HasPrefix(l.text[l.off:], t) {
		q = t
	}
	l.off += len(q)
	var b strings.Builder
	for !strings.HasPrefix(l.text[l.off:], q) {
		if l.off >= len(l.text) || l.text[l.off] == '\n' && len(q) == 1 {
			l.fail(pos(start), "text literal without end")
		}
		if l.text[l.off] == '\\' && !raw {
			l.escape(&b)
			continue
		}
		b.WriteByte(l.text[l.off])
		l.off++
	}
	l.off += len(q)
	l.add(text, b.String(), start)
}

func (l *lexer) escape(b *strings.Builder) {
	at := l.off
	if at+1 >= len(l.text) {
		l.fail(pos(at), "text literal without end")
	}
	c := l.text[at+1]
	l.off += 2
	switch c {
	case '\n':
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case '0':
		b.WriteByte(0)
	case '\\', '"', '\'':
		b.WriteByte(c)
	case 'x', 'u':
		n := 2
		if c == 'u' {
			n = 4
		}
		v, err := strconv.ParseUint(l.text[l.off:min(l.off+n, len(l.text))], 16, 32)
		if err != nil || l.off+n > len(l.text) {
			l.fail(pos(at), "bad escape in text literal")
		}
		l.off += n
		if c == 'x' {
			b.WriteByte(byte(v))
		} else {
			b.WriteRune(rune(v))
		}
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
}

// operators by their first character, longest first.
var operators = func() (by [128][]string) {
	for _, o := range []string{"**=", "//=", ">>=", "<<=", "...", "->", ":=", "==", "!=", "<=", ">=", "//", "**", "<<", ">>",
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=",
		"+", "-", "*", "/", "%", "&", "|", "^", "~", "<", ">", "=", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "@"} {
		by[o[0]] = append(by[o[0]], o)
	}
	return by
}()

func (l *lexer) operator() {
	rest := l.text[l.off:]
	for _, o := range operators[rest[0]&127] {
		if !strings.HasPrefix(rest, o) {
			continue
		}
		switch o[0] {
		case '(', '[', '{':
			l.nest++
		case ')', ']', '}':
			l.nest = max(l.nest-1, 0)
		}
		l.add(op, o, l.off)
		l.off += len(o)
		return
	}
	l.fail(pos(l.off), "unexpected character %q", rest[:1])
}
