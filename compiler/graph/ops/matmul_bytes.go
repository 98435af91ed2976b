package ops

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// matmul_bytes multiplies rows of bytes x[…,M,K] by int8 weights that
// PackMatmulBytes packed, adds an optional bias int32[columns] and sums in int32.
var _ = graph.Register(&graph.Op{
	Name: "matmul_bytes", Min: 2, Max: 3, Class: graph.OutFusable,
	Attrs: []graph.AttrSpec{{Key: "columns", Zero: int64(0)}},
	Infer: inferMatmulBytes, Eval: evalMatmulBytes, Lower: lowerMatmulBytes,
})

// PackMatmulBytes lays weights [K,N] of integers out as matmul_bytes reads them:
// [⌈N/lanes⌉][⌈K/4⌉][lanes][4] of int8, filled up with zeros.
func PackMatmulBytes(w *dtype.Tensor, lanes int64) *dtype.Tensor {
	k, n := w.Shape[0], w.Shape[1]
	p := dtype.NewTensor(dtype.Int8, (n+lanes-1)/lanes, (k+Quad-1)/Quad, lanes, Quad)
	for i := range int64(w.Len()) {
		row, col := i/n, i%n
		p.SetInt(int(((col/lanes*p.Shape[1]+row/Quad)*lanes+col%lanes)*Quad+row%Quad), w.Int(int(i)))
	}
	return p
}

func inferMatmulBytes(c *graph.Call) ([]graph.Type, error) {
	x, w, columns := c.In[0], c.In[1], c.Attrs.Int("columns")
	if err := areBytes(x, w); err != nil {
		return nil, err
	}
	if x.Rank() < 2 || w.Rank() != 4 || w.Shape[3] != Quad || w.Shape[2] < 1 {
		return nil, fmt.Errorf("cannot multiply %s by packed weights %s", x, w)
	}
	rest, k := x.Shape[:x.Rank()-1], x.Shape[x.Rank()-1]
	if w.Shape[1] != (k+Quad-1)/Quad || columns < 1 || w.Shape[0] != (columns+w.Shape[2]-1)/w.Shape[2] {
		return nil, fmt.Errorf("packed weights %s do not take the rows of %s to %d columns", w, x, columns)
	}
	if err := checkSums(c, columns); err != nil {
		return nil, err
	}
	return oneType(dtype.Int32, append(slices.Clone(rest), columns)), nil
}

func evalMatmulBytes(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	x, w, n := in[0], in[1], c.Attrs.Int("columns")
	k := x.Shape[len(x.Shape)-1]
	xs, ps, out := x.Int64s(), w.Int64s(), dtype.NewTensor(dtype.Int32, c.Out[0].Shape...)
	for i := range int64(out.Len()) {
		row, col, sum := i/n, i%n, int64(0)
		if len(in) == 3 {
			sum = in[2].Int(int(col))
		}
		for z := range k {
			sum += xs[row*k+z] * ps[((col/w.Shape[2]*w.Shape[1]+z/Quad)*w.Shape[2]+col%w.Shape[2])*Quad+z%Quad]
		}
		out.SetInt(int(i), sum)
	}
	return one(out)
}

// lowerMatmulBytes sums whole vectors of columns: where the last one is not full,
// the sums get a buffer of their own.
func lowerMatmulBytes(l *graph.Lowering) error {
	w, n := l.In[1].Shape, l.Attrs.Int("columns")
	x := l.Args[0]
	rank, k := l.In[0].Rank(), l.In[0].Shape[l.In[0].Rank()-1]
	if k%Quad != 0 {
		t := graph.Of(x.Type.Elem, slices.Clone(x.Type.Shape)...)
		t.Shape[rank-1] = w[1] * Quad
		pads := make([]int64, 2*rank)
		pads[2*rank-1] = w[1]*Quad - k
		p, from := l.Temp("x_pad", t), x
		l.Compute("x_pad", p, func(idx []tir.Expr) tir.Expr { return padded(from, idx, pads, "constant", 0) })
		x = p
	}
	sums := func(out *graph.Operand) {
		l.Sum("matmul_bytes", out, []int64{w[1], Quad}, func(idx, r []tir.Expr) tir.Expr {
			last := len(idx) - 1
			at := slices.Concat(idx[:last], []tir.Expr{tir.Add(tir.Mul(r[0], tir.Int(Quad)), r[1])})
			return productOfBytes(x.At(at), l.Args[1].At([]tir.Expr{tir.FloorDiv(idx[last], tir.Int(w[2])), r[0], tir.FloorMod(idx[last], tir.Int(w[2])), r[1]}))
		})
	}
	if n%w[2] == 0 && len(l.Args) < 3 {
		sums(l.Outs[0])
		return nil
	}
	t := graph.Of(dtype.Int32, slices.Clone(l.Out[0].Shape)...)
	t.Shape[rank-1] = w[0] * w[2]
	acc := l.Temp("matmul_bytes", t)
	sums(acc)
	l.Compute("bias_add", l.Outs[0], func(idx []tir.Expr) tir.Expr {
		if len(l.Args) < 3 {
			return acc.At(idx)
		}
		return tir.Add(acc.At(idx), l.Args[2].At(idx[rank-1:]))
	})
	return nil
}
