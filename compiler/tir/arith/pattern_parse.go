package arith

import (
	"slices"
	"strconv"
	"strings"
	"text/scanner"

	"hone/compiler/tir"
)

// ruleParser reads the text of patterns: Python's operators, min, max, div, mod,
// select and not. It panics on anything else, which the tests would show.
type ruleParser struct {
	s   scanner.Scanner
	tok string
}

func parsePattern(text string) *pattern {
	p := &ruleParser{}
	p.s.Init(strings.NewReader(text))
	p.s.Mode = scanner.ScanIdents | scanner.ScanInts
	p.next()
	e := p.expr(0)
	if p.tok != "" {
		p.bad(text)
	}
	return e
}

func (p *ruleParser) bad(what string) { panic("BUG: rule: unexpected " + p.tok + " in " + what) }

func (p *ruleParser) next() {
	p.s.Scan()
	p.tok = p.s.TokenText()
	switch two := p.tok + string(p.s.Peek()); two {
	case "//", "<=", "==", "!=", ">=":
		p.s.Next()
		p.tok = two
	}
}

// ruleOps are the binary operators by falling looseness.
var ruleOps = []map[string]tir.BinOp{
	{"or": tir.OpOr}, {"and": tir.OpAnd},
	{"<": tir.OpLT, "<=": tir.OpLE, "==": tir.OpEQ, "!=": tir.OpNE, ">": tir.OpGT, ">=": tir.OpGE},
	{"+": tir.OpAdd, "-": tir.OpSub}, {"*": tir.OpMul, "//": tir.OpFloorDiv, "%": tir.OpFloorMod},
}

var ruleCalls = map[string]tir.BinOp{"min": tir.OpMin, "max": tir.OpMax, "div": tir.OpDiv, "mod": tir.OpMod}

func (p *ruleParser) expr(level int) *pattern {
	if level == len(ruleOps) {
		return p.operand()
	}
	e := p.expr(level + 1)
	for {
		op, ok := ruleOps[level][p.tok]
		if !ok {
			return e
		}
		p.next()
		e = &pattern{kind: patBinary, op: op, args: [3]*pattern{e, p.expr(level + 1)}}
	}
}

func (p *ruleParser) operand() *pattern {
	tok := p.tok
	p.next()
	switch tok {
	case "(":
		e := p.expr(0)
		p.want(")")
		return e
	case "-":
		return &pattern{kind: patBinary, op: tir.OpSub, args: [3]*pattern{{kind: patLit}, p.operand()}}
	case "not":
		return &pattern{kind: patNot, args: [3]*pattern{p.expr(2)}}
	case "true", "false":
		e := &pattern{kind: patBool}
		if tok == "true" {
			e.val = 1
		}
		return e
	}
	if n, err := strconv.ParseInt(tok, 10, 64); err == nil {
		return &pattern{kind: patLit, val: n}
	}
	if i := slices.Index(slotNames[:], tok); i >= 0 {
		e := &pattern{slot: uint8(i)}
		if i >= constSlots {
			e.kind = patConst
		}
		return e
	}
	return p.call(tok)
}

func (p *ruleParser) want(tok string) {
	if p.tok != tok {
		p.bad("place of " + tok)
	}
	p.next()
}

func (p *ruleParser) call(name string) *pattern {
	e := &pattern{kind: patSelect}
	if op, ok := ruleCalls[name]; ok {
		e.kind, e.op = patBinary, op
	} else if name != "select" {
		p.bad(name)
	}
	p.want("(")
	for i := 0; p.tok != ")"; i++ {
		e.args[i] = p.expr(0)
		if p.tok == "," {
			p.next()
		}
	}
	p.next()
	return e
}
