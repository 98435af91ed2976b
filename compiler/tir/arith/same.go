package arith

import "hone/compiler/tir"

// Same reports whether two expressions are built alike from the same variables
// and buffers. A nil expression is the same only as nil.
func Same(x, y tir.Expr) bool {
	if x == y {
		return true
	}
	switch x := x.(type) {
	case *tir.IntImm:
		y, ok := y.(*tir.IntImm)
		return ok && x.Value == y.Value && x.Type == y.Type
	case *tir.Binary:
		y, ok := y.(*tir.Binary)
		return ok && x.Op == y.Op && Same(x.A, y.A) && Same(x.B, y.B)
	case *tir.Cast:
		y, ok := y.(*tir.Cast)
		return ok && x.Type == y.Type && Same(x.Value, y.Value)
	case *tir.Select:
		y, ok := y.(*tir.Select)
		return ok && Same(x.Cond, y.Cond) && Same(x.Then, y.Then) && Same(x.Else, y.Else)
	case *tir.Load:
		y, ok := y.(*tir.Load)
		return ok && x.Buffer == y.Buffer && sameList(x.Indices, y.Indices)
	case *tir.Call:
		y, ok := y.(*tir.Call)
		return ok && x.Op == y.Op && x.Type == y.Type && sameList(x.Args, y.Args)
	}
	return sameRare(x, y)
}

func sameRare(x, y tir.Expr) bool {
	switch x := x.(type) {
	case *tir.FloatImm:
		y, ok := y.(*tir.FloatImm)
		return ok && x.Type == y.Type && (x.Value == y.Value || x.Value != x.Value && y.Value != y.Value)
	case *tir.StringImm:
		y, ok := y.(*tir.StringImm)
		return ok && x.Value == y.Value
	case *tir.Not:
		y, ok := y.(*tir.Not)
		return ok && Same(x.A, y.A)
	case *tir.Let:
		y, ok := y.(*tir.Let)
		return ok && x.Var == y.Var && Same(x.Value, y.Value) && Same(x.Body, y.Body)
	case *tir.Ramp:
		y, ok := y.(*tir.Ramp)
		return ok && x.Lanes == y.Lanes && Same(x.Base, y.Base) && Same(x.Stride, y.Stride)
	case *tir.Broadcast:
		y, ok := y.(*tir.Broadcast)
		return ok && x.Lanes == y.Lanes && Same(x.Value, y.Value)
	case *tir.BufferRef:
		y, ok := y.(*tir.BufferRef)
		return ok && x.Buffer == y.Buffer
	}
	return false
}

func sameList(x, y []tir.Expr) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !Same(x[i], y[i]) {
			return false
		}
	}
	return true
}
