package trace_test

import (
	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/tir"
)

func load(b *tir.Buffer, idx ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Indices: idx} }

func points(b *tir.Buffer, idx ...tir.Expr) tir.Region {
	r := tir.Region{Buffer: b}
	for _, e := range idx {
		r.Ranges = append(r.Ranges, tir.Range{Min: e, Extent: tir.Int(1)})
	}
	return r
}

// matmul multiplies n×n matrices in one block, mm, with its regions stated.
func matmul(n int64) *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, y, z := b.Param("A", dtype.Float32, n, n), b.Param("B", dtype.Float32, n, n), b.Param("C", dtype.Float32, n, n)
	b.ReduceSum("mm", z, []int64{n}, func(s, r []tir.Expr) tir.Expr { return tir.Mul(load(x, s[0], r[0]), load(y, r[0], s[1])) })
	f := b.Func()
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		r, ok := s.(*tir.BlockRealize)
		if !ok || r.Block.Name != "mm" {
			return s
		}
		c := *r.Block
		i, j, k := c.Iters[0].Var, c.Iters[1].Var, c.Iters[2].Var
		c.Reads, c.Writes = []tir.Region{points(x, i, k), points(y, k, j)}, []tir.Region{points(z, i, j)}
		return &tir.BlockRealize{Values: r.Values, Predicate: r.Predicate, Block: &c}
	}}
	return f.WithBody(w.Rewrite(f.Body))
}

func newSchedule(n int64) *schedule.Schedule { return schedule.NewFunc(matmul(n), nil) }
