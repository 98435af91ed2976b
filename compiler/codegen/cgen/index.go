package cgen

import (
	"sort"
	"strconv"
	"strings"

	"hone/compiler/tir"
)

// lin is an index as a sum: c plus coefficients times atoms, which are C
// expressions of type i64.
type lin struct {
	c     int64
	terms []term
}

type term struct {
	atom  string
	depth int  // of the outermost segment where the atom is known
	late  bool // the atom reads memory: it must stay where it is
	coef  int64
}

func (l *lin) add(m lin, scale int64) {
	l.c += m.c * scale
	for _, t := range m.terms {
		t.coef *= scale
		l.addTerm(t)
	}
}

func (l *lin) addTerm(t term) {
	for i := range l.terms {
		if l.terms[i].atom == t.atom {
			l.terms[i].coef += t.coef
			if l.terms[i].coef == 0 {
				l.terms = append(l.terms[:i:i], l.terms[i+1:]...)
			}
			return
		}
	}
	if t.coef != 0 {
		l.terms = append(l.terms[:len(l.terms):len(l.terms)], t)
	}
}

func constant(c int64) lin { return lin{c: c} }

// linear reads a scalar integer expression as a sum, in 64 bits: indices and
// loop bounds do not overflow.
func (f *fn) linear(e tir.Expr) lin {
	switch e := e.(type) {
	case *tir.IntImm:
		return constant(e.Value)
	case *tir.Var:
		v := f.variable(e)
		if v.fixed != nil {
			return *v.fixed
		}
		return lin{terms: []term{{atom: f.indexName(v), depth: v.depth, coef: 1}}}
	case *tir.Cast:
		if e.Type.IsInt() && e.Value.DType().IsInt() && e.Type.Bits >= e.Value.DType().Bits && e.Type.Bits >= 32 {
			return f.linear(e.Value)
		}
	case *tir.Binary:
		if e.T.IsInt() {
			return f.linearBinary(e)
		}
	}
	return f.lateAtom(e)
}

// indexName is a variable as an i64.
func (f *fn) indexName(v *variable) string {
	if v.loop {
		return v.name
	}
	return "(i64)" + v.name
}

// lateAtom is an expression that index arithmetic takes as it is.
func (f *fn) lateAtom(e tir.Expr) lin {
	return lin{terms: []term{{atom: "(i64)" + f.value(e, 0, 1).text, depth: f.depth(), late: true, coef: 1}}}
}

func (f *fn) linearBinary(e *tir.Binary) lin {
	if !indexPure(e) {
		// Loaded values wrap in their own type.
		if e.Op != tir.OpAdd && e.Op != tir.OpSub && e.Op != tir.OpMul {
			return f.lateAtom(e)
		}
	}
	a, b := f.linear(e.A), f.linear(e.B)
	switch e.Op {
	case tir.OpAdd, tir.OpSub:
		scale := int64(1)
		if e.Op == tir.OpSub {
			scale = -1
		}
		out := lin{terms: append([]term{}, a.terms...), c: a.c}
		out.add(b, scale)
		return out
	case tir.OpMul:
		if len(a.terms) == 0 {
			a, b = b, a
		}
		if len(b.terms) == 0 {
			out := lin{}
			out.add(a, b.c)
			return out
		}
	}
	return f.opaque(e, a, b)
}

// opaque makes one atom of an operation that is not a sum, hoisted to where
// both operands are known.
func (f *fn) opaque(e *tir.Binary, a, b lin) lin {
	x, y := f.sum(a), f.sum(b)
	late := isLate(a) || isLate(b)
	nonNegative := f.rangeOf(e.A).lo >= 0 && f.rangeOf(e.B).lo > 0
	var text string
	switch e.Op {
	case tir.OpMul:
		text = x + " * " + y
	case tir.OpFloorDiv, tir.OpDiv, tir.OpFloorMod, tir.OpMod:
		var safe bool
		text, safe = f.divide(e.Op, x, y, b, nonNegative)
		late = late || !safe
	case tir.OpMin, tir.OpMax:
		name := map[tir.BinOp]string{tir.OpMin: "min", tir.OpMax: "max"}[e.Op]
		text = f.k.u.extremum(name, intElem(64, true), 1) + "(" + x + ", " + y + ")"
	default:
		return f.lateAtom(e)
	}
	if late {
		return lin{terms: []term{{atom: "(" + text + ")", depth: f.depth(), late: true, coef: 1}}}
	}
	depth := max(maxDepth(a), maxDepth(b))
	return lin{terms: []term{{atom: f.hoist(text, depth), depth: depth, coef: 1}}}
}

// divide spells a division or remainder of i64; safe says that it cannot trap
// wherever it is hoisted to.
func (f *fn) divide(op tir.BinOp, x, y string, divisor lin, nonNegative bool) (text string, safe bool) {
	constantDivisor := len(divisor.terms) == 0
	safe = constantDivisor && divisor.c != 0
	floor := op == tir.OpFloorDiv || op == tir.OpFloorMod
	quotient := op == tir.OpFloorDiv || op == tir.OpDiv
	if c := divisor.c; constantDivisor && floor && c > 0 && c&(c-1) == 0 {
		if quotient {
			return x + " >> " + strconv.Itoa(log2(c)), true
		}
		return x + " & " + strconv.FormatInt(c-1, 10), true
	}
	sign := map[bool]string{true: " / ", false: " % "}[quotient]
	if nonNegative || !floor {
		return x + sign + y, safe
	}
	return f.k.u.floorDivide(quotient, intElem(64, true), 1) + "(" + x + ", " + y + ")", safe
}

func log2(c int64) int {
	n := 0
	for c > 1 {
		c >>= 1
		n++
	}
	return n
}

func isLate(l lin) bool {
	for _, t := range l.terms {
		if t.late {
			return true
		}
	}
	return false
}

func maxDepth(l lin) int {
	d := 0
	for _, t := range l.terms {
		d = max(d, t.depth)
	}
	return d
}

// sum spells a linear form as one operand: sums of atoms are hoisted level by
// level, so that accesses that differ by constants share one temporary and
// each loop adds only what changes in it.
func (f *fn) sum(l lin) string {
	base := f.base(l)
	switch {
	case base == "":
		return parenNegative(strconv.FormatInt(l.c, 10))
	case l.c == 0:
		return base
	case l.c < 0:
		return "(" + base + " - " + strconv.FormatUint(uint64(-l.c), 10) + ")"
	}
	return "(" + base + " + " + strconv.FormatInt(l.c, 10) + ")"
}

// base is the part of a sum that varies, or "".
func (f *fn) base(l lin) string {
	terms := append([]term{}, l.terms...)
	sort.SliceStable(terms, func(i, j int) bool {
		a, b := terms[i], terms[j]
		if a.late != b.late {
			return b.late
		}
		if a.depth != b.depth {
			return a.depth < b.depth
		}
		return a.atom < b.atom
	})
	cur := ""
	for i := 0; i < len(terms); {
		j := i
		parts := []string{}
		if cur != "" {
			parts = append(parts, cur)
		}
		for ; j < len(terms) && terms[j].depth == terms[i].depth && terms[j].late == terms[i].late; j++ {
			parts = append(parts, terms[j].product())
		}
		text := strings.Join(parts, " + ")
		switch {
		case terms[i].late:
			cur = "(" + text + ")"
		case len(parts) == 1 && terms[i].coef == 1:
			cur = text
		default:
			cur = f.hoist(text, terms[i].depth)
		}
		i = j
	}
	return cur
}

func (t term) product() string {
	if t.coef == 1 {
		return t.atom
	}
	return t.atom + " * " + parenNegative(strconv.FormatInt(t.coef, 10))
}

// indexPure reports whether an integer expression is made of loop variables and
// constants only: it may then be computed in 64 bits anywhere.
func indexPure(e tir.Expr) bool {
	pure := true
	tir.Walk(e, func(x tir.Expr) bool {
		switch x := x.(type) {
		case *tir.IntImm:
			pure = pure && x.Type.IsInt()
		case *tir.Var:
			pure = pure && x.Type.IsInt() && x.Type.Lanes == 1
		case *tir.Cast:
			pure = pure && x.Type.IsInt() && x.Type.Bits >= 32 && x.Value.DType().IsInt() && x.Type.Bits >= x.Value.DType().Bits
		case *tir.Binary:
			pure = pure && x.T.IsInt() && x.T.Bits >= 32 && x.T.IsSigned()
		default:
			pure = false
		}
		return pure
	})
	return pure
}

// asRamp reads a vector index as base, base+stride, …; the stride is a scalar.
func asRamp(e tir.Expr) (base, stride tir.Expr, ok bool) {
	switch e := e.(type) {
	case *tir.Ramp:
		return e.Base, e.Stride, e.Base.DType().Lanes == 1
	case *tir.Broadcast:
		return e.Value, tir.IntOf(0, e.Value.DType()), e.Value.DType().Lanes == 1
	case *tir.Cast:
		if b, s, ok := asRamp(e.Value); ok && e.Type.IsInt() && e.Type.Bits >= e.Value.DType().Bits {
			t := e.Type.Element()
			return tir.NewCast(t, b), tir.NewCast(t, s), true
		}
	case *tir.Binary:
		ba, sa, ok1 := asRamp(e.A)
		bb, sb, ok2 := asRamp(e.B)
		if !ok1 || !ok2 {
			return nil, nil, false
		}
		switch e.Op {
		case tir.OpAdd:
			return tir.Add(ba, bb), tir.Add(sa, sb), true
		case tir.OpSub:
			return tir.Sub(ba, bb), tir.Sub(sa, sb), true
		case tir.OpMul:
			if tir.IsConst(sa, 0) {
				return tir.Mul(ba, bb), tir.Mul(sb, ba), true
			}
			if tir.IsConst(sb, 0) {
				return tir.Mul(ba, bb), tir.Mul(sa, bb), true
			}
		}
	}
	return nil, nil, false
}
