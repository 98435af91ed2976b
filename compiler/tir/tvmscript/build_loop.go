package tvmscript

import (
	"strconv"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

var loopKinds = map[string]tir.LoopKind{"serial": tir.Serial, "parallel": tir.Parallel, "vectorized": tir.Vectorized,
	"unroll": tir.Unrolled, "thread_binding": tir.ThreadBinding}

// forLoop reads a loop over T.grid, range or one of the loop kinds.
func (b *builder) forLoop(s *forStmt) {
	n, ok := s.iter.(*callNode)
	if !ok {
		b.fail(s.iter.at(), "a loop runs over T.grid, range, T.serial, T.parallel, …")
	}
	path := dotted(n.fn)
	short, isT := cutT(path)
	c := b.opened.put(call{at: n.p, name: path})
	b.arguments(c, n)
	var loops []*tir.For
	kind, known := loopKinds[short]
	switch {
	case path == "range" || isT && short == "range":
		loops = []*tir.For{b.oneLoop(c, tir.Serial)}
	case isT && known:
		loops = []*tir.For{b.oneLoop(c, kind)}
	case isT && short == "grid":
		loops = b.grid(c)
	default:
		b.fail(s.iter.at(), "a loop runs over T.grid, range, T.serial, T.parallel, …")
	}
	names, star := []string{""}, -1
	switch t := s.target.(type) {
	case *nameNode:
		names[0] = t.id
	case *listNode:
		names, star = b.targetNames(t)
	default:
		b.fail(s.target.at(), "only names can be loop variables")
	}
	b.nest(s, loops, names, star)
}

// nest opens the loops from the outside and closes them around the body.
func (b *builder) nest(s *forStmt, loops []*tir.For, names []string, star int) {
	vals := b.values.room(len(loops))
	for _, l := range loops {
		vals = append(vals, l.Var)
	}
	b.open()
	if _, isTuple := s.target.(*listNode); isTuple {
		if len(loops) == 1 {
			b.fail(s.target.at(), "the loop has one variable, which is no tuple")
		}
		b.bindTargets(names, star, vals, s.target.at())
	} else if len(loops) == 1 {
		b.bind(names[0], vals[0])
	} else {
		star = 0
		b.bind(names[0], vals) // one name for the whole grid
	}
	nameLoops(loops, names, star)
	for _, l := range loops {
		b.push(b.scratch.frames.put(frame{kind: loopFrame, at: s.p, loop: l}))
	}
	inner := b.top()
	b.stmts(s.body)
	b.closeTo(inner)
	b.close()
	body := b.pop()
	b.frames = b.frames[:len(b.frames)-len(loops)+1] // the outer ones hold nothing else
	for i := len(loops) - 1; i >= 0; i-- {
		loops[i].Body = body
		body = loops[i]
	}
	b.emit(body)
}

// nameLoops gives loop variables the names of the targets.
func nameLoops(loops []*tir.For, names []string, star int) {
	if star >= 0 {
		names = spreadNames(names, star, len(loops))
	}
	for i, l := range loops {
		l.Var.Name = names[i]
	}
}

// spreadNames writes the starred one of names out to n names in all.
func spreadNames(names []string, star, n int) []string {
	out := append(make([]string, 0, n), names[:star]...)
	for i := range n - len(names) + 1 {
		out = append(out, names[star]+"_"+strconv.Itoa(i))
	}
	return append(out, names[star+1:]...)
}

func (b *builder) grid(c *call) []*tir.For {
	typed, cast := c.kw["dtype"]
	if len(c.args) == 0 || len(c.kw) > 0 && (!cast || len(c.kw) > 1) {
		b.fail(c.at, "T.grid takes one or more extents")
	}
	loops := b.nests.room(len(c.args))
	for _, a := range c.args {
		if pair, ok := a.val.([]any); ok {
			if len(pair) != 2 {
				b.fail(a.at, "an entry of T.grid is an extent or (start, extent)")
			}
			lo := b.scalarInt(arg{a.at, pair[0]})
			n := tir.NewCast(lo.DType(), b.scalarInt(arg{a.at, pair[1]}))
			loops = append(loops, b.ir.loops.put(tir.For{Var: b.ir.newVar("", lo.DType()), Min: lo, Extent: n}))
			continue
		}
		if v, ok := a.val.(bool); ok { // Python's bools are integers
			a.val = int64(btoi(v))
		}
		n := b.scalarInt(a)
		if _, literal := a.val.(int64); literal && n.DType() != dtype.Int32 {
			b.fail(a.at, "an extent of T.grid is an int32, or a T.int64")
		}
		if cast && typed.val != nil {
			n = tir.NewCast(b.loopType(typed), n)
		}
		loops = append(loops, b.ir.loops.put(tir.For{Var: b.ir.newVar("", n.DType()), Min: tir.IntOf(0, n.DType()), Extent: n}))
	}
	return loops
}

func (b *builder) scalarInt(a arg) tir.Expr {
	e := b.indexExpr(a.val, a.at)
	if e.DType().Lanes != 1 {
		b.fail(a.at, "%s is a vector", tir.ExprString(e))
	}
	return e
}

func btoi(v bool) int {
	if v {
		return 1
	}
	return 0
}

// loopType reads the type of a loop's variable.
func (b *builder) loopType(a arg) dtype.DType {
	t := b.dtypeArg(a)
	if t != dtype.Int32 && t != dtype.UInt32 {
		b.fail(a.at, "a loop variable of %s", t)
	}
	return t
}

// loopBound reads a bound of a loop. What is no integer becomes an int32.
func (b *builder) loopBound(a arg) tir.Expr {
	e := b.expr(a.val, a.at)
	if t := e.DType(); (t.IsFloat() || t.IsBool()) && t.Lanes == 1 {
		return tir.NewCast(dtype.Int32, e)
	}
	return b.scalarInt(a)
}

// bounds brings two bounds of a loop to their wider type; the variable is
// unsigned when either is.
func (b *builder) bounds(lo, hi tir.Expr, at pos) (tir.Expr, tir.Expr) {
	x, y := lo.DType(), hi.DType()
	if x.Lanes != 1 || y.Lanes != 1 {
		b.fail(at, "the bounds of a loop are scalars")
	}
	t := x
	if y.Bits > t.Bits {
		t = y
	}
	if x.Code == dtype.UInt || y.Code == dtype.UInt {
		t.Code = dtype.UInt
	}
	return tir.NewCast(t, lo), tir.NewCast(t, hi)
}

// oneLoop reads range(…), T.serial(…) and so on.
func (b *builder) oneLoop(c *call, kind tir.LoopKind) *tir.For {
	l := b.ir.loops.put(tir.For{Kind: kind})
	var lo, hi tir.Expr
	args := c.args
	if _, ok := c.kw["start"]; ok || len(args) > 0 {
		for i, k := range []string{"start", "stop"} {
			if a, ok := c.kw[k]; ok {
				args = append(args[:min(i, len(args)):min(i, len(args))], append([]arg{a}, args[min(i, len(args)):]...)...)
			}
		}
	}
	if l.Kind == tir.ThreadBinding && len(args) > 1 {
		if tag, ok := args[len(args)-1].val.(string); ok {
			b.thread(l, tag)
			args = args[:len(args)-1]
		}
	}
	if c.name == "range" && len(args) == 3 {
		l.Step = b.scalarInt(args[2])
		args = args[:2]
	}
	switch len(args) {
	case 1:
		if _, ok := args[0].val.(tir.Expr); ok && c.name != "range" {
			hi = b.scalarInt(args[0])
		} else {
			hi = b.loopBound(args[0])
		}
		lo = tir.IntOf(0, hi.DType())
		if c.name == "range" { // whose start is the number 0
			lo, hi = b.bounds(tir.Int(0), hi, args[0].at)
		}
	case 2:
		lo, hi = b.bounds(b.loopBound(args[0]), b.loopBound(args[1]), args[1].at)
	default:
		b.fail(c.at, "%s takes a stop, or a start and a stop", c.name)
	}
	b.loopKeywords(c, l, &lo, &hi)
	l.Min, l.Extent = lo, b.extent(lo, hi)
	l.Var = b.ir.newVar("", lo.DType())
	if l.Step != nil {
		l.Step = tir.NewCast(lo.DType(), l.Step)
	}
	if l.Kind == tir.ThreadBinding {
		if len(args) == 2 && b.expr(args[0].val, c.at).DType() != b.expr(args[1].val, c.at).DType() {
			b.fail(c.at, "T.thread_binding from %s to %s", tir.ExprString(lo), tir.ExprString(hi))
		}
		if l.Thread == nil {
			b.fail(c.at, "T.thread_binding needs thread=\"…\"")
		}
		l.Thread.Var = tir.NewVar(l.Thread.Tag, lo.DType())
	}
	return l
}

// extent is hi - lo, simplified; an end written as lo + n has extent n, which is
// how the printer writes every end.
func (b *builder) extent(lo, hi tir.Expr) tir.Expr {
	if n, ok := writtenExtent(lo, hi); ok {
		return n
	}
	return b.arith.Simplify(tir.Sub(hi, lo))
}

func writtenExtent(lo, hi tir.Expr) (tir.Expr, bool) {
	sum, ok := hi.(*tir.Binary)
	if ok && sum.Op == tir.OpAdd && (tir.EqualExpr(sum.A, lo) || sameInt(sum.A, lo)) {
		return sum.B, true
	}
	return nil, false
}

// sameInt compares integers: that of a sum has the type of the other operand.
func sameInt(a, b tir.Expr) bool {
	x, ok1 := tir.AsInt(a)
	y, ok2 := tir.AsInt(b)
	return ok1 && ok2 && x == y
}

func (b *builder) thread(l *tir.For, tag string) {
	l.Thread = &tir.IterVar{Kind: tir.Thread, Tag: tag}
}

func (b *builder) loopKeywords(c *call, l *tir.For, lo, hi *tir.Expr) {
	for k, a := range c.kw {
		switch k {
		case "start", "stop":
		case "annotations":
			if a.val != nil {
				for _, kv := range b.annotations(a) {
					l.Ann = l.Ann.With(kv.Key, kv.Value)
				}
			}
		case "step":
			if l.Kind == tir.ThreadBinding {
				b.fail(a.at, "%s has no argument step", c.name)
			}
			if a.val != nil {
				l.Step = b.scalarInt(a)
			}
		case "thread":
			if l.Kind != tir.ThreadBinding {
				b.fail(a.at, "%s has no argument thread", c.name)
			}
			b.thread(l, b.stringArg(a))
		case "unroll":
			if l.Kind != tir.Serial {
				b.fail(a.at, "%s has no argument unroll", c.name)
			}
			switch v := a.val.(type) {
			case nil:
			case bool:
				if v {
					l.Ann = l.Ann.With("pragma_unroll", true)
				} else {
					l.Ann = l.Ann.With("disable_unroll", true)
				}
			default:
				n := b.intArg(a)
				if n < 1 {
					b.fail(a.at, "unroll takes True, False or a positive number")
				}
				l.Ann = l.Ann.With("pragma_unroll", n)
			}
		case "dtype":
			if l.Kind == tir.ThreadBinding {
				b.fail(a.at, "%s has no argument dtype", c.name)
			}
			if a.val == nil {
				continue
			}
			t := b.loopType(a)
			*lo, *hi = tir.NewCast(t, *lo), tir.NewCast(t, *hi)
		default:
			b.fail(a.at, "%s has no argument %s", c.name, k)
		}
	}
}
