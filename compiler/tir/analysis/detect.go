package analysis

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// touched is the hull so far of one buffer.
type touched struct {
	buffer *tir.Buffer
	dims   []arith.Interval
}

// detector walks one block. dom holds the loops inside the block, lets the
// values of its bindings.
type detector struct {
	block         *tir.Block
	an            arith.Analyzer
	dom           []arith.Dom
	lets          map[*tir.Var]tir.Expr
	local         []*tir.Buffer // flat allocations inside the block
	reads, writes []touched
	opaque        []*tir.Buffer
}

// declarations records the loads in what the block says before its statements:
// an index of a region, or a bound of an iterator, may load.
func (d *detector) declarations() {
	ranges := func(rs ...tir.Range) {
		for _, r := range rs {
			d.expr(r.Min)
			d.expr(r.Extent)
		}
	}
	for _, it := range d.block.Iters {
		ranges(it.Dom)
	}
	for _, r := range d.block.Reads {
		ranges(r.Ranges...)
	}
	for _, r := range d.block.Writes {
		ranges(r.Ranges...)
	}
	for _, m := range d.block.Matches {
		ranges(m.Source.Ranges...)
	}
}

func (d *detector) stmt(s tir.Stmt) {
	switch x := s.(type) {
	case nil:
	case *tir.Store:
		d.touch(&d.writes, x.Buffer, x.Indices)
		d.expr(x.Value)
		d.exprs(x.Indices)
	case *tir.Seq:
		for _, c := range x.Stmts {
			d.stmt(c)
		}
	case *tir.For:
		d.expr(x.Min)
		d.expr(x.Extent)
		d.dom = append(d.dom, arith.Dom{Var: x.Var, Set: arith.RangeInterval(tir.Range{Min: d.subst(x.Min), Extent: d.subst(x.Extent)})})
		d.stmt(x.Body)
		d.dom = d.dom[:len(d.dom)-1]
	case *tir.If:
		d.expr(x.Cond)
		d.under(x.Cond, true, func() { d.stmt(x.Then) })
		if x.Else != nil {
			d.under(x.Cond, false, func() { d.stmt(x.Else) })
		}
	case *tir.BlockRealize:
		d.realize(x)
	case *tir.AllocBuffer:
		d.local = append(d.local, x.Buffer)
	case *tir.Bind:
		d.expr(x.Value)
		if d.lets == nil {
			d.lets = map[*tir.Var]tir.Expr{}
		}
		d.lets[x.Var] = d.subst(x.Value)
	case *tir.Evaluate:
		d.expr(x.Value)
	case *tir.DeclBuffer:
		d.expr(x.Data)
		d.local = append(d.local, x.Buffer)
	case *tir.AttrStmt:
		d.stmt(x.Body)
	case *tir.While:
		d.expr(x.Cond)
		d.stmt(x.Body)
	case *tir.Assert:
		d.expr(x.Cond)
	}
}

func (d *detector) subst(e tir.Expr) tir.Expr {
	if len(d.lets) == 0 {
		return e
	}
	return tir.Substitute(e, d.lets)
}

func (d *detector) exprs(es []tir.Expr) {
	for _, e := range es {
		d.expr(e)
	}
}

// expr records the loads of e in pre-order, narrowing loops inside branches.
func (d *detector) expr(e tir.Expr) {
	switch x := e.(type) {
	case *tir.Var, *tir.IntImm, *tir.FloatImm, *tir.StringImm:
	case *tir.Binary:
		d.expr(x.A)
		d.expr(x.B)
	case *tir.Not:
		d.expr(x.A)
	case *tir.Cast:
		d.expr(x.Value)
	case *tir.Select:
		d.expr(x.Cond)
		d.expr(x.Then)
		d.expr(x.Else)
	case *tir.Let:
		d.let(x)
	case *tir.Ramp:
		d.expr(x.Base)
		d.expr(x.Stride)
	case *tir.Broadcast:
		d.expr(x.Value)
	case *tir.Load:
		d.touch(&d.reads, x.Buffer, x.Indices)
		d.exprs(x.Indices)
	case *tir.BufferRef:
		d.pointer(x.Buffer)
	case *tir.Call:
		d.call(x)
	}
}

func (d *detector) let(x *tir.Let) {
	d.expr(x.Value)
	if d.lets == nil {
		d.lets = map[*tir.Var]tir.Expr{}
	}
	d.lets[x.Var] = d.subst(x.Value)
	d.expr(x.Body)
	delete(d.lets, x.Var)
}

// Access pointers are calls of this operator with a type, the buffer's pointer,
// an offset, an extent and a mask: 1 reads, 2 writes, 3 both.
const accessPtr = "tvm_access_ptr"

func (d *detector) call(x *tir.Call) {
	if x.Op == "if_then_else" && len(x.Args) == 3 {
		d.expr(x.Args[0])
		d.under(x.Args[0], true, func() { d.expr(x.Args[1]) })
		d.under(x.Args[0], false, func() { d.expr(x.Args[2]) })
		return
	}
	if x.Op == accessPtr && len(x.Args) == 5 {
		if b, ok := x.Args[1].(*tir.BufferRef); ok {
			mask, _ := tir.AsInt(x.Args[4])
			switch mask {
			case 1:
				d.add(&d.reads, b.Buffer, fullDims(b.Buffer))
			case 2:
				d.add(&d.writes, b.Buffer, fullDims(b.Buffer))
			default:
				d.pointer(b.Buffer)
			}
			d.expr(x.Args[2])
			d.expr(x.Args[3])
			return
		}
	}
	d.exprs(x.Args)
}

func fullDims(b *tir.Buffer) []arith.Interval {
	out := make([]arith.Interval, len(b.Shape))
	for i, r := range FullRegion(b).Ranges {
		out[i] = arith.RangeInterval(r)
	}
	return out
}

func (d *detector) pointer(b *tir.Buffer) {
	b, _, ok := d.outside(b, nil)
	if !ok {
		return
	}
	for _, o := range d.opaque {
		if o == b {
			return
		}
	}
	d.opaque = append(d.opaque, b)
}

// touch records an access to one element, or a vector of them.
func (d *detector) touch(list *[]touched, b *tir.Buffer, indices []tir.Expr) {
	if d.inside(b) {
		return
	}
	dims := make([]arith.Interval, len(indices))
	for i, e := range indices {
		dims[i] = d.index(d.subst(e))
	}
	d.add(list, b, dims)
}

// index is the interval of an index; a ramp spans from its base to its last
// element.
func (d *detector) index(e tir.Expr) arith.Interval {
	if !e.DType().IsInt() && (!e.DType().IsBool() || tir.HasLoad(e)) { // bounds are of integers
		return arith.Everything
	}
	switch x := e.(type) {
	case *tir.Broadcast:
		return d.an.EvalSet(x.Value, d.dom)
	case *tir.Ramp:
		span := tir.Mul(x.Stride, tir.Sub(tir.LanesExpr(x.Lanes, x.Stride.DType()), tir.IntOf(1, x.Stride.DType())))
		first, last := d.an.EvalSet(x.Base, d.dom), d.an.EvalSet(tir.Add(x.Base, span), d.dom)
		return d.an.Union(first, last)
	}
	return d.an.EvalSet(e, d.dom)
}

// realize adds the declared regions of a nested block, its iterators replaced by
// their bindings and relaxed over the loops between.
func (d *detector) realize(x *tir.BlockRealize) {
	sub := make(map[*tir.Var]tir.Expr, len(x.Values))
	for i, it := range x.Block.Iters {
		sub[it.Var] = d.subst(x.Values[i])
	}
	d.nested(&d.reads, x.Block.Reads, sub)
	d.nested(&d.writes, x.Block.Writes, sub)
}

func (d *detector) nested(list *[]touched, rs []tir.Region, sub map[*tir.Var]tir.Expr) {
	for _, r := range rs {
		if d.inside(r.Buffer) {
			continue
		}
		dims := make([]arith.Interval, len(r.Ranges))
		for i, x := range r.Ranges {
			y := tir.Range{Min: tir.Substitute(d.subst(x.Min), sub), Extent: tir.Substitute(d.subst(x.Extent), sub)}
			dims[i] = d.an.EvalInterval(arith.RangeInterval(y), d.dom)
		}
		d.add(list, r.Buffer, dims)
	}
}

// inside reports whether b lives in the block.
func (d *detector) inside(b *tir.Buffer) bool {
	for _, x := range d.block.Allocs {
		if x == b {
			return true
		}
	}
	for _, x := range d.local {
		if x == b {
			return true
		}
	}
	return false
}

// outside maps an access through one of the block's match buffers to its source,
// and says whether the buffer lives outside the block.
func (d *detector) outside(b *tir.Buffer, dims []arith.Interval) (*tir.Buffer, []arith.Interval, bool) {
	for i := range d.block.Matches {
		m := &d.block.Matches[i]
		if m.Buffer != b {
			continue
		}
		if dims != nil {
			dims = d.mapMatch(m, dims)
		}
		b = m.Source.Buffer
		break
	}
	return b, dims, !d.inside(b)
}

// mapMatch shifts an access of a match buffer by the mins of its source region;
// leading dimensions that the match drops are points of the source.
func (d *detector) mapMatch(m *tir.MatchRegion, dims []arith.Interval) []arith.Interval {
	lead := len(m.Source.Ranges) - len(dims)
	out := make([]arith.Interval, len(m.Source.Ranges))
	for i, r := range m.Source.Ranges {
		if i < lead {
			out[i] = arith.RangeInterval(r)
			continue
		}
		at := tir.Range{Min: tir.Int(0), Extent: m.Buffer.Shape[i-lead]}
		if s := dims[i-lead]; s.Bounded() {
			n := tir.Sub(tir.Add(s.Hi, tir.IntOf(1, s.Hi.DType())), s.Lo)
			at = tir.Range{Min: d.an.Simplify(s.Lo), Extent: d.an.Simplify(n)}
		}
		out[i] = d.an.EvalRange(tir.Range{Min: tir.Add(r.Min, at.Min), Extent: at.Extent}, d.dom)
	}
	return out
}

func (d *detector) add(list *[]touched, b *tir.Buffer, dims []arith.Interval) {
	b, dims, ok := d.outside(b, dims)
	if !ok {
		return
	}
	for i := range *list {
		t := &(*list)[i]
		if t.buffer != b {
			continue
		}
		for j := range dims {
			t.dims[j] = d.an.Union(t.dims[j], dims[j])
		}
		return
	}
	*list = append(*list, touched{b, dims})
}

func (d *detector) regions(ts []touched) []tir.Region {
	out := make([]tir.Region, len(ts))
	for i, t := range ts {
		r := tir.Region{Buffer: t.buffer, Ranges: make([]tir.Range, len(t.dims))}
		for j, s := range t.dims {
			r.Ranges[j] = tir.Range{Min: tir.Int(0), Extent: t.buffer.Shape[j]}
			if s.Bounded() {
				r.Ranges[j] = d.an.Cover(s, t.buffer.Shape[j])
			}
		}
		out[i] = r
	}
	return out
}
