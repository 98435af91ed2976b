package analysis

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// reducers are the combinations that FindReducer knows. Two values are a sum each,
// or an index and a value of which the largest or smallest is kept; of equal ones
// the first in order of the loop, the smallest or the largest index.
var reducers = []struct {
	n        int
	combine  func(x, y []tir.Expr) []tir.Expr
	identity func(ts []dtype.DType) []tir.Expr
}{
	{1, each(tir.OpAdd), identities(tir.OpAdd)},
	{1, each(tir.OpMul), identities(tir.OpMul)},
	{1, each(tir.OpMin), identities(tir.OpMin)},
	{1, each(tir.OpMax), identities(tir.OpMax)},
	{2, each(tir.OpAdd), identities(tir.OpAdd)},
	{2, arg(tir.OpGE), argIdentity(tir.OpMax)},
	{2, arg(tir.OpGT, tir.OpLT), argIdentity(tir.OpMax)},
	{2, arg(tir.OpLE), argIdentity(tir.OpMin)},
	{2, arg(tir.OpLT, tir.OpLT), argIdentity(tir.OpMin)},
	{2, arg(tir.OpGT, tir.OpGT), argIdentity(tir.OpMax)},
	{2, arg(tir.OpLT, tir.OpGT), argIdentity(tir.OpMin)},
}

// each combines every pair of values by op.
func each(op tir.BinOp) func(x, y []tir.Expr) []tir.Expr {
	return func(x, y []tir.Expr) []tir.Expr {
		out := make([]tir.Expr, len(x))
		for i := range x {
			out[i] = tir.NewBinary(op, x[i], y[i])
		}
		return out
	}
}

func identities(op tir.BinOp) func([]dtype.DType) []tir.Expr {
	return func(ts []dtype.DType) []tir.Expr {
		out := make([]tir.Expr, len(ts))
		for i, t := range ts {
			out[i] = Identity(op, t)
		}
		return out
	}
}

// arg keeps the pair whose value wins by better; of equal values the one whose
// index wins by one of ties.
func arg(better tir.BinOp, ties ...tir.BinOp) func(x, y []tir.Expr) []tir.Expr {
	return func(x, y []tir.Expr) []tir.Expr {
		wins := tir.Expr(tir.NewBinary(better, x[1], y[1]))
		first := wins
		for _, tie := range ties {
			equal := tir.NewBinary(tir.OpAnd, tir.NewBinary(tir.OpEQ, x[1], y[1]), tir.NewBinary(tie, x[0], y[0]))
			first = tir.NewBinary(tir.OpOr, wins, equal)
		}
		return []tir.Expr{&tir.Select{Cond: first, Then: x[0], Else: y[0]}, &tir.Select{Cond: wins, Then: x[1], Else: y[1]}}
	}
}

func argIdentity(op tir.BinOp) func([]dtype.DType) []tir.Expr {
	return func(ts []dtype.DType) []tir.Expr {
		return []tir.Expr{tir.Const(-1, ts[0]), Identity(op, ts[1])}
	}
}

// matches reports whether results are the combination of the elements with other
// values, which it keeps.
func (r *Reducer) matches(combine func(x, y []tir.Expr) []tir.Expr, identity func([]dtype.DType) []tir.Expr, results []tir.Expr) bool {
	n := len(results)
	types := make([]dtype.DType, n)
	x, y := make([]tir.Expr, n), make([]tir.Expr, n)
	for i, e := range r.Init {
		types[i] = e.DType()
		x[i], y[i] = tir.NewVar("x", types[i]), tir.NewVar("y", types[i])
	}
	for i, id := range identity(types) {
		if id == nil || !arith.Same(id, r.Init[i]) {
			return false
		}
	}
	holes := map[tir.Expr]tir.Expr{}
	for i := range n {
		holes[x[i]], holes[y[i]] = nil, nil
	}
	for i, pattern := range combine(x, y) {
		if !unify(pattern, results[i], holes) {
			return false
		}
	}
	for i, e := range r.Elements() {
		if !arith.Same(holes[x[i]], e) {
			return false
		}
	}
	r.combine, r.Values = combine, make([]tir.Expr, n)
	for i := range n {
		r.Values[i] = holes[y[i]]
	}
	return true
}

// unify finds what stands in e for the holes of a pattern made of binary nodes and
// selects.
func unify(pattern, e tir.Expr, holes map[tir.Expr]tir.Expr) bool {
	if old, ok := holes[pattern]; ok {
		if old == nil {
			holes[pattern] = e
			return true
		}
		return arith.Same(old, e)
	}
	switch p := pattern.(type) {
	case *tir.Binary:
		x, ok := e.(*tir.Binary)
		return ok && x.Op == p.Op && unify(p.A, x.A, holes) && unify(p.B, x.B, holes)
	case *tir.Select:
		x, ok := e.(*tir.Select)
		return ok && unify(p.Cond, x.Cond, holes) && unify(p.Then, x.Then, holes) && unify(p.Else, x.Else, holes)
	}
	return false
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
