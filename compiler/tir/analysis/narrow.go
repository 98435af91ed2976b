package analysis

import (
	"slices"

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
	if !holds {
		cond = tir.NewNot(cond)
	}
	saved := d.dom
	if dom, ok := d.narrowed(comparisons(nil, d.an.Simplify(d.subst(cond)))); ok {
		d.dom = dom
	}
	f()
	d.dom = saved
}

// comparisons lists those of a conjunction that compare sums, products and
// quotients of variables.
func comparisons(to []*tir.Binary, c tir.Expr) []*tir.Binary {
	switch x := c.(type) {
	case *tir.Call:
		if x.Op == "likely" && len(x.Args) == 1 {
			return comparisons(to, x.Args[0])
		}
	case *tir.Binary:
		switch x.Op {
		case tir.OpAnd:
			return comparisons(comparisons(to, x.A), x.B)
		case tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE, tir.OpEQ, tir.OpNE:
			if isPlain(x.A) && isPlain(x.B) {
				return append(to, x)
			}
		}
	}
	return to
}

func isPlain(e tir.Expr) bool {
	plain := true
	tir.Walk(e, func(e tir.Expr) bool {
		switch x := e.(type) {
		case *tir.Var, *tir.IntImm:
		case *tir.Binary:
			plain = plain && x.Op <= tir.OpFloorMod && x.Op != tir.OpDiv
		default:
			plain = false
		}
		return plain
	})
	return plain
}

// narrowed are the loops under comparisons. One that bounds no single variable
// from both sides, and does not follow from those that do, leaves all loops as
// they were: the solver that this mirrors gives up as a whole.
func (d *detector) narrowed(cs []*tir.Binary) ([]arith.Dom, bool) {
	if len(cs) == 0 {
		return d.dom, true
	}
	dom := slices.Clone(d.dom)
	var open []*tir.Binary
	for _, c := range cs {
		if !d.bound(&dom, c) {
			open = append(open, c)
		}
	}
	a := arith.NewAnalyzer()
	for i, x := range dom {
		if x.Set.Lo == nil || x.Set.Hi == nil {
			if i < len(d.dom) {
				continue
			}
			return nil, false
		}
		n := tir.Sub(x.Set.Hi, tir.Sub(x.Set.Lo, tir.IntOf(1, x.Set.Lo.DType())))
		if c, ok := tir.AsInt(a.Simplify(n)); ok && c <= 0 {
			return nil, false
		}
		a.Bind(x.Var, tir.Range{Min: x.Set.Lo, Extent: a.Simplify(n)})
	}
	for _, c := range open {
		if !a.CanProve(c) {
			return nil, false
		}
	}
	return dom[:len(d.dom)], true
}

// bound narrows the one variable of a comparison; one that is no loop joins them.
func (d *detector) bound(dom *[]arith.Dom, c *tir.Binary) bool {
	v := onlyVar(c)
	if v == nil {
		return false
	}
	t := c.A.DType()
	one := tir.IntOf(1, t)
	less, more := tir.Sub(c.A, c.B), tir.Sub(c.B, c.A)
	switch c.Op {
	case tir.OpLT:
		return d.atMost(dom, v, tir.Add(less, one))
	case tir.OpLE:
		return d.atMost(dom, v, less)
	case tir.OpGT:
		return d.atMost(dom, v, tir.Add(more, one))
	case tir.OpGE:
		return d.atMost(dom, v, more)
	case tir.OpEQ:
		return d.atMost(dom, v, less) && d.atMost(dom, v, more)
	}
	return false
}

func onlyVar(c *tir.Binary) *tir.Var {
	var only *tir.Var
	many := false
	tir.Walk(c, func(e tir.Expr) bool {
		if v, ok := e.(*tir.Var); ok {
			many = many || only != nil && only != v
			only = v
		}
		return true
	})
	if many {
		return nil
	}
	return only
}

// atMost narrows v by c·v + k <= 0: it is at most -k/c for positive c, at least
// that for negative c.
func (d *detector) atMost(dom *[]arith.Dom, v *tir.Var, e tir.Expr) bool {
	c, rest, ok := d.an.Linear(e, v)
	k, isConst := tir.AsInt(rest)
	if !ok || c == 0 || !isConst {
		return false
	}
	i := slices.IndexFunc(*dom, func(x arith.Dom) bool { return x.Var == v })
	if i < 0 {
		i = len(*dom)
		*dom = append(*dom, arith.Dom{Var: v})
	}
	t, set := e.DType(), arith.Interval{}
	if c > 0 {
		set.Hi = tir.IntOf(tir.FloorDivInt(-k, c), t)
	} else {
		set.Lo = tir.IntOf(-tir.FloorDivInt(-k, -c), t)
	}
	(*dom)[i].Set = d.an.Intersect((*dom)[i].Set, set)
	return true
}
