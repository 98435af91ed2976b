package tirpass

import (
	"fmt"

	"hone/compiler/tir"
)

// FlattenBuffers makes every buffer one-dimensional, row-major unless it states
// strides, and writes each index as a linear form of the loops around it.
// Parameters change shape too; their order does not.
func FlattenBuffers(f *tir.PrimFunc) (*tir.PrimFunc, error) {
	fl := &flattener{flat: map[*tir.Buffer]*flatBuffer{}}
	g := *f
	g.Params = make([]tir.Param, len(f.Params))
	for i, p := range f.Params {
		g.Params[i] = p
		if b, ok := p.(*tir.Buffer); ok {
			fb, err := fl.buffer(b)
			if err != nil {
				return nil, err
			}
			g.Params[i] = fb.buf
		}
	}
	g.Body = fl.stmt(f.Body, bounds{})
	return &g, fl.err
}

type flatBuffer struct {
	buf     *tir.Buffer
	strides []int64
	offset  int64
}

type flattener struct {
	flat map[*tir.Buffer]*flatBuffer
	err  error
}

func (fl *flattener) buffer(b *tir.Buffer) (*flatBuffer, error) {
	if fb, ok := fl.flat[b]; ok {
		return fb, nil
	}
	shape, ok := b.StaticShape()
	if !ok {
		return nil, fmt.Errorf("buffer %s has a symbolic shape: bind its dimensions before lowering", b.Name)
	}
	strides, n := make([]int64, len(shape)), int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= shape[i]
	}
	if !b.Compact() {
		n = 1
		for i, e := range b.Strides {
			if strides[i], ok = tir.AsInt(e); !ok {
				return nil, fmt.Errorf("buffer %s has symbolic strides", b.Name)
			}
			n += strides[i] * max(shape[i]-1, 0)
		}
	}
	fb := &flatBuffer{strides: strides}
	if b.ElemOffset != nil {
		if fb.offset, ok = tir.AsInt(b.ElemOffset); !ok {
			return nil, fmt.Errorf("buffer %s has a symbolic offset", b.Name)
		}
	}
	c := *b
	c.Shape, c.Strides, c.ElemOffset = []tir.Expr{tir.Int(n + fb.offset)}, nil, nil
	fb.buf = &c
	fl.flat[b] = fb
	return fb, nil
}

func (fl *flattener) index(b *tir.Buffer, idx []tir.Expr, bd bounds) (*tir.Buffer, []tir.Expr) {
	fb, err := fl.buffer(b)
	if err != nil {
		fl.err = err
		return b, idx
	}
	l := lin{c: fb.offset}
	step, lanes := int64(0), 0
	for i, e := range idx {
		if r, ok := e.(*tir.Ramp); ok && lanes == 0 {
			if k, ok := tir.AsInt(r.Stride); ok {
				step, lanes, e = k*fb.strides[i], r.Lanes, r.Base
			}
		}
		l.addScaled(bd.linear(e), fb.strides[i])
	}
	if lanes > 0 {
		return fb.buf, []tir.Expr{ramp(l.expr(), step, lanes)}
	}
	return fb.buf, []tir.Expr{l.expr()}
}

func (fl *flattener) expr(e tir.Expr, bd bounds) tir.Expr {
	return tir.RewriteExpr(e, func(x tir.Expr) tir.Expr {
		switch x := x.(type) {
		case *tir.Load:
			b, idx := fl.index(x.Buffer, x.Indices, bd)
			return &tir.Load{Buffer: b, Indices: idx}
		case *tir.Binary:
			switch { // the operands are decided already
			case x.Op == tir.OpAnd:
				return tir.And(x.A, x.B)
			case x.Op == tir.OpOr:
				return tir.Or(x.A, x.B)
			case x.Op.IsCompare():
				return bd.decide(x)
			}
		case *tir.Not:
			return tir.NewNot(x.A)
		case *tir.Call:
			if x.Op == "if_then_else" {
				return tir.IfThenElse(x.Args[0], x.Args[1], x.Args[2])
			}
		case *tir.Select:
			return tir.NewSelect(x.Cond, x.Then, x.Else)
		}
		return x
	})
}

func (fl *flattener) stmt(s tir.Stmt, bd bounds) tir.Stmt {
	switch x := s.(type) {
	case *tir.Store:
		v := fl.expr(x.Value, bd)
		idx := make([]tir.Expr, len(x.Indices))
		for i, e := range x.Indices {
			idx[i] = fl.expr(e, bd)
		}
		b, flatIdx := fl.index(x.Buffer, idx, bd)
		return &tir.Store{Buffer: b, Value: v, Indices: flatIdx}
	case *tir.For:
		c := *x
		c.Body = fl.stmt(x.Body, bd.loop(x))
		return &c
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, y := range x.Stmts {
			out[i] = fl.stmt(y, bd)
		}
		return tir.NewSeq(out...)
	case *tir.If:
		c := &tir.If{Cond: fl.expr(x.Cond, bd), Then: fl.stmt(x.Then, bd)}
		if x.Else != nil {
			c.Else = fl.stmt(x.Else, bd)
		}
		return c
	case *tir.AllocBuffer:
		fb, err := fl.buffer(x.Buffer)
		if err != nil {
			fl.err = err
			return s
		}
		return &tir.AllocBuffer{Buffer: fb.buf, Ann: x.Ann}
	case *tir.Bind:
		return &tir.Bind{Var: x.Var, Value: fl.expr(x.Value, bd)}
	case *tir.Evaluate:
		return &tir.Evaluate{Value: fl.expr(x.Value, bd)}
	}
	return s
}
