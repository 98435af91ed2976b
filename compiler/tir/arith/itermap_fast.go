package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Most bindings are sums of digits of loop variables with constant extents, each
// scale the product of the extents below. They are recognised here without
// building iterators, which the search does thousands of times a second;
// everything else takes the general way.

// digit is loop//lower % extent · scale.
type digit struct {
	loop                 int
	lower, extent, scale int64
}

const maxDigits = 32

// digits collects the digits of all indices; ends[i] is where index i ends.
type digits struct {
	loops []Loop
	ds    [maxDigits]digit
	n     int
}

// collect reads the digits of every index. It fails on anything but a mixed radix
// number with scales from one up, a loop used twice for the same digit, and
// unless keepUnit on loops of extent one.
func (g *digits) collect(indices []tir.Expr, ends []int, keepUnit bool) bool {
	for i, e := range indices {
		start := g.n
		if _, ok := e.(*tir.IntImm); !ok && (!isIndex(e.DType()) || !g.sum(e, 1)) {
			return false
		}
		if !g.radix(start, keepUnit) {
			return false
		}
		ends[i] = g.n
	}
	return g.disjoint()
}

func (g *digits) sum(e tir.Expr, scale int64) bool {
	if b, ok := e.(*tir.Binary); ok {
		switch b.Op {
		case tir.OpAdd:
			return g.sum(b.A, scale) && g.sum(b.B, scale)
		case tir.OpMul:
			c, ok := tir.AsInt(b.B)
			return ok && c > 0 && c < 1<<31 && scale < 1<<31 && g.sum(b.A, scale*c)
		}
	}
	d, ok := g.single(e)
	if !ok || g.n == maxDigits {
		return false
	}
	d.scale = scale
	g.ds[g.n] = d
	g.n++
	return true
}

// single reads one digit of a loop variable.
func (g *digits) single(e tir.Expr) (digit, bool) {
	switch x := e.(type) {
	case *tir.Var:
		for i := range g.loops {
			if g.loops[i].Var != x {
				continue
			}
			n, ok := tir.AsInt(g.loops[i].Dom.Extent)
			return digit{loop: i, lower: 1, extent: n}, ok && n > 0 && tir.IsConst(g.loops[i].Dom.Min, 0)
		}
	case *tir.Binary:
		c, ok := tir.AsInt(x.B)
		if !ok || c <= 1 || x.Op != tir.OpFloorDiv && x.Op != tir.OpFloorMod {
			return digit{}, false
		}
		d, ok := g.single(x.A)
		if !ok || c >= d.extent || d.extent%c != 0 {
			return digit{}, false
		}
		if x.Op == tir.OpFloorDiv {
			d.lower, d.extent = d.lower*c, d.extent/c
		} else {
			d.extent = c
		}
		return d, true
	}
	return digit{}, false
}

// radix checks the digits from start on: sorted by falling scale they must be a
// mixed radix number of different loops.
func (g *digits) radix(start int, keepUnit bool) bool {
	ds := g.ds[start:g.n]
	for i := 1; i < len(ds); i++ {
		for j := i; j > 0 && ds[j].scale > ds[j-1].scale; j-- {
			ds[j], ds[j-1] = ds[j-1], ds[j]
		}
	}
	want := int64(1)
	for i := len(ds) - 1; i >= 0; i-- {
		d := &ds[i]
		if d.scale != want || d.extent == 1 && !keepUnit {
			return false
		}
		for j := range i {
			if ds[j].loop == d.loop {
				return false
			}
		}
		want *= d.extent
	}
	return true
}

// disjoint checks that digits of one loop do not overlap.
func (g *digits) disjoint() bool {
	for i := range g.n {
		for j := range i {
			x, y := &g.ds[i], &g.ds[j]
			if x.loop != y.loop {
				continue
			}
			if x.lower > y.lower {
				x, y = y, x
			}
			if y.lower%(x.lower*x.extent) != 0 {
				return false
			}
		}
	}
	return true
}

// simplifyDigits is IterMapSimplify for indices of that form under a predicate
// that bounds whole indices only.
func simplifyDigits(indices []tir.Expr, loops []Loop, pred tir.Expr, trivial bool) ([]tir.Expr, bool) {
	var endsBuf [16]int
	if len(indices) > len(endsBuf) || !boundsWholes(pred, indices) {
		return nil, false
	}
	g := digits{loops: loops}
	ends := endsBuf[:len(indices)]
	if !g.collect(indices, ends, !trivial) {
		return nil, false
	}
	var out []tir.Expr
	start := 0
	for i, e := range indices {
		ds := g.ds[start:ends[i]]
		start = ends[i]
		if len(ds) == 0 || g.written(e, ds) {
			continue
		}
		if out == nil {
			out = append(out, indices...)
		}
		out[i] = g.write(ds, e.DType())
	}
	if out == nil {
		return indices, true
	}
	return out, true
}

// boundsWholes reports whether every conjunct of pred compares an index with a
// constant from above, so that the predicate does not change the form.
func boundsWholes(pred tir.Expr, indices []tir.Expr) bool {
	if pred == nil || tir.IsConst(pred, 1) {
		return true
	}
	if b := as(tir.OpAnd, pred); b != nil {
		return boundsWholes(b.A, indices) && boundsWholes(b.B, indices)
	}
	b := as(tir.OpLT, pred)
	if b == nil || !isConst(b.B) {
		return false
	}
	for _, e := range indices {
		if Same(e, b.A) {
			return true
		}
	}
	return false
}

// term writes d without its scale.
func (g *digits) term(d *digit) term {
	t := term{g.loops[d.loop].Var, d.lower, PosInf, d.scale, true}
	if n, _ := tir.AsInt(g.loops[d.loop].Dom.Extent); d.lower*d.extent != n {
		t.upper = d.lower * d.extent
	}
	return t
}

// written reports whether e is what write makes of ds.
func (g *digits) written(e tir.Expr, ds []digit) bool {
	for i := len(ds) - 1; i > 0; i-- {
		b := as(tir.OpAdd, e)
		t := g.term(&ds[i])
		if b == nil || !t.is(b.B, t.scale) {
			return false
		}
		e = b.A
	}
	t := g.term(&ds[0])
	return t.is(e, t.scale)
}

func (g *digits) write(ds []digit, t dtype.DType) tir.Expr {
	var e tir.Expr
	for i := range ds {
		x := g.term(&ds[i])
		if p := x.expr(1, t); e == nil {
			e = p
		} else {
			e = tir.NewBinary(tir.OpAdd, e, p)
		}
	}
	return e
}
