package codegentest

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Short spellings of the nodes that cases are made of.

func buf(name string, t dtype.DType, n int64) *tir.Buffer { return tir.NewStaticBuffer(name, t, n) }

func scoped(name, scope string, t dtype.DType, n int64) *tir.Buffer {
	b := buf(name, t, n)
	b.Scope = scope
	return b
}

func fn(name string, body tir.Stmt, params ...*tir.Buffer) *tir.PrimFunc {
	f := &tir.PrimFunc{Name: name, Body: body, Ret: dtype.VoidType, Attrs: tir.Annotations{}.With(tir.AttrNoAlias, true)}
	for _, p := range params {
		f.Params = append(f.Params, p)
	}
	return f
}

func at(b *tir.Buffer, i tir.Expr) *tir.Load { return &tir.Load{Buffer: b, Indices: []tir.Expr{i}} }

func set(b *tir.Buffer, i, v tir.Expr) *tir.Store {
	return &tir.Store{Buffer: b, Indices: []tir.Expr{i}, Value: v}
}

func num(v int64) tir.Expr { return tir.Int(v) }

// iv is a fresh loop variable.
func iv(name string) *tir.Var { return tir.NewVar(name, dtype.Int32) }

func kindLoop(kind tir.LoopKind, n int64, name string, body func(i *tir.Var) tir.Stmt) *tir.For {
	v := iv(name)
	return &tir.For{Var: v, Min: num(0), Extent: num(n), Kind: kind, Body: body(v)}
}

func serial(n int64, name string, body func(i *tir.Var) tir.Stmt) *tir.For {
	return kindLoop(tir.Serial, n, name, body)
}

func ramp(base tir.Expr, stride int64, lanes int) tir.Expr {
	return &tir.Ramp{Base: base, Stride: tir.IntOf(stride, base.DType()), Lanes: lanes}
}

func bcast(v tir.Expr, lanes int) tir.Expr { return &tir.Broadcast{Value: v, Lanes: lanes} }

func call(op string, t dtype.DType, args ...tir.Expr) tir.Expr {
	return &tir.Call{Op: op, Args: args, Type: t}
}

func bin(op tir.BinOp, a, b tir.Expr) tir.Expr { return tir.NewBinary(op, a, b) }

func seq(s ...tir.Stmt) tir.Stmt { return tir.NewSeq(s...) }
