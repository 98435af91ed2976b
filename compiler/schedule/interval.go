package schedule

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// interval is a symbolic inclusive range of integers. A nil bound is open.
type interval struct{ lo, hi tir.Expr }

func point(e tir.Expr) interval { return interval{e, e} }

func (i interval) bounded() bool { return i.lo != nil && i.hi != nil }

// rangeOf is the interval as a range.
func (i interval) rangeOf(a *arith.Analyzer) tir.Range {
	lo := a.Simplify(i.lo)
	if i.lo == i.hi {
		return tir.Range{Min: lo, Extent: tir.IntOf(1, lo.DType())}
	}
	one := tir.IntOf(1, i.lo.DType())
	end := tir.Add(i.hi, one)
	if m, ok := i.hi.(*tir.Binary); ok && m.Op == tir.OpMin {
		end = tir.Min(a.Simplify(tir.Add(m.A, one)), a.Simplify(tir.Add(m.B, one)))
	}
	return tir.Range{Min: lo, Extent: a.Simplify(tir.Sub(end, i.lo))}
}

func intervalOf(r tir.Range) interval {
	if tir.IsConst(r.Extent, 1) {
		return point(r.Min)
	}
	return interval{r.Min, tir.Sub(tir.Add(r.Min, r.Extent), tir.IntOf(1, r.Extent.DType()))}
}

// relaxer evaluates expressions to the interval they cover while the variables
// of some domains run; every other variable is a constant.
type relaxer struct {
	a    *arith.Analyzer
	vars []*tir.Var
	doms []interval
}

func (r *relaxer) add(v *tir.Var, d interval) {
	r.vars = append(r.vars, v)
	r.doms = append(r.doms, d)
}

func (r *relaxer) find(v *tir.Var) int {
	for i := len(r.vars) - 1; i >= 0; i-- {
		if r.vars[i] == v {
			return i
		}
	}
	return -1
}

func (r *relaxer) moves(e tir.Expr) bool {
	return tir.UsesVar(e, func(v *tir.Var) bool { return r.find(v) >= 0 })
}

// eval returns the interval of e, open where nothing is known.
func (r *relaxer) eval(e tir.Expr) interval {
	switch x := e.(type) {
	case *tir.IntImm:
		return point(e)
	case *tir.Var:
		if i := r.find(x); i >= 0 {
			return r.doms[i]
		}
		return point(e)
	case *tir.Binary:
		return r.binary(x)
	case *tir.Cast:
		if in := r.eval(x.Value); in.bounded() && x.Type.IsInt() {
			return mapInterval(in, func(e tir.Expr) tir.Expr { return tir.NewCast(x.Type, e) })
		}
	case *tir.Select:
		return r.union(r.eval(x.Then), r.eval(x.Else))
	case *tir.Call:
		if x.Op == "if_then_else" && len(x.Args) == 3 && r.moves(e) {
			return r.union(r.eval(x.Args[1]), r.eval(x.Args[2]))
		}
	}
	if r.moves(e) {
		return interval{}
	}
	return point(e)
}

func mapInterval(in interval, f func(tir.Expr) tir.Expr) interval {
	if in.lo == in.hi {
		return point(f(in.lo))
	}
	return interval{f(in.lo), f(in.hi)}
}

func (r *relaxer) union(a, b interval) interval {
	if !a.bounded() || !b.bounded() {
		return interval{}
	}
	return interval{r.a.Simplify(tir.Min(a.lo, b.lo)), r.a.Simplify(tir.Max(a.hi, b.hi))}
}

func (r *relaxer) binary(x *tir.Binary) interval {
	a, b := r.eval(x.A), r.eval(x.B)
	if !a.bounded() || !b.bounded() {
		return interval{}
	}
	if a.lo == a.hi && b.lo == b.hi {
		if a.lo == x.A && b.lo == x.B {
			return point(x)
		}
		return point(tir.Rebuild(x.Op, a.lo, b.lo))
	}
	switch x.Op {
	case tir.OpAdd:
		return interval{tir.Add(a.lo, b.lo), tir.Add(a.hi, b.hi)}
	case tir.OpSub:
		return interval{tir.Sub(a.lo, b.hi), tir.Sub(a.hi, b.lo)}
	case tir.OpMin:
		return interval{tir.Min(a.lo, b.lo), tir.Min(a.hi, b.hi)}
	case tir.OpMax:
		return interval{tir.Max(a.lo, b.lo), tir.Max(a.hi, b.hi)}
	case tir.OpMul:
		if c, ok := tir.AsInt(x.A); ok {
			return scaled(b, c)
		}
		if c, ok := tir.AsInt(x.B); ok {
			return scaled(a, c)
		}
	case tir.OpFloorDiv:
		if c, ok := tir.AsInt(x.B); ok && c > 0 {
			return mapInterval(a, func(e tir.Expr) tir.Expr { return r.a.Simplify(tir.FloorDiv(e, x.B)) })
		}
	case tir.OpFloorMod:
		if c, ok := tir.AsInt(x.B); ok && c > 0 {
			return r.mod(a, x.B, c)
		}
	}
	return interval{}
}

func scaled(a interval, c int64) interval {
	k := tir.IntOf(c, a.lo.DType())
	lo, hi := tir.Mul(a.lo, k), tir.Mul(a.hi, k)
	if c < 0 {
		lo, hi = hi, lo
	}
	return interval{lo, hi}
}

// mod keeps the interval when it does not cross a multiple of c.
func (r *relaxer) mod(a interval, k tir.Expr, c int64) interval {
	q1, q2 := r.a.Simplify(tir.FloorDiv(a.lo, k)), r.a.Simplify(tir.FloorDiv(a.hi, k))
	if arith.Same(q1, q2) {
		return mapInterval(a, func(e tir.Expr) tir.Expr { return r.a.Simplify(tir.FloorMod(e, k)) })
	}
	return interval{tir.IntOf(0, k.DType()), tir.IntOf(c-1, k.DType())}
}

// loopsBelow returns the loops from block id up to, not including, top.
func (st *state) loopsBelow(id, top nid) []nid {
	var out []nid
	for p := st.at(id).parent; p != top && p != none; p = st.at(p).parent {
		if st.at(p).kind == kLoop {
			out = append(out, p)
		}
	}
	return out
}

// relaxOver makes a relaxer in which the loops between block id and top run,
// and outer ones are constants with known bounds.
func (st *state) relaxOver(id, top nid) *relaxer {
	r := &relaxer{}
	if top == none {
		r.a = st.bindLoops(st.root)
	} else {
		r.a = st.bindLoops(top)
		if n := st.at(top); n.kind == kLoop {
			r.a.Bind(n.loop.Var, tir.Range{Min: n.loop.Min, Extent: n.loop.Extent})
		}
	}
	inner := st.loopsBelow(id, top)
	for i := len(inner) - 1; i >= 0; i-- {
		l := &st.at(inner[i]).loop
		// Bounds may use outer loops that run as well.
		lo, hi := r.eval(l.Min), r.eval(intervalOf(tir.Range{Min: l.Min, Extent: l.Extent}).hi)
		r.add(l.Var, interval{lo.lo, hi.hi})
		if tir.IsConst(l.Extent, 1) {
			r.doms[len(r.doms)-1] = lo
		}
	}
	return r
}

// iterIntervals is what the iterators of a block cover while the loops of r
// run: the bindings, clipped to the domains, and by those conjuncts of the
// predicate that bound one binding. exact is false when another condition, or a
// binding with holes, leaves values out.
func (st *state) iterIntervals(id nid, r *relaxer) (ins []interval, exact bool) {
	n := st.at(id)
	exact = st.dense(id, r)
	ins = make([]interval, len(n.values))
	for i, v := range n.values {
		ins[i] = r.eval(v)
		if !ins[i].bounded() {
			exact = false
			ins[i] = intervalOf(n.block.Iters[i].Dom)
		}
	}
	for _, c := range conjuncts(n.pred) {
		if !r.clip(n, ins, c) {
			exact = false
		}
	}
	return ins, exact
}

// clip narrows the interval of the binding that condition c bounds by an
// expression which does not move.
func (r *relaxer) clip(n *node, ins []interval, c tir.Expr) bool {
	b, ok := c.(*tir.Binary)
	if !ok || r.moves(b.B) {
		return !r.moves(c)
	}
	for i, v := range n.values {
		if !arith.Same(v, b.A) && (v.DType() != b.A.DType() || !tir.IsConst(r.a.Simplify(tir.Sub(v, b.A)), 0)) {
			continue
		}
		one := tir.IntOf(1, b.B.DType())
		switch b.Op {
		case tir.OpLT:
			ins[i].hi = r.smaller(ins[i].hi, tir.Sub(b.B, one))
		case tir.OpLE:
			ins[i].hi = r.smaller(ins[i].hi, b.B)
		case tir.OpGE:
			ins[i].lo = r.larger(ins[i].lo, b.B)
		case tir.OpGT:
			ins[i].lo = r.larger(ins[i].lo, tir.Add(b.B, one))
		default:
			return false
		}
		return true
	}
	return !r.moves(c)
}

func (r *relaxer) smaller(a, b tir.Expr) tir.Expr {
	a, b = tir.MatchTypes(a, b)
	if r.a.CanProve(tir.CompareFold(tir.OpLE, a, b)) {
		return a
	}
	return r.a.Simplify(tir.Min(a, b))
}

func (r *relaxer) larger(a, b tir.Expr) tir.Expr {
	a, b = tir.MatchTypes(a, b)
	if r.a.CanProve(tir.CompareFold(tir.OpGE, a, b)) {
		return a
	}
	return r.a.Simplify(tir.Max(a, b))
}

// regionIntervals is the interval of every dimension of a region of block id while the
// loops of r run and the iterators cover ins.
func (st *state) regionIntervals(id nid, r *relaxer, ins []interval, ranges []tir.Range) []interval {
	inner := relaxer{a: r.a, vars: append([]*tir.Var(nil), r.vars...), doms: append([]interval(nil), r.doms...)}
	for i, it := range st.at(id).block.Iters {
		inner.add(it.Var, ins[i])
	}
	out := make([]interval, len(ranges))
	for i, x := range ranges {
		in := inner.eval(x.Min)
		if hi := inner.eval(intervalOf(x).hi); !tir.IsConst(x.Extent, 1) {
			in.hi = hi.hi
		}
		out[i] = in
	}
	return out
}

// relaxed is the part of buf that a region of block id covers while the loops
// below top run, clamped to the buffer.
func (st *state) relaxed(id nid, ranges []tir.Range, top nid, buf *tir.Buffer) []tir.Range {
	r := st.relaxOver(id, top)
	ins, _ := st.iterIntervals(id, r)
	out := fullRegion(buf)
	for i, in := range st.regionIntervals(id, r, ins, ranges) {
		if !in.bounded() {
			continue
		}
		n := buf.Shape[i]
		zero := tir.IntOf(0, n.DType())
		last := tir.Sub(n, tir.IntOf(1, n.DType()))
		in = simplified(r.a, in)
		if lo, hi := r.larger(in.lo, zero), r.smaller(in.hi, last); lo != in.lo || hi != in.hi {
			in = interval{lo, hi}
		}
		out[i] = in.rangeOf(r.a)
	}
	return out
}
