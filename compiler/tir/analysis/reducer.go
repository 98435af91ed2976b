package analysis

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// Reducer is a commutative, associative combination of a value into one buffer
// element: Buffer[Indices] = Op(Buffer[Indices], Value), from Init, Op's identity.
type Reducer struct {
	Op      tir.BinOp // OpAdd, OpMul, OpMin or OpMax
	Buffer  *tir.Buffer
	Indices []tir.Expr
	Value   tir.Expr
	Init    tir.Expr
}

// FindReducer recognises the update of a reduction block. why says what keeps
// the block from being one store of such a combination to the element that its
// initialiser sets to the identity; "" when nothing does.
func FindReducer(b *tir.Block) (r Reducer, why string) {
	init, ok := b.Init.(*tir.Store)
	if !ok {
		return Reducer{}, "its initialiser is not a single store"
	}
	update, ok := b.Body.(*tir.Store)
	if !ok || update.Buffer != init.Buffer || !sameIndices(update.Indices, init.Indices) {
		return Reducer{}, "its body is not a single store to the element that it initialises"
	}
	comb, ok := update.Value.(*tir.Binary)
	if !ok || comb.Op != tir.OpAdd && comb.Op != tir.OpMul && comb.Op != tir.OpMin && comb.Op != tir.OpMax {
		return Reducer{}, "its update is no sum, product, minimum or maximum"
	}
	r = Reducer{Op: comb.Op, Buffer: update.Buffer, Indices: update.Indices, Value: comb.B, Init: init.Value}
	if !r.isElement(comb.A) {
		if r.Value = comb.A; !r.isElement(comb.B) {
			return Reducer{}, "its update does not start from the element that it stores"
		}
	}
	switch {
	case tir.LoadsFrom(r.Value, r.Buffer):
		return Reducer{}, "its update uses the buffer twice"
	case !isIdentity(r.Op, r.Init):
		return Reducer{}, "its initial value is not the identity of " + r.Op.String()
	}
	return r, ""
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

// Combine is op(x, y) as the reduction writes it.
func (r *Reducer) Combine(x, y tir.Expr) tir.Expr { return tir.Arith(r.Op, x, y) }

// isIdentity reports whether op with the constant e and any finite value gives
// that value; infinities are identities of minimum and maximum as well.
func isIdentity(op tir.BinOp, e tir.Expr) bool {
	id := Identity(op, e.DType())
	if id == nil {
		return false
	}
	if x, ok := e.(*tir.FloatImm); ok && math.IsInf(x.Value, 0) {
		lowest := math.Signbit(x.Value)
		return op == tir.OpMax && lowest || op == tir.OpMin && !lowest
	}
	return arith.Same(id, e)
}

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
