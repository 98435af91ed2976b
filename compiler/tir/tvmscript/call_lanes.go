package tvmscript

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// lanesArg reads a number of lanes: a constant, or a multiple of T.vscale().
func (b *builder) lanesArg(a arg) int {
	e := b.indexExpr(a.val, a.at)
	if n, ok := lanesOf(e); ok {
		return n
	}
	b.fail(a.at, "%s is no number of lanes: a constant, or T.vscale() times one", tir.ExprString(e))
	return 0
}

// lanesOf finds the lanes of a vector of e elements.
func lanesOf(e tir.Expr) (int, bool) {
	if n, ok := tir.AsInt(e); ok {
		return int(n), n > 1 && n <= dtype.MaxLanes
	}
	x, ok := uncast(e).(*tir.Binary)
	if !ok || x.Op != tir.OpMul {
		return 0, false
	}
	size, factor := x.A, x.B
	if _, swapped := tir.AsInt(size); swapped {
		size, factor = factor, size
	}
	n, ok := tir.AsInt(factor)
	c, isCall := uncast(size).(*tir.Call)
	return dtype.Scalable(int(n)), ok && isCall && c.Op == "vscale" && n > 0 && n < dtype.MaxLanes
}

func uncast(e tir.Expr) tir.Expr {
	if c, ok := e.(*tir.Cast); ok {
		return c.Value
	}
	return e
}

func ramp(b *builder, c *call) any {
	a := b.positional(c, 3, 3)
	x, y := tir.MatchTypes(b.operand(a[0].val, a[0].at), b.operand(a[1].val, a[1].at))
	if x.DType().Lanes != 1 {
		b.fail(c.at, "a ramp of vectors")
	}
	return &tir.Ramp{Base: x, Stride: y, Lanes: b.lanesArg(a[2])}
}

func broadcast(b *builder, c *call) any {
	a := b.positional(c, 2, 2)
	x := b.operand(a[0].val, a[0].at)
	if x.DType().Lanes != 1 {
		b.fail(c.at, "a broadcast of a vector")
	}
	return &tir.Broadcast{Value: x, Lanes: b.lanesArg(a[1])}
}
