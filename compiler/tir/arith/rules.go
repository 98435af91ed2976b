package arith

import (
	"slices"
	"strings"
	"sync"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// The rules of the simplifier are tables of text, one file rules_<what>.go each:
//
//	min(x, y + c1) + c2 => min(x + c2, y) if c1 == -c2
//
// reads "an expression of the form on the left becomes the one on the right,
// provided that". Forms with one right side are separated by "|". After "=>>" the
// result is simplified again. Conditions joined by "and" compare constants; one
// that mentions expressions has to be proved. A line "@name" calls the step of
// that name, which does what no form can say. The first line that applies wins,
// so their order is part of the result: it is that of Apache TVM, whose text the
// result has to be.
type rule struct {
	text  string
	from  *pattern
	to    *pattern
	when  []condition
	again bool
	step  func(s simplifier, x *tir.Binary) tir.Expr

	// The kinds of operands that from can match, as sets of bits.
	a, b uint32
}

// condition is one comparison of a guard.
type condition struct {
	op       tir.BinOp
	lhs, rhs *pattern
	prove    bool
}

// ruleSet are the rules of binary operations in order: those of index types and
// those of any type.
type ruleSet struct {
	index, all [tir.OpOr + 1][]rule
	not, pure  []rule // of negations, and of differences of other types without effects
}

var ruleTable struct {
	sync.Once
	set *ruleSet
}

// rules are read when they are first needed.
func rules() *ruleSet {
	ruleTable.Do(loadRules)
	return ruleTable.set
}

func loadRules() {
	rs := &ruleSet{not: parseRules(rulesNot), pure: parseRules(rulesSubPure)}
	for op, text := range map[tir.BinOp]string{
		tir.OpAdd: rulesAdd, tir.OpSub: rulesSub, tir.OpMul: rulesMul, tir.OpDiv: rulesTruncDiv, tir.OpMod: rulesTruncMod,
		tir.OpFloorDiv: rulesFloorDiv, tir.OpFloorMod: rulesFloorMod, tir.OpMin: rulesMin, tir.OpMax: rulesMax, tir.OpLT: rulesLT, tir.OpEQ: rulesEQ,
	} {
		rs.index[op] = parseRules(text)
	}
	for op, text := range map[tir.BinOp]string{
		tir.OpAdd: rulesAddAny, tir.OpSub: rulesSubAny, tir.OpMin: rulesMinAny, tir.OpMax: rulesMaxAny, tir.OpAnd: rulesAnd, tir.OpOr: rulesOr,
	} {
		rs.all[op] = parseRules(text)
	}
	ruleTable.set = rs
}

func parseRules(text string) []rule {
	var out []rule
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '@' {
			step := steps(line[1:])
			if step == nil {
				panic("BUG: no step " + line)
			}
			out = append(out, rule{text: line, step: step})
			continue
		}
		out = append(out, parseRule(line)...)
	}
	return slices.Clip(out)
}

// parseRule reads one line; every form on its left makes a rule.
func parseRule(line string) []rule {
	left, right, ok := strings.Cut(line, "=>")
	if !ok {
		panic("BUG: rule without result: " + line)
	}
	r := rule{text: line}
	if strings.HasPrefix(right, ">") {
		right, r.again = right[1:], true
	}
	right, guard, guarded := strings.Cut(right, " if ")
	r.to = parsePattern(right)
	if guarded {
		r.when = conditions(nil, parsePattern(guard))
	}
	var out []rule
	for _, form := range strings.Split(left, "|") {
		r.from = parsePattern(form)
		r.a, r.b = kindsOf(r.from.args[0]), kindsOf(r.from.args[1])
		out = append(out, r)
	}
	return out
}

func conditions(out []condition, p *pattern) []condition {
	if p.op == tir.OpAnd {
		return conditions(conditions(out, p.args[0]), p.args[1])
	}
	return append(out, condition{p.op, p.args[0], p.args[1], p.args[0].open()})
}

// kindBit is the bit of the kind of expression that e is.
func kindBit(e tir.Expr) uint32 {
	switch e := e.(type) {
	case *tir.Binary:
		return 1 << e.Op
	case *tir.IntImm:
		return 1 << 29
	case *tir.Not, *tir.Select:
		return 1 << 30
	}
	return 1 << 31
}

// kindsOf are the kinds of expressions that p can match; a missing operand takes
// them all.
func kindsOf(p *pattern) uint32 {
	if p == nil {
		return 1<<32 - 1
	}
	switch p.kind {
	case patVar:
		return 1<<32 - 1
	case patConst, patLit:
		return 1 << 29
	case patBinary:
		return 1 << p.op
	}
	return 1 << 30
}

// apply returns what the first rule that applies makes of x, whose operands are
// simplified; nil when none does.
func (s simplifier) apply(rules []rule, x *tir.Binary) tir.Expr {
	a, b := kindBit(x.A), kindBit(x.B)
	var m binding
	for i := range rules {
		r := &rules[i]
		if r.step != nil {
			if e := r.step(s, x); e != nil {
				used(r)
				return e
			}
			continue
		}
		if r.a&a == 0 || r.b&b == 0 {
			continue
		}
		m = binding{}
		if m.match(r.from.args[0], x.A) && m.match(r.from.args[1], x.B) && s.hold(r.when, &m, x.A.DType()) {
			return s.result(r, &m, x)
		}
	}
	return nil
}

func (s simplifier) result(r *rule, m *binding, x tir.Expr) tir.Expr {
	used(r)
	e := m.build(r.to, x.DType())
	if r.again {
		return s.again(e)
	}
	return e
}

// ruleUsed, when set, hears of every rule that was applied; tests set it.
var ruleUsed func(text string)

func used(r *rule) {
	if ruleUsed != nil {
		ruleUsed(r.text)
	}
}

func (s simplifier) hold(when []condition, m *binding, t dtype.DType) bool {
	for i := range when {
		if !s.holds(&when[i], m, t) {
			return false
		}
	}
	return true
}

func (s simplifier) holds(c *condition, m *binding, t dtype.DType) bool {
	v, ok := m.value(c.rhs)
	if !ok {
		return false
	}
	if c.prove {
		e := m.build(c.lhs, t)
		switch c.op {
		case tir.OpGE:
			return s.atLeast(e, v)
		case tir.OpLT:
			return s.below(e, v)
		}
		return s.compareTo(e, v) == isEQ
	}
	u, ok := m.value(c.lhs)
	return ok && compareInts(c.op, u, v)
}

func compareInts(op tir.BinOp, x, y int64) bool {
	switch op {
	case tir.OpEQ:
		return x == y
	case tir.OpNE:
		return x != y
	case tir.OpLT:
		return x < y
	case tir.OpLE:
		return x <= y
	case tir.OpGT:
		return x > y
	}
	return x >= y
}
