package arith

import "hone/compiler/tir"

func dual(op tir.BinOp) tir.BinOp {
	if op == tir.OpMin {
		return tir.OpMax
	}
	return tir.OpMin
}

// ruleMinMax simplifies min and max. The comments write the rules for min; those
// for max are their mirror images.
func (s simplifier) ruleMinMax(x *tir.Binary) tir.Expr {
	a, b, op := x.A, x.B, x.Op
	if Same(a, b) {
		return a
	}
	d := s.settledDifference(a, b)
	switch {
	case d.Hi <= 0:
		return pick(op, a, b)
	case d.Lo >= 0:
		return pick(op, b, a)
	}
	if r := s.minMaxNested(op, a, b); r != nil {
		return r
	}
	if r := s.minMaxNested(op, b, a); r != nil {
		return r
	}
	if r := s.minMaxPair(op, a, b); r != nil {
		return r
	}
	if r := s.minMaxScale(op, a, b); r != nil {
		return r
	}
	return s.minMaxShift(op, a, b)
}

// pick returns lo for min and hi for max.
func pick(op tir.BinOp, lo, hi tir.Expr) tir.Expr {
	if op == tir.OpMin {
		return lo
	}
	return hi
}

// minMaxNested looks into a: min(min(x,y),x) = min(x,y), min(max(x,y),x) = x,
// min(min(x,c),d) = min(x,min(c,d)), and through provable comparisons.
func (s simplifier) minMaxNested(op tir.BinOp, a, b tir.Expr) tir.Expr {
	if in := as(op, a); in != nil {
		if Same(in.A, b) || Same(in.B, b) {
			return a
		}
		if isConst(in.B) && isConst(b) {
			return s.again(tir.Arith(op, in.A, tir.Arith(op, in.B, b)))
		}
		if op == tir.OpMin && s.settledDifference(in.B, b).Lo >= 0 || op == tir.OpMax && s.settledDifference(in.B, b).Hi <= 0 {
			return s.again(tir.Arith(op, in.A, b))
		}
		if op == tir.OpMin && s.settledDifference(in.A, b).Lo >= 0 || op == tir.OpMax && s.settledDifference(in.A, b).Hi <= 0 {
			return s.again(tir.Arith(op, in.B, b))
		}
	}
	if in := as(dual(op), a); in != nil {
		if Same(in.A, b) || Same(in.B, b) {
			return b
		}
		// min(max(x,c),d) with c >= d is d.
		if d := s.settledDifference(in.B, b); op == tir.OpMin && d.Lo >= 0 || op == tir.OpMax && d.Hi <= 0 {
			return b
		}
	}
	return nil
}

// minMaxPair joins two nested nodes with a common operand:
// min(max(x,y),max(x,z)) = max(min(y,z),x), min(min(x,y),min(x,z)) = min(min(y,z),x).
func (s simplifier) minMaxPair(op tir.BinOp, a, b tir.Expr) tir.Expr {
	p, ok1 := a.(*tir.Binary)
	q, ok2 := b.(*tir.Binary)
	if !ok1 || !ok2 || p.Op != q.Op || p.Op != tir.OpMin && p.Op != tir.OpMax {
		return nil
	}
	build := func(y, z, x tir.Expr) tir.Expr {
		return s.again(tir.Arith(p.Op, tir.Arith(op, y, z), x))
	}
	return ofShared(p, q, build)
}

// ofShared gives build the operands in which p and q, of one commutative
// operation, differ, and the one that they share; nil when they share none.
func ofShared(p, q *tir.Binary, build func(y, z, shared tir.Expr) tir.Expr) tir.Expr {
	switch {
	case Same(p.A, q.A):
		return build(p.B, q.B, p.A)
	case Same(p.A, q.B):
		return build(p.B, q.A, p.A)
	case Same(p.B, q.A):
		return build(p.A, q.B, p.B)
	case Same(p.B, q.B):
		return build(p.A, q.A, p.B)
	}
	return nil
}

// minMaxScale pulls a common factor out: min(x*c,y*c) = min(x,y)*c or, for
// negative c, max(x,y)*c; min(x//c,y//c) = min(x,y)//c for positive c.
func (s simplifier) minMaxScale(op tir.BinOp, a, b tir.Expr) tir.Expr {
	if p, q := as(tir.OpFloorDiv, a), as(tir.OpFloorDiv, b); p != nil && q != nil {
		if c, ok := tir.AsInt(p.B); ok && c > 0 && tir.IsConst(q.B, c) {
			return s.again(tir.FloorDiv(tir.Arith(op, p.A, q.A), p.B))
		}
		return nil
	}
	x, c := factor(a)
	if c == 0 || c == 1 {
		return nil
	}
	y := quotient(b, c)
	if y == nil {
		return nil
	}
	if c < 0 {
		op = dual(op)
	}
	return s.again(tir.Mul(tir.Arith(op, x, y), tir.IntOf(c, a.DType())))
}

// factor splits e into x·c with c not 1, or gives c = 0.
func factor(e tir.Expr) (tir.Expr, int64) {
	if m := as(tir.OpMul, e); m != nil {
		if c, ok := tir.AsInt(m.B); ok {
			return m.A, c
		}
	}
	return nil, 0
}

// quotient divides e by c when e is a constant, a product or a product plus a
// constant of which c divides every part; otherwise nil.
func quotient(e tir.Expr, c int64) tir.Expr {
	x, k := offset(e)
	if k%c != 0 {
		return nil
	}
	if x == nil {
		return tir.IntOf(k/c, e.DType())
	}
	y, d := factor(x)
	if d == 0 || d%c != 0 {
		return nil
	}
	return plus(tir.Mul(y, tir.IntOf(d/c, e.DType())), k/c, e)
}

// minMaxShift pulls a common summand out: min(x+y,x+z) = min(y,z)+x,
// min(y-x,z-x) = min(y,z)-x, min(x-y,x-z) = x-max(y,z), min(c-x,d) = c-max(x,c-d).
func (s simplifier) minMaxShift(op tir.BinOp, a, b tir.Expr) tir.Expr {
	if p, q := as(tir.OpAdd, a), as(tir.OpAdd, b); p != nil && q != nil {
		return ofShared(p, q, func(y, z, x tir.Expr) tir.Expr { return s.again(tir.Add(tir.Arith(op, y, z), x)) })
	}
	p, q := as(tir.OpSub, a), as(tir.OpSub, b)
	if p != nil && q != nil {
		switch {
		case Same(p.B, q.B):
			return s.again(tir.Sub(tir.Arith(op, p.A, q.A), p.B))
		case Same(p.A, q.A):
			return s.again(tir.Sub(p.A, tir.Arith(dual(op), p.B, q.B)))
		}
		return nil
	}
	if p != nil && isConst(p.A) && isConst(b) {
		return s.again(tir.Sub(p.A, tir.Arith(dual(op), p.B, tir.Sub(p.A, b))))
	}
	return nil
}
