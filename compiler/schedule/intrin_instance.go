package schedule

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// implementation is the root block of an intrinsic's implementation with
// variables and buffers of its own, so that several may stand in one function.
type implementation struct {
	params []*tir.Buffer
	block  *tir.Block
}

// instance copies the implementation. Where the function indexes with 64 bits,
// so does the copy: loops, iterators, indices, shapes and strides.
func (in *Intrin) instance(bits int) *implementation {
	c := copier{wide: bits > 32, vars: map[*tir.Var]*tir.Var{}, bufs: map[*tir.Buffer]*tir.Buffer{}, index: map[*tir.Var]bool{}}
	out := &implementation{}
	for _, b := range in.Impl.Buffers() {
		c.indexVars(b)
	}
	c.collect(in.Impl.Body)
	for _, b := range in.Impl.Buffers() {
		out.params = append(out.params, c.buffer(b))
	}
	out.block = c.stmt(in.Impl.Body).(*tir.BlockRealize).Block
	return out
}

// copier renames the variables and buffers that a function defines. index are
// the variables that count places.
type copier struct {
	wide  bool
	vars  map[*tir.Var]*tir.Var
	bufs  map[*tir.Buffer]*tir.Buffer
	index map[*tir.Var]bool
}

func (c *copier) note(e tir.Expr) {
	tir.Walk(e, func(e tir.Expr) bool {
		if v, ok := e.(*tir.Var); ok {
			c.index[v] = true
		}
		return true
	})
}

func (c *copier) indexVars(b *tir.Buffer) {
	for _, e := range b.Shape {
		c.note(e)
	}
	for _, e := range b.Strides {
		c.note(e)
	}
	if b.ElemOffset != nil {
		c.note(b.ElemOffset)
	}
}

// collect finds the variables that a statement counts places with.
func (c *copier) collect(s tir.Stmt) {
	tir.WalkStmt(s, func(s tir.Stmt) bool {
		switch x := s.(type) {
		case *tir.For:
			c.index[x.Var] = true
		case *tir.Store:
			for _, e := range x.Indices {
				c.note(e)
			}
		case *tir.AllocBuffer:
			c.indexVars(x.Buffer)
		case *tir.DeclBuffer:
			c.indexVars(x.Buffer)
		case *tir.BlockRealize:
			for _, it := range x.Block.Iters {
				c.index[it.Var] = true
			}
			for _, b := range x.Block.Allocs {
				c.indexVars(b)
			}
			for _, m := range x.Block.Matches {
				c.indexVars(m.Buffer)
			}
		}
		tir.StmtExprs(s, func(e tir.Expr) {
			tir.Walk(e, func(e tir.Expr) bool {
				if l, ok := e.(*tir.Load); ok {
					for _, i := range l.Indices {
						c.note(i)
					}
				}
				return true
			})
		})
		return true
	})
}

func (c *copier) define(v *tir.Var) *tir.Var {
	if n, ok := c.vars[v]; ok {
		return n
	}
	n := *v
	if c.wide && c.index[v] && v.Type == dtype.Int32 {
		n.Type = dtype.Int64
	}
	c.vars[v] = &n
	return &n
}

func (c *copier) buffer(b *tir.Buffer) *tir.Buffer {
	if n, ok := c.bufs[b]; ok {
		return n
	}
	n := *b
	c.bufs[b] = &n
	n.Shape, n.Strides = c.places(b.Shape), c.places(b.Strides)
	if b.ElemOffset != nil {
		n.ElemOffset = c.place(b.ElemOffset)
	}
	return &n
}

func (c *copier) places(es []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(es))
	for i, e := range es {
		out[i] = c.place(e)
	}
	return out
}

// place copies an expression that counts places.
func (c *copier) place(e tir.Expr) tir.Expr { return c.widened(c.expr(e)) }

// widened gives the constants of a copied expression the width of indices.
func (c *copier) widened(e tir.Expr) tir.Expr {
	if !c.wide {
		return e
	}
	return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		switch x := e.(type) {
		case *tir.IntImm:
			if x.Type == dtype.Int32 {
				return tir.IntOf(x.Value, dtype.Int64)
			}
		case *tir.Binary:
			return matched(x)
		}
		return e
	})
}

// expr copies any other expression; what meets a wider operand is widened.
func (c *copier) expr(e tir.Expr) tir.Expr {
	return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		switch x := e.(type) {
		case *tir.Var:
			return c.define(x)
		case *tir.Binary:
			return matched(x)
		case *tir.Load:
			idx := make([]tir.Expr, len(x.Indices))
			for i, e := range x.Indices {
				idx[i] = c.widened(e)
			}
			return &tir.Load{Buffer: c.buffer(x.Buffer), Indices: idx}
		case *tir.BufferRef:
			return &tir.BufferRef{Buffer: c.buffer(x.Buffer)}
		case *tir.Let:
			return &tir.Let{Var: c.define(x.Var), Value: x.Value, Body: x.Body}
		}
		return e
	})
}

// matched brings the operands of x to one type.
func matched(x *tir.Binary) tir.Expr {
	if x.A.DType() == x.B.DType() {
		return x
	}
	a, b := tir.MatchTypes(x.A, x.B)
	return tir.Rebuild(x.Op, a, b)
}
