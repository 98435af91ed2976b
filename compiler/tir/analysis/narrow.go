package analysis

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// under runs f with the ranges of the loops inside the block narrowed by cond,
// or by its negation.
func (d *detector) under(cond tir.Expr, holds bool, f func()) {
	if len(d.dom) == 0 {
		f()
		return
	}
	saved := append([]arith.Dom(nil), d.dom...)
	if !holds {
		cond = tir.NewNot(cond)
	}
	d.narrow(d.an.Simplify(d.subst(cond)))
	f()
	d.dom = saved
}

// narrow applies the comparisons of a conjunction.
func (d *detector) narrow(c tir.Expr) {
	switch x := c.(type) {
	case *tir.Call:
		if x.Op == "likely" && len(x.Args) == 1 {
			d.narrow(x.Args[0])
		}
	case *tir.Binary:
		t := x.A.DType()
		one := func() tir.Expr { return tir.IntOf(1, t) }
		switch x.Op {
		case tir.OpAnd:
			d.narrow(x.A)
			d.narrow(x.B)
		case tir.OpLT:
			d.atMost(tir.Sub(tir.Sub(x.A, x.B), tir.IntOf(-1, t)))
		case tir.OpLE:
			d.atMost(tir.Sub(x.A, x.B))
		case tir.OpGT:
			d.atMost(tir.Add(tir.Sub(x.B, x.A), one()))
		case tir.OpGE:
			d.atMost(tir.Sub(x.B, x.A))
		case tir.OpEQ:
			d.atMost(tir.Sub(x.A, x.B))
			d.atMost(tir.Sub(x.B, x.A))
		}
	}
}

// atMost narrows the inner loop v by c·v + k <= 0, where nothing else occurs in
// the condition: v is at most -k/c for positive c, at least that for negative c.
func (d *detector) atMost(e tir.Expr) {
	for i := range d.dom {
		c, rest, ok := d.an.Linear(e, d.dom[i].Var)
		k, isConst := tir.AsInt(rest)
		if !ok || c == 0 || !isConst {
			continue
		}
		t := e.DType()
		if c > 0 {
			d.dom[i].Set = d.an.Intersect(d.dom[i].Set, arith.Interval{Hi: tir.IntOf(tir.FloorDivInt(-k, c), t)})
			continue
		}
		d.dom[i].Set = d.an.Intersect(d.dom[i].Set, arith.Interval{Lo: tir.IntOf(-tir.FloorDivInt(-k, -c), t)})
	}
}
