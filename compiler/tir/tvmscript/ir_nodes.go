package tvmscript

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// irNodes hands out what functions are made of most. The nodes of one function
// live and die together, those of two need not: every function has its own.
type irNodes struct {
	vars    slab[tir.Var]
	loads   slab[tir.Load]
	iters   slab[tir.IterVar]
	regions slab[tir.Region]
	ranges  slab[tir.Range]
	exprs   slab[tir.Expr]
}

func (n *irNodes) newVar(name string, t dtype.DType) *tir.Var {
	return n.vars.put(tir.Var{Name: name, Type: t})
}

func (n *irNodes) load(buf *tir.Buffer, indices []tir.Expr) *tir.Load {
	return n.loads.put(tir.Load{Buffer: buf, Indices: indices})
}
