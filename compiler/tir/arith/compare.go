package arith

import "hone/compiler/tir"

// relation is what is known of two numbers, as the set of what may be: a bit each
// for equal, less and greater.
type relation uint8

const (
	isEQ    relation = 1 << iota
	isLT             // the first is less
	isGT             // the first is greater
	isLE    = isEQ | isLT
	isGE    = isEQ | isGT
	isNE    = isLT | isGT
	unknown = isEQ | isLT | isGT
)

func (r relation) decided() bool { return r == isEQ || r == isLT || r == isGT }

// compare relates two simplified numbers by the bounds of their difference and
// by what is known of exactly these two.
func (s simplifier) compare(x, y tir.Expr) relation {
	r := s.compareTo(tir.Sub(x, y), 0)
	if r.decided() || len(s.pairs) == 0 {
		return r
	}
	return r & s.comparePair(x, y)
}

// maxEffort is how many expressions one comparison may visit, comparisons inside
// of it included; what comes after is compared as it is. Only expressions of
// hundreds of nested quotients get there: they would take exponential time.
const maxEffort = 4000

// prove starts a comparison that simplifies what it compares; it reports whether
// it may. Every start is followed by proved.
func (a *Analyzer) prove() bool {
	if a.proofs == 0 {
		a.effort = 0
	}
	a.proofs++
	return a.effort < maxEffort
}

func (a *Analyzer) proved() { a.proofs-- }

// compareTo relates an expression to a constant by its bounds.
func (s simplifier) compareTo(e tir.Expr, k int64) relation {
	if s.prove() {
		e = s.visit(e)
	}
	s.proved()
	b := s.Bound(e)
	switch {
	case b.Lo == k && b.Hi == k:
		return isEQ
	case b.Lo > k:
		return isGT
	case b.Hi < k:
		return isLT
	case b.Lo >= k:
		return isGE
	case b.Hi <= k:
		return isLE
	}
	if k == 0 && s.Modular(e).Base != 0 {
		return isNE
	}
	return unknown
}

// atLeast proves e >= k by the bounds of e under the rules.
func (a *Analyzer) atLeast(e tir.Expr, k int64) bool { return a.ruledBound(e).Lo >= k }

// below proves e < k likewise.
func (a *Analyzer) below(e tir.Expr, k int64) bool { return a.ruledBound(e).Hi < k }

func (a *Analyzer) ruledBound(e tir.Expr) Bound {
	if a.prove() {
		e = a.ruled(e)
	}
	a.proved()
	return a.Bound(e)
}

// pair says that a relates to b + offset, where r is isEQ, isLE, isGE or isNE.
type pair struct {
	a, b   tir.Expr
	offset int64
	r      relation
}

// newPair reads a comparison; ok is false for anything else.
func newPair(e tir.Expr) (p pair, ok bool) {
	c, isBinary := e.(*tir.Binary)
	if !isBinary || !c.Op.IsCompare() || isConst(c.A) && isConst(c.B) {
		return pair{}, false
	}
	p.a, p.b, p.offset = offsets(c.A, c.B)
	switch c.Op {
	case tir.OpEQ:
		p.r = isEQ
	case tir.OpNE:
		p.r = isNE
	case tir.OpLE:
		p.r = isLE
	case tir.OpGE:
		p.r = isGE
	case tir.OpLT:
		p.r, p.offset = isLE, p.offset-1
	case tir.OpGT:
		p.r, p.offset = isGE, p.offset+1
	}
	return p, true
}

// offsets writes a comparison of x and y as one of x' and y' + offset; a nil
// expression is zero.
func offsets(x, y tir.Expr) (a, b tir.Expr, off int64) {
	a, c := constantOffset(x)
	b, k := constantOffset(y)
	return a, b, k - c
}

func constantOffset(e tir.Expr) (tir.Expr, int64) {
	if k, ok := tir.AsInt(e); ok {
		return nil, k
	}
	return offset(e)
}

// comparePair relates x and y by the pairs that hold between the two.
func (a *Analyzer) comparePair(x, y tir.Expr) relation {
	if !x.DType().IsSigned() {
		return unknown
	}
	l, r, off := offsets(x, y)
	out := unknown
	for _, p := range a.pairs {
		switch {
		case Same(p.a, l) && Same(p.b, r):
		case Same(p.a, r) && Same(p.b, l):
			p.offset, p.r = -p.offset, p.r.flip()
		default:
			continue
		}
		out &= p.says(off)
	}
	return out
}

// flip is the relation with the sides exchanged.
func (r relation) flip() relation {
	f := r & isEQ
	if r&isLT != 0 {
		f |= isGT
	}
	if r&isGT != 0 {
		f |= isLT
	}
	return f
}

// says is what p tells of a against b + off.
func (p *pair) says(off int64) relation {
	switch {
	case p.r == isEQ && p.offset == off:
		return isEQ
	case p.r == isEQ:
		return isNE
	case p.r == isLE && p.offset < off:
		return isLT
	case p.r == isLE && p.offset == off:
		return isLE
	case p.r == isGE && p.offset > off:
		return isGT
	case p.r == isGE && p.offset == off:
		return isGE
	case p.r == isNE && p.offset == off:
		return isNE
	}
	return unknown
}
