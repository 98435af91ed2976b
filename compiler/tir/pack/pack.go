// Package pack moves host tensors through index maps: it lays weights out at
// compile time the way a schedule asked for, and back. It imports tir, tir/arith
// and dtype; it knows nothing of schedules or artifacts. Start from Tensor.
package pack

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// maxElements bounds the size of a packed tensor, so that a bad map fails with
// an error and not for want of memory.
const maxElements = 1 << 34

// Tensor lays t out by m: element i of t becomes element m(i) of the result,
// which has the given shape; elements that m does not reach are pad, converted
// to the element type. The error says which index leaves the shape, or that m
// does not fit t.
func Tensor(t *dtype.Tensor, m *tir.IndexMap, physical []int64, pad float64) (*dtype.Tensor, error) {
	p, err := newPlan(m, t.Shape, physical)
	if err != nil {
		return nil, err
	}
	if err := t.CheckBytes(); err != nil {
		return nil, err
	}
	out := dtype.NewTensor(t.Type, physical...)
	if err := fill(out, pad); err != nil {
		return nil, err
	}
	w := int64(t.Type.Bytes())
	err = p.each(func(from, to, n int64) {
		copy(out.Data[to*w:(to+n)*w], t.Data[from*w:])
	})
	return out, err
}

// Inverse takes a tensor laid out by Tensor back to its original shape.
func Inverse(packed *dtype.Tensor, m *tir.IndexMap, shape []int64) (*dtype.Tensor, error) {
	p, err := newPlan(m, shape, packed.Shape)
	if err != nil {
		return nil, err
	}
	if err := packed.CheckBytes(); err != nil {
		return nil, err
	}
	out := dtype.NewTensor(packed.Type, shape...)
	w := int64(packed.Type.Bytes())
	err = p.each(func(from, to, n int64) {
		copy(out.Data[from*w:(from+n)*w], packed.Data[to*w:])
	})
	return out, err
}

// Shape is the shape that Tensor needs for t of the given shape.
func Shape(m *tir.IndexMap, shape []int64) ([]int64, error) { return arith.MapShape(m, shape) }

func fill(t *dtype.Tensor, pad float64) error {
	if pad == 0 || t.Len() == 0 {
		return nil
	}
	if t.Type.Lanes != 1 {
		return fmt.Errorf("cannot pad elements of type %s", t.Type)
	}
	t.SetFloat(0, pad)
	// Doubling copies spread the first element.
	for n := t.Type.Bytes(); n < len(t.Data); n *= 2 {
		copy(t.Data[n:], t.Data[:n])
	}
	return nil
}

// plan computes, for every logical element in row-major order, its place in the
// packed tensor. The flattened place is split into one table per logical
// dimension as far as it is a sum of functions of single indices, and an
// expression for the rest.
type plan struct {
	shape  []int64
	tables [][]int64
	rest   []program // one per new index, nil when the tables say all
	dims   []int64
}

func newPlan(m *tir.IndexMap, shape, physical []int64) (*plan, error) {
	if len(m.Initial) != len(shape) || len(m.Final) != len(physical) {
		return nil, fmt.Errorf("index map of %d to %d indices cannot lay shape %v out as %v", len(m.Initial), len(m.Final), shape, physical)
	}
	total := int64(1)
	for _, d := range physical {
		if d < 0 || d > 0 && total > maxElements/d {
			return nil, fmt.Errorf("packed shape %v is too large", physical)
		}
		total *= d
	}
	p := &plan{shape: shape, dims: physical, tables: make([][]int64, len(shape))}
	for d := range p.tables {
		p.tables[d] = make([]int64, shape[d])
	}
	a := arith.NewAnalyzer()
	for i, v := range m.Initial {
		a.BindBound(v, arith.Bound{Lo: 0, Hi: max(shape[i]-1, 0)})
	}
	stride := total
	for i, e := range m.Final {
		if physical[i] == 0 {
			return p, nil
		}
		stride /= physical[i]
		if err := p.add(m, a, i, e, stride); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add accounts for new index i, worth stride elements.
func (p *plan) add(m *tir.IndexMap, a *arith.Analyzer, i int, e tir.Expr, stride int64) error {
	simple := a.Simplify(e)
	parts, ok := bySingleVars(simple, m.Initial)
	// The tables hide where an index leaves the shape, so they are used only
	// when it provably does not.
	if ok && a.Bound(simple).Within(0, p.dims[i]-1) {
		for _, part := range parts {
			prog, err := compile(part.e, m.Initial)
			if err != nil {
				return err
			}
			p.tabulate(part.dim, prog, stride)
		}
		return nil
	}
	prog, err := compile(e, m.Initial)
	if err != nil {
		return err
	}
	if p.rest == nil {
		p.rest = make([]program, len(m.Final))
	}
	p.rest[i] = prog
	return nil
}

func (p *plan) tabulate(dim int, prog program, stride int64) {
	idx := make([]int64, len(p.shape))
	if dim < 0 {
		// A constant part: put it on any dimension.
		c := prog(idx) * stride
		if len(p.tables) > 0 {
			for k := range p.tables[0] {
				p.tables[0][k] += c
			}
		}
		return
	}
	for k := range p.tables[dim] {
		idx[dim] = int64(k)
		p.tables[dim][k] += prog(idx) * stride
	}
}

// part is a summand that depends on one dimension, or on none (-1).
type part struct {
	e   tir.Expr
	dim int
}

// bySingleVars cuts a sum into parts of at most one variable each.
func bySingleVars(e tir.Expr, vars []*tir.Var) ([]part, bool) {
	if b, ok := e.(*tir.Binary); ok && (b.Op == tir.OpAdd || b.Op == tir.OpSub) {
		x, ok1 := bySingleVars(b.A, vars)
		y, ok2 := bySingleVars(b.B, vars)
		if ok1 && ok2 {
			for _, q := range y {
				if b.Op == tir.OpSub {
					q.e = tir.Mul(q.e, tir.IntOf(-1, q.e.DType()))
				}
				x = append(x, q)
			}
			return x, true
		}
	}
	dim := -1
	for i, v := range vars {
		if !tir.UsesVar(e, func(u *tir.Var) bool { return u == v }) {
			continue
		}
		if dim >= 0 {
			return nil, false
		}
		dim = i
	}
	return []part{{e, dim}}, true
}

// run is a stretch of the last dimension that stays together: n elements from
// index at go to consecutive places from to.
type run struct{ at, to, n int64 }

func runsOf(table []int64) []run {
	var out []run
	for i, to := range table {
		if k := len(out) - 1; k >= 0 && out[k].to+out[k].n == to {
			out[k].n++
			continue
		}
		out = append(out, run{int64(i), to, 1})
	}
	return out
}

// each calls f with the place of every element in the original and in the packed
// tensor, n neighbours at a time.
func (p *plan) each(f func(from, to, n int64)) error {
	last := len(p.shape) - 1
	var runs []run
	if last >= 0 && p.rest == nil {
		runs = runsOf(p.tables[last])
	}
	idx := make([]int64, len(p.shape))
	from := int64(0)
	var rec func(d int, to int64) error
	rec = func(d int, to int64) error {
		switch {
		case d > last:
			if p.rest != nil {
				off, err := p.extra(idx)
				if err != nil {
					return err
				}
				to += off
			}
			f(from, to, 1)
			from++
			return nil
		case d == last && runs != nil:
			for _, r := range runs {
				f(from+r.at, to+r.to, r.n)
			}
			from += p.shape[d]
			return nil
		}
		for k, off := range p.tables[d] {
			idx[d] = int64(k)
			if err := rec(d+1, to+off); err != nil {
				return err
			}
		}
		return nil
	}
	return rec(0, 0)
}

// extra evaluates the indices that no table holds.
func (p *plan) extra(idx []int64) (int64, error) {
	off, stride := int64(0), int64(1)
	for i := len(p.dims) - 1; i >= 0; i-- {
		if prog := p.rest[i]; prog != nil {
			x := prog(idx)
			if x < 0 || x >= p.dims[i] {
				return 0, fmt.Errorf("index map sends %v to %d in dimension %d of size %d", idx, x, i, p.dims[i])
			}
			off += x * stride
		}
		stride *= p.dims[i]
	}
	return off, nil
}
