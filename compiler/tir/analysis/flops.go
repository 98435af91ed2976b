package analysis

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// EstimateFlops counts the arithmetic operations that a function performs:
// operators on values, each times the iterations around it; comparisons and
// logic, calls as such and index arithmetic do not count. Of two branches the
// costlier counts. A loop whose extent is not constant counts once. Blocks'
// initialisers do not count.
func EstimateFlops(f *tir.PrimFunc) float64 { return StmtFlops(f.Body) }

// LeastFlops is how many operations on floats every schedule of a function performs at
// least, 0 where that is not known: what is computed under a condition may be left out,
// as padding is, and integers have other peaks.
func LeastFlops(f *tir.PrimFunc) float64 {
	root, ok := f.Body.(*tir.BlockRealize)
	if !ok || HasIfThenElse(root) {
		return 0
	}
	floats := true
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		if st, ok := s.(*tir.Store); ok {
			floats = floats && st.Buffer.Type == dtype.Float32
		}
		return floats
	})
	if !floats {
		return 0
	}
	return EstimateFlops(f)
}

// StmtFlops is EstimateFlops of a statement.
func StmtFlops(s tir.Stmt) float64 {
	switch x := s.(type) {
	case *tir.Store:
		return exprFlops(x.Value)
	case *tir.Seq:
		n := 0.0
		for _, c := range x.Stmts {
			n += StmtFlops(c)
		}
		return n
	case *tir.For:
		n := StmtFlops(x.Body)
		if ext, ok := tir.AsInt(x.Extent); ok {
			n *= float64(ext)
		}
		return n
	case *tir.If:
		n := StmtFlops(x.Then)
		if x.Else != nil {
			n = max(n, StmtFlops(x.Else))
		}
		return n + exprFlops(x.Cond)
	case *tir.BlockRealize:
		return StmtFlops(x.Block.Body)
	case *tir.AttrStmt:
		return StmtFlops(x.Body)
	case *tir.Bind:
		return exprFlops(x.Value)
	case *tir.Evaluate:
		return exprFlops(x.Value)
	}
	return 0
}

func exprFlops(e tir.Expr) float64 {
	switch x := e.(type) {
	case *tir.Binary:
		n := exprFlops(x.A) + exprFlops(x.B)
		if counted(x.T) {
			n += float64(x.T.Lanes)
		}
		return n
	case *tir.Not:
		return exprFlops(x.A)
	case *tir.Cast:
		return exprFlops(x.Value)
	case *tir.Select:
		return exprFlops(x.Cond) + max(exprFlops(x.Then), exprFlops(x.Else))
	case *tir.Let:
		return exprFlops(x.Value) + exprFlops(x.Body)
	case *tir.Broadcast:
		return exprFlops(x.Value)
	case *tir.Call:
		n := 0.0
		for _, a := range x.Args {
			n += exprFlops(a)
		}
		return n
	}
	return 0
}

func counted(t dtype.DType) bool { return t.IsFloat() || t.IsInt() }

// EstimateBytes adds up what the blocks of a function read and write: for each
// block the bytes of the distinct elements of its regions over all loops around
// it. A block whose regions are not constant counts its buffers in full where
// their shapes are, and nothing otherwise.
func EstimateBytes(f *tir.PrimFunc) float64 {
	root, ok := f.Body.(*tir.BlockRealize)
	if !ok {
		return 0
	}
	return scopeBytes(root.Block)
}

func scopeBytes(b *tir.Block) float64 {
	s := NewScope(b)
	n := 0.0
	for i := range s.Children {
		c := &s.Children[i]
		for _, rs := range [2][]tir.Region{c.Block().Reads, c.Block().Writes} {
			for _, r := range rs {
				n += regionBytes(r, c)
			}
		}
	}
	return n
}

func regionBytes(r tir.Region, c *Child) float64 {
	whole, static := int64(1), true
	for _, e := range r.Buffer.Shape {
		k, ok := tir.AsInt(e)
		whole, static = whole*k, static && ok
	}
	size := float64(r.Buffer.Type.Bytes())
	moved := tir.Region{Buffer: r.Buffer, Ranges: bound(r, c)}
	if n, ok := RegionElements(moved, c.LoopRanges()); ok {
		if static {
			n = min(n, whole)
		}
		return size * float64(n)
	}
	if !static {
		return 0
	}
	return size * float64(whole)
}

// AnchorBlock is the block that gives a function its character: among the blocks
// with an initialiser the only one, or the one under the costliest statement of
// the root block. nil when there is none.
func AnchorBlock(f *tir.PrimFunc) *tir.Block {
	root, ok := f.Body.(*tir.BlockRealize)
	if !ok {
		return nil
	}
	top := []tir.Stmt{root.Block.Body}
	if s, ok := root.Block.Body.(*tir.Seq); ok {
		top = s.Stmts
	}
	var anchor *tir.Block
	best := -1.0
	for _, s := range top {
		var with *tir.Block
		tir.WalkStmt(s, func(x tir.Stmt) bool {
			if r, ok := x.(*tir.BlockRealize); ok && r.Block.Init != nil {
				with = r.Block
			}
			return true
		})
		if with == nil {
			continue
		}
		if n := StmtFlops(s); n > best {
			anchor, best = with, n
		}
	}
	return anchor
}
