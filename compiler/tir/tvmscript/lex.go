package tvmscript

import (
	"strconv"
	"strings"
)

// Limits on what Parse reads, so that no input exhausts memory or stack.
const (
	maxSource = 16 << 20
	maxDepth  = 200
)

// lexer splits the text into tokens, with newline, indent and dedent as Python
// has them: none inside brackets, none for blank lines and comments.
type lexer struct {
	*source
	off     int
	indents []int
	dedents int   // still to be given
	open    []pos // of the brackets that are not closed yet
	last    kind  // of the token before; newline at the start
	place   pos   // of every token, in a text that another one quotes; else nowhere
	tok     token
	decoded string // text of tok, when that is a literal with escapes
}

func (s *source) lexer(place pos) lexer {
	return lexer{source: s, indents: []int{0}, last: newline, place: place}
}

// advance reads the next token into tok.
func (l *lexer) advance() {
	if l.last != newline && l.dedents == 0 { // within a line, as almost always
		for l.off < len(l.text) {
			if l.next() {
				l.last = l.tok.kind
				return
			}
		}
	}
	for !l.scan() {
	}
	l.last = l.tok.kind
}

// set makes tok what stands between two offsets.
func (l *lexer) set(k kind, from, to int) {
	l.tok = token{pos(from), pos(from), pos(to), k}
	if l.place != nowhere {
		l.tok.pos = l.place
	}
}

// scan reads a token, or something that is none: then it returns false.
func (l *lexer) scan() bool {
	switch {
	case l.dedents > 0:
		l.dedents--
		l.set(dedent, l.off, l.off)
		return true
	case l.off >= len(l.text):
		l.end()
		return true
	case len(l.open) == 0 && l.last == newline && (l.off == 0 || l.text[l.off-1] == '\n'):
		return l.lineStart()
	}
	return l.next()
}

// end gives the tokens at the end of the text.
func (l *lexer) end() {
	switch n := len(l.open); {
	case n > 0:
		l.fail(l.open[n-1], "this bracket is not closed")
	case l.last != newline && l.last != dedent && l.last != eof:
		l.set(newline, l.off, l.off)
	case len(l.indents) > 1:
		l.indents = l.indents[:len(l.indents)-1]
		l.set(dedent, l.off, l.off)
	default:
		l.set(eof, l.off, l.off)
	}
}

// lineStart reads the indentation of a line and skips it when it is blank.
func (l *lexer) lineStart() bool {
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
		return false
	}
	l.off = i
	if width > l.indents[len(l.indents)-1] {
		if len(l.indents) > maxDepth {
			l.fail(pos(i), "indented too deeply")
		}
		l.indents = append(l.indents, width)
		l.set(indent, i, i)
		return true
	}
	for width < l.indents[len(l.indents)-1] {
		l.indents = l.indents[:len(l.indents)-1]
		l.dedents++
	}
	if width != l.indents[len(l.indents)-1] {
		l.fail(pos(i), "indentation matches no block around")
	}
	l.last = dedent // the line has begun
	return false
}

// class groups the characters by what can begin with them.
type class uint8

const (
	other class = iota
	space
	single // an operator that begins no longer one
	letter
	digit
)

var classes = func() (by [256]class) {
	for _, c := range " \t\r" {
		by[c] = space
	}
	for c, of := range operators {
		if len(of) == 1 && len(of[0].val) == 1 {
			by[c] = single
		}
	}
	for c := range by {
		switch low := c | 0x20; {
		case c == '_', low >= 'a' && low <= 'z', c >= 0x80:
			by[c] = letter
		case c >= '0' && c <= '9':
			by[c] = digit
		}
	}
	return by
}()

func isLetter(c byte) bool { return classes[c] == letter }
func isDigit(c byte) bool  { return classes[c] == digit }

// next reads one token, or skips space.
func (l *lexer) next() bool {
	c := l.text[l.off]
	for classes[c] == space {
		if l.off++; l.off == len(l.text) {
			return false
		}
		c = l.text[l.off]
	}
	switch classes[c] {
	case single:
		l.took(&operators[c][0])
		return true
	case letter:
		l.word()
		return true
	case digit:
		l.number()
		return true
	}
	switch {
	case c == '\n':
		l.off++
		if len(l.open) > 0 || l.last == newline {
			return false
		}
		l.set(newline, l.off-1, l.off-1)
	case c == '#':
		for l.off < len(l.text) && l.text[l.off] != '\n' {
			l.off++
		}
		return false
	case c == '\\' && strings.HasPrefix(l.text[l.off+1:], "\n"):
		l.off += 2
		return false
	case c == '\\' && strings.HasPrefix(l.text[l.off+1:], "\r\n"):
		l.off += 3
		return false
	case c == '.' && l.off+1 < len(l.text) && isDigit(l.text[l.off+1]):
		l.number()
	case c == '"' || c == '\'':
		l.quoted(l.off, false)
	default:
		l.operator()
	}
	return true
}

// word reads a name, a keyword, or a dotted name.
func (l *lexer) word() {
	start := l.off
	end := l.wordEnd(start)
	w := l.text[start:end]
	if end < len(l.text) && (l.text[end] == '"' || l.text[end] == '\'') && l.prefixed(w) {
		return
	}
	k := wordKind(w)
	for k == name || k == path {
		if end+1 >= len(l.text) || l.text[end] != '.' || !isLetter(l.text[end+1]) {
			break
		}
		next := l.wordEnd(end + 1)
		if wordKind(l.text[end+1:next]) != name {
			break // a keyword, which the parser refuses
		}
		k, end = path, next
	}
	l.off = end
	l.set(k, start, end)
}

// digitsEnd is where the digits that begin at off end.
func (l *lexer) digitsEnd(off int) int {
	for ; off < len(l.text) && classes[l.text[off]] == digit; off++ {
	}
	return off
}

// wordEnd is where the word that begins at off ends.
func (l *lexer) wordEnd(off int) int {
	for off++; off < len(l.text) && classes[l.text[off]] >= letter; off++ {
	}
	return off
}

// prefixed reads a text literal that w is the prefix of.
func (l *lexer) prefixed(w string) bool {
	switch w {
	case "r", "R":
		start := l.off
		l.off++
		l.quoted(start, true)
		return true
	case "f", "F", "b", "B", "u", "U", "rb", "br", "fr", "rf":
		l.fail(pos(l.off), "text literals with the prefix %s are not supported", w)
	}
	return false
}

func (l *lexer) number() {
	start := l.off
	if end := l.digitsEnd(start); end == len(l.text) || classes[l.text[end]] == single || l.text[end] == '\n' { // digits alone
		l.off = end
		l.set(integer, start, end)
		return
	}
	s := l.text[l.off:]
	if len(s) > 1 && s[0] == '0' && strings.ContainsRune("xXoObB", rune(s[1])) {
		l.off += 2
		for l.off < len(l.text) && (isLetter(l.text[l.off]) || isDigit(l.text[l.off])) {
			l.off++
		}
		l.set(integer, start, l.off)
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
	l.set(k, start, l.off)
}

// quoteEnds may end a text literal or need a closer look.
const quoteEnds = "\"'\\\n"

// quoted reads a text literal; adjacent ones are joined by the parser.
func (l *lexer) quoted(start int, raw bool) {
	q := l.text[l.off : l.off+1]
	if rest := l.text[l.off:]; len(rest) > 2 && rest[1] == q[0] && rest[2] == q[0] {
		q = rest[:3]
	}
	l.off += len(q)
	if end := strings.IndexAny(l.text[l.off:], quoteEnds); len(q) == 1 && end >= 0 && l.text[l.off+end] == q[0] {
		l.set(text, start, start)
		l.tok.from, l.tok.to = pos(l.off), pos(l.off+end) // nothing to decode
		l.off += end + 1
		return
	}
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
	l.set(text, start, start)
	l.tok.from, l.decoded = nowhere, b.String()
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

func (l *lexer) operator() {
	rest := l.text[l.off:]
	of := operators[rest[0]]
	for i := range of {
		o := &of[i]
		if len(o.val) > 1 && !strings.HasPrefix(rest, o.val) {
			continue
		}
		l.took(o)
		return
	}
	l.fail(pos(l.off), "unexpected character %q", rest[:1])
}

// took makes the operator o the token.
func (l *lexer) took(o *spelled) {
	switch o.kind {
	case opLparen, opLbracket, opLbrace:
		l.open = append(l.open, pos(l.off))
	case opRparen, opRbracket, opRbrace:
		l.open = l.open[:max(len(l.open)-1, 0)]
	}
	l.set(o.kind, l.off, l.off+len(o.val))
	l.off += len(o.val)
}
