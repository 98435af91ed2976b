package analysis

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// Reducer is a commutative, associative combination of a value into one buffer
// element: Buffer[Indices] = Op(Buffer[Indices], Value), from Identity.
type Reducer struct {
	Op      tir.BinOp // OpAdd, OpMul, OpMin or OpMax
	Buffer  *tir.Buffer
	Indices []tir.Expr
	Value   tir.Expr
}

// FindReducer recognises the update of a reduction block. ok is false when the
// body is not one store of such a combination, or init does not store the
// identity to the same element.
func FindReducer(b *tir.Block) (r Reducer, ok bool) {
	store, isStore := b.Body.(*tir.Store)
	if !isStore {
		return Reducer{}, false
	}
	value := store.Value
	comb, isBinary := value.(*tir.Binary)
	if !isBinary {
		return Reducer{}, false
	}
	switch comb.Op {
	case tir.OpAdd, tir.OpMul, tir.OpMin, tir.OpMax:
	default:
		return Reducer{}, false
	}
	r = Reducer{Op: comb.Op, Buffer: store.Buffer, Indices: store.Indices}
	switch {
	case r.isElement(comb.A):
		r.Value = comb.B
	case r.isElement(comb.B):
		r.Value = comb.A
	default:
		return Reducer{}, false
	}
	if readsBuffer(r.Value, r.Buffer) {
		return Reducer{}, false
	}
	init, isStore := b.Init.(*tir.Store)
	if !isStore || init.Buffer != r.Buffer || !sameIndices(init.Indices, r.Indices) {
		return Reducer{}, false
	}
	id := Identity(r.Op, r.Buffer.Type)
	if id == nil || !arith.Same(id, init.Value) {
		return Reducer{}, false
	}
	return r, true
}

func (r *Reducer) isElement(e tir.Expr) bool {
	l, ok := e.(*tir.Load)
	return ok && l.Buffer == r.Buffer && sameIndices(l.Indices, r.Indices)
}

func sameIndices(x, y []tir.Expr) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !arith.Same(x[i], y[i]) {
			return false
		}
	}
	return true
}

func readsBuffer(e tir.Expr, b *tir.Buffer) bool {
	found := false
	tir.Walk(e, func(x tir.Expr) bool {
		if l, ok := x.(*tir.Load); ok && l.Buffer == b {
			found = true
		}
		return !found
	})
	return found
}

// Combine is op(x, y) as the reduction writes it.
func (r *Reducer) Combine(x, y tir.Expr) tir.Expr { return tir.Arith(r.Op, x, y) }

// Identity is the element that op leaves other values unchanged with: 0 for sums,
// 1 for products, the smallest value of t for max, the largest for min. nil for
// other operations and types.
func Identity(op tir.BinOp, t dtype.DType) tir.Expr {
	switch op {
	case tir.OpAdd:
		return tir.Const(0, t)
	case tir.OpMul:
		return tir.Const(1, t)
	case tir.OpMax:
		return limitOf(t, true)
	case tir.OpMin:
		return limitOf(t, false)
	}
	return nil
}

// maxFinite are the largest finite values of the float types.
var maxFinite = map[dtype.DType]float64{
	dtype.Float16:  65504,
	dtype.BFloat16: 0x1.fep127,
	dtype.Float32:  0x1.fffffep127,
	dtype.Float64:  0x1.fffffffffffffp1023,
}

func limitOf(t dtype.DType, lowest bool) tir.Expr {
	if f, ok := maxFinite[t]; ok {
		if lowest {
			f = -f
		}
		return tir.Const(f, t)
	}
	if !t.IsInt() || t.Lanes != 1 {
		return nil
	}
	hi := int64(1)<<(t.Bits-1) - 1
	lo := -hi - 1
	if !t.IsSigned() {
		lo, hi = 0, 1<<t.Bits-1
		if t.Bits == 64 {
			hi = -1
		}
	}
	if lowest {
		return tir.IntOf(lo, t)
	}
	return tir.IntOf(hi, t)
}
