package tir

import (
	"fmt"
	"math"

	"hone/compiler/dtype"
)

// VerifyComputable reports what TVM reads in a function and nothing can compute: a
// buffer with a dimension below zero or with more bytes than an int64 counts, an
// index that is no integer, a vector of unknown length, a loop that does not go
// up. Such functions are well formed; what lowers or interprets them asks here
// first.
func VerifyComputable(f *PrimFunc) error {
	v := &computable{fn: f.Name}
	for _, b := range f.Buffers() {
		v.buffer(b)
	}
	WalkStmt(f.Body, func(s Stmt) bool {
		v.stmt(s)
		return v.err == nil
	})
	if v.err == nil {
		WalkExprs(f.Body, v.expr)
	}
	return v.err
}

type computable struct {
	fn  string
	err error // the first
}

func (v *computable) fail(format string, args ...any) {
	if v.err == nil {
		v.err = &VerifyError{Func: v.fn, Msg: fmt.Sprintf(format, args...)}
	}
}

func (v *computable) buffer(b *Buffer) {
	if why := oversized(b); why != "" {
		v.fail("buffer %s%s", b.Name, why)
	}
}

func (v *computable) stmt(s Stmt) {
	switch s := s.(type) {
	case *AllocBuffer:
		v.buffer(s.Buffer)
	case *DeclBuffer:
		v.buffer(s.Buffer)
	case *BlockRealize:
		for _, b := range s.Block.Allocs {
			v.buffer(b)
		}
		for _, m := range s.Block.Matches {
			v.buffer(m.Buffer)
		}
	case *Store:
		v.indices(s.Buffer, s.Indices)
	case *For:
		if n, ok := AsInt(s.Step); s.Step != nil && ok && n <= 0 {
			v.fail("loop %s has step %d", s.Var.Name, n)
		}
	}
}

func (v *computable) expr(e Expr) bool {
	if l, ok := e.(*Load); ok {
		v.indices(l.Buffer, l.Indices)
	}
	if t := e.DType(); t.Lanes > dtype.MaxLanes {
		v.fail("%s is %s, a vector of unknown length", ExprString(e), t)
	}
	return v.err == nil
}

func (v *computable) indices(b *Buffer, indices []Expr) {
	for _, e := range indices {
		if t := e.DType(); !t.IsInt() {
			v.fail("index %s of buffer %s is %s", ExprString(e), b.Name, t)
		}
	}
}

// oversized says what is wrong with the size of b, "" when nothing is. Dimensions
// that are no constants count as one.
func oversized(b *Buffer) string {
	total, empty, over := int64(max(1, b.Type.Bytes())), false, false
	for d, e := range b.Shape {
		n, ok := AsInt(e)
		switch {
		case !ok:
		case n < 0:
			return fmt.Sprintf(": dimension %d is %d", d, n)
		case n == 0:
			empty = true
		case total > math.MaxInt64/n:
			over = true
		default:
			total *= n
		}
	}
	if over && !empty {
		return fmt.Sprintf(" of shape %s has more than 2^63 bytes", shapeString(b))
	}
	return ""
}

func shapeString(b *Buffer) string {
	text := "("
	for i, e := range b.Shape {
		if i > 0 {
			text += ", "
		}
		text += ExprString(e)
	}
	return text + ")"
}
