package arith

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// eachRule calls f for every rule of the tables.
func eachRule(f func(op string, r *rule)) {
	set := rules()
	for op := range set.index {
		for i := range set.index[op] {
			f(tir.BinOp(op).String(), &set.index[op][i])
		}
		for i := range set.all[op] {
			f(tir.BinOp(op).String(), &set.all[op][i])
		}
	}
	for _, list := range [][]rule{set.not, set.pure} {
		for i := range list {
			f("other", &list[i])
		}
	}
}

// slotsOf marks the variables of a pattern.
func slotsOf(p *pattern, out *[len(slotNames)]bool) {
	if p == nil {
		return
	}
	if p.kind == patVar {
		out[p.slot] = true
	}
	for _, q := range p.args {
		slotsOf(q, out)
	}
}

// boolSlots marks the variables of a pattern that stand for conditions.
func boolSlots(p *pattern, isBool bool, out *[len(slotNames)]bool) {
	switch p.kind {
	case patVar:
		out[p.slot] = out[p.slot] || isBool
	case patNot:
		boolSlots(p.args[0], true, out)
	case patSelect:
		boolSlots(p.args[0], true, out)
		boolSlots(p.args[1], false, out)
		boolSlots(p.args[2], false, out)
	case patBinary:
		boolSlots(p.args[0], p.op.IsLogic(), out)
		boolSlots(p.args[1], p.op.IsLogic(), out)
	}
}

// raw writes a pattern without folding anything.
func raw(b *binding, p *pattern) tir.Expr {
	switch p.kind {
	case patBinary:
		return tir.NewBinary(p.op, raw(b, p.args[0]), raw(b, p.args[1]))
	case patNot:
		return &tir.Not{A: raw(b, p.args[0])}
	case patSelect:
		return &tir.Select{Cond: raw(b, p.args[0]), Then: raw(b, p.args[1]), Else: raw(b, p.args[2])}
	}
	return b.build(p, dtype.Int32)
}

// TestRulesKeepValues tries every form of every table on its own: with random
// constants and variables over small boxes, wherever its condition holds both
// sides have the same value. A form whose condition never holds fails too.
func TestRulesKeepValues(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	n := 0
	eachRule(func(op string, x *rule) {
		if x.step != nil {
			return
		}
		n++
		accepted := 0
		for range 6000 {
			if accepted < 40 && !t.Failed() && tryRule(t, r, x) {
				accepted++
			}
		}
		if accepted == 0 && !t.Failed() {
			t.Errorf("%s: %s: was never accepted", op, x.text)
		}
	})
	if n < 300 {
		t.Errorf("only %d forms", n)
	}
}

func tryRule(t *testing.T, r *rand.Rand, x *rule) bool {
	sc, m := newScope(t, ""), &binding{}
	var isBool, mentioned [len(slotNames)]bool
	slotsOf(x.from, &mentioned)
	boolSlots(x.from, false, &isBool)
	boolSlots(x.to, false, &isBool)
	for i, name := range slotNames {
		if i >= constSlots {
			m.slots[i] = tir.Int([]int64{-4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8}[r.IntN(12)])
			continue
		}
		if !mentioned[i] {
			continue
		}
		v := tir.NewVar(name, dtype.Int32)
		lo := int64(r.IntN(7)) - 4
		b := Bound{lo, lo + int64(r.IntN(5))}
		if isBool[i] {
			v.Type, b = dtype.BoolType, Bound{0, 1}
		}
		m.slots[i] = v
		sc.names, sc.vars[name], sc.box[v] = append(sc.names, name), v, b
	}
	if x, y, z := m.slots[0], m.slots[1], m.slots[2]; mentioned[3] && isBool == [len(slotNames)]bool{} && r.IntN(2) == 0 {
		m.slots[3] = tir.NewBinary(tir.OpAdd, tir.NewBinary(tir.OpSub, y, x), z) // as far from z as y is from x
	}
	a := NewAnalyzer()
	for v, b := range sc.box {
		a.BindBound(v, b)
		a.facts(v).value = nil
	}
	if !(simplifier{a, false}).hold(x.when, m, dtype.Int32) {
		return false
	}
	from := raw(m, x.from)
	to := m.build(x.to, from.DType())
	checkBox(t, sc, from, to, fmt.Sprintf("%s with c1 = %s, c2 = %s, c3 = %s", x.text, show(m.slots[constSlots]), show(m.slots[constSlots+1]), show(m.slots[constSlots+2])))
	return true
}

// TestEveryStepIsUsed: the random expressions of TestSimplifyKeepsValues reach
// the steps of the tables, which are no forms that could be tried alone.
func TestEveryStepIsUsed(t *testing.T) {
	seen := map[string]bool{}
	ruleUsed = func(text string) { seen[text] = true }
	defer func() { ruleUsed = nil }()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 4000 {
		sc := newScope(t, randomScopes[i%len(randomScopes)])
		var vars []*tir.Var
		for _, name := range sc.names {
			vars = append(vars, sc.vars[name])
		}
		sc.analyzer().Simplify(randomExpr(r, vars, 4, i%3 == 0))
	}
	sc := newScope(t, "i=0:4 j=0:8")
	sc.analyzer().Simplify(sc.parse(t, "mod(min(i * 4, j * 2), 2)"))
	f := tir.NewVar("f", dtype.Float32)
	NewAnalyzer().Simplify(tir.NewBinary(tir.OpSub, f, f))
	eachRule(func(op string, x *rule) {
		if x.step != nil && !seen[x.text] {
			t.Errorf("%s: %s was never used", op, x.text)
		}
	})
}
