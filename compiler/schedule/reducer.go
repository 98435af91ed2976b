package schedule

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// reducer is an update `buf[idx] = buf[idx] op rhs` with an associative and
// commutative op whose identity is init.
type reducer struct {
	buf  *tir.Buffer
	idx  []tir.Expr
	op   tir.BinOp
	rhs  tir.Expr
	init *tir.Store
}

// reducerOf recognises the reduction of a block.
func reducerOf(b *tir.Block) (*reducer, string) {
	init, ok := b.Init.(*tir.Store)
	if !ok {
		return nil, "its initialiser is not a single store"
	}
	upd, ok := b.Body.(*tir.Store)
	if !ok || upd.Buffer != init.Buffer {
		return nil, "its body is not a single store to the buffer that it initialises"
	}
	x, ok := upd.Value.(*tir.Binary)
	if !ok || (x.Op != tir.OpAdd && x.Op != tir.OpMul && x.Op != tir.OpMin && x.Op != tir.OpMax) {
		return nil, "its update is no sum, product, minimum or maximum"
	}
	r := &reducer{buf: upd.Buffer, idx: upd.Indices, op: x.Op, rhs: x.B, init: init}
	if !r.isSelf(x.A) {
		if r.rhs = x.A; !r.isSelf(x.B) {
			return nil, "its update does not start from the element that it stores"
		}
	}
	if r.mentions(r.rhs) {
		return nil, "its update uses the buffer twice"
	}
	if !isIdentity(r.op, init.Value) {
		return nil, "its initial value is not the identity of " + r.op.String()
	}
	return r, ""
}

func (r *reducer) isSelf(e tir.Expr) bool {
	l, ok := e.(*tir.Load)
	if !ok || l.Buffer != r.buf {
		return false
	}
	for i := range l.Indices {
		if !arith.Same(l.Indices[i], r.idx[i]) {
			return false
		}
	}
	return true
}

func (r *reducer) mentions(e tir.Expr) bool {
	found := false
	tir.Walk(e, func(x tir.Expr) bool {
		if l, ok := x.(*tir.Load); ok && l.Buffer == r.buf {
			found = true
		}
		return !found
	})
	return found
}

// isIdentity reports whether op with e and any value gives that value.
func isIdentity(op tir.BinOp, e tir.Expr) bool {
	var v float64
	switch c := e.(type) {
	case *tir.IntImm:
		v = float64(c.Value)
	case *tir.FloatImm:
		v = c.Value
	default:
		return false
	}
	lo, hi := typeLimits(e.DType())
	switch op {
	case tir.OpAdd:
		return v == 0
	case tir.OpMul:
		return v == 1
	case tir.OpMax:
		return v <= lo
	case tir.OpMin:
		return v >= hi
	}
	return false
}

// typeLimits are the least and the greatest finite value of a type.
func typeLimits(t dtype.DType) (lo, hi float64) {
	switch {
	case t.Code == dtype.BFloat:
		return -3.3895313892515355e38, 3.3895313892515355e38
	case t.IsFloat() && t.Bits == 16:
		return -65504, 65504
	case t.IsFloat() && t.Bits == 32:
		return -math.MaxFloat32, math.MaxFloat32
	case t.IsFloat():
		return -math.MaxFloat64, math.MaxFloat64
	case t.Code == dtype.UInt:
		return 0, math.Ldexp(1, int(t.Bits)) - 1
	}
	return -math.Ldexp(1, int(t.Bits)-1), math.Ldexp(1, int(t.Bits)-1) - 1
}
