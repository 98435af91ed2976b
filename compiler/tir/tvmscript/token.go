package tvmscript

import "strconv"

// kind says what a token is. Every keyword and operator has a kind of its own,
// so that the parser compares numbers where it would compare text.
type kind uint8

const (
	eof kind = iota
	newline
	indent
	dedent
	name
	path // names with dots between them and nothing else
	integer
	float
	text

	kwAnd
	kwOr
	kwNot
	kwIf
	kwElse
	kwElif
	kwFor
	kwIn
	kwWhile
	kwWith
	kwAs
	kwDef
	kwClass
	kwPass
	kwAssert
	kwLambda
	kwReturn
	kwImport
	kwFrom
	kwIs
	kwBreak
	kwContinue

	opLparen
	opRparen
	opLbracket
	opRbracket
	opLbrace
	opRbrace
	opComma
	opColon
	opDot
	opSemicolon
	opAt
	opAssign
	opArrow
	opEllipsis
	opWalrus
	opStar
	opPower
	opPlus
	opMinus
	opTilde
	opSlash
	opFloordiv
	opPercent
	opAmp
	opBar
	opCaret
	opShl
	opShr
	opLess
	opLessEq
	opGreater
	opGreaterEq
	opEqual
	opNotEqual
	opAugmented // +=, -= and the others

	kinds
)

// spelling of the keywords and operators.
var spelling = [kinds]string{
	kwAnd: "and", kwOr: "or", kwNot: "not", kwIf: "if", kwElse: "else", kwElif: "elif", kwFor: "for", kwIn: "in", kwWhile: "while",
	kwWith: "with", kwAs: "as", kwDef: "def", kwClass: "class", kwPass: "pass", kwAssert: "assert", kwLambda: "lambda", kwReturn: "return",
	kwImport: "import", kwFrom: "from", kwIs: "is", kwBreak: "break", kwContinue: "continue",
	opLparen: "(", opRparen: ")", opLbracket: "[", opRbracket: "]", opLbrace: "{", opRbrace: "}", opComma: ",", opColon: ":", opDot: ".", opSemicolon: ";",
	opAt: "@", opAssign: "=", opArrow: "->", opEllipsis: "...", opWalrus: ":=", opStar: "*", opPower: "**", opPlus: "+", opMinus: "-", opTilde: "~",
	opSlash: "/", opFloordiv: "//", opPercent: "%", opAmp: "&", opBar: "|", opCaret: "^", opShl: "<<", opShr: ">>",
	opLess: "<", opLessEq: "<=", opGreater: ">", opGreaterEq: ">=", opEqual: "==", opNotEqual: "!=",
}

func (k kind) String() string { return spelling[k] }

// augmentedOps are the spellings of opAugmented.
var augmentedOps = []string{"**=", "//=", ">>=", "<<=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@="}

// spelled is one spelling of a keyword or an operator.
type spelled struct {
	val  string
	kind kind
}

// keywords by their first character.
var keywords = func() (by [256][]spelled) {
	for k := kwAnd; k <= kwContinue; k++ {
		val := spelling[k]
		by[val[0]] = append(by[val[0]], spelled{val, k})
	}
	return by
}()

// wordKind is the kind of a word: a keyword's own, or name.
func wordKind(w string) kind {
	for _, k := range keywords[w[0]] {
		if k.val == w {
			return k.kind
		}
	}
	return name
}

// updated is the operator of += and the like.
func updated(val string) kind {
	val = val[:len(val)-1]
	for _, o := range operators[val[0]] {
		if o.val == val {
			return o.kind
		}
	}
	return eof
}

// operators by their first character, longest first.
var operators = func() (by [256][]spelled) {
	add := func(n int, val string, k kind) {
		if len(val) == n {
			by[val[0]] = append(by[val[0]], spelled{val, k})
		}
	}
	for n := 3; n > 0; n-- {
		for _, val := range augmentedOps {
			add(n, val, opAugmented)
		}
		for k := opLparen; k < opAugmented; k++ {
			add(n, spelling[k], k)
		}
	}
	return by
}()

// Levels of the binary operators, loosest first.
const (
	noLevel = iota
	levelOr
	levelAnd
	levelNot // a prefix, between them
	levelCompare
	levelBar // the loosest of arithmetic
	levelCaret
	levelAmp
	levelShift
	levelSum
	levelProduct
	levelUnary // a prefix again
)

// levels of the kinds that are binary operators; noLevel for all others.
var levels = [kinds]uint8{
	kwOr: levelOr, kwAnd: levelAnd,
	opLess: levelCompare, opLessEq: levelCompare, opGreater: levelCompare, opGreaterEq: levelCompare, opEqual: levelCompare, opNotEqual: levelCompare,
	opBar: levelBar, opCaret: levelCaret, opAmp: levelAmp, opShl: levelShift, opShr: levelShift, opPlus: levelSum, opMinus: levelSum,
	opStar: levelProduct, opSlash: levelProduct, opFloordiv: levelProduct, opPercent: levelProduct, opAt: levelProduct,
}

// token is a Python token: where the text of it is, without the quotes of a
// text literal. It holds no pointer, for the lexer writes one for every few
// characters it reads.
type token struct {
	pos      pos // that faults name
	from, to pos
	kind     kind
}

// val is the text of a token: a name, an operator, the digits of a number, or
// the decoded text of the literal that was read last.
func (l *lexer) val(t token) string {
	if t.from < 0 {
		return l.decoded
	}
	return l.text[t.from:t.to]
}

func (l *lexer) describe(t token) string {
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
	return strconv.Quote(l.val(t))
}
