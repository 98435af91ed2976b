package ops

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

var convAttrs = []graph.AttrSpec{
	{Key: "dilations", Zero: []int64(nil)}, {Key: "group", Zero: int64(0)}, {Key: "pads", Zero: []int64(nil)}, {Key: "strides", Zero: []int64(nil)},
}

// conv is the convolution (correlation) of any number of spatial dimensions:
// x[N,C,…] with w[O,C/group,…] and an optional bias[O]. pads are those before
// every spatial dimension, then those after. See ONNX Conv.
var _ = graph.Register(&graph.Op{
	Name: "conv", Min: 2, Max: 3, Attrs: convAttrs, Class: graph.OutFusable, Layout: graph.Convolution,
	LayoutOK: func(c *graph.Call) bool { return c.In[0].Rank() > 2 },
	Infer:    inferConv, Eval: evalConv, Lower: lowerConv,
})

// window is one spatial dimension of a convolution or pooling.
type window struct{ in, out, kernel, stride, dilation, before, after int64 }

// windows reads the sliding-window attributes; kernel are the extents.
func windows(c *graph.Call, kernel []int64, ceil bool) ([]window, error) {
	in := c.In[0]
	n := in.Rank() - 2
	st, dil, pads := c.Attrs.Ints("strides"), c.Attrs.Ints("dilations"), c.Attrs.Ints("pads")
	if n < 1 || len(kernel) != n || len(st) != n || len(dil) != n || len(pads) != 2*n {
		return nil, fmt.Errorf("kernel %v, strides %v, dilations %v and pads %v do not fit %s", kernel, st, dil, pads, in)
	}
	ws := make([]window, n)
	for i := range ws {
		w := window{in: in.Shape[i+2], kernel: kernel[i], stride: st[i], dilation: dil[i], before: pads[i], after: pads[n+i]}
		if err := w.check(); err != nil {
			return nil, fmt.Errorf("dimension %d: %w", i, err)
		}
		span := w.in + w.before + w.after - w.dilation*(w.kernel-1) - 1
		if span < 0 {
			return nil, fmt.Errorf("dimension %d: the window of %d (dilation %d) exceeds the padded extent %d", i, w.kernel, w.dilation, w.in+w.before+w.after)
		}
		w.out = span/w.stride + 1
		if ceil && span%w.stride != 0 && w.out*w.stride < w.in+w.before {
			w.out++ // a last, partial window that starts inside
		}
		ws[i] = w
	}
	return ws, nil
}

// maxWindow bounds what a window attribute may be, so that no product of them
// overflows.
const maxWindow = 1 << 24

func (w window) check() error {
	switch {
	case w.stride < 1 || w.dilation < 1 || w.kernel < 1:
		return fmt.Errorf("kernel %d, stride %d and dilation %d must be positive", w.kernel, w.stride, w.dilation)
	case w.before < 0 || w.after < 0:
		return fmt.Errorf("negative pads %d and %d", w.before, w.after)
	case max(w.kernel, w.stride, w.dilation, w.before, w.after) > maxWindow:
		return fmt.Errorf("kernel %d, stride %d, dilation %d or pads %d, %d are out of bounds", w.kernel, w.stride, w.dilation, w.before, w.after)
	}
	return nil
}

func inferConv(c *graph.Call) ([]graph.Type, error) {
	x, w, group := c.In[0], c.In[1], c.Attrs.Int("group")
	if x.Rank() < 3 || w.Rank() != x.Rank() || w.Elem != x.Elem || !x.Elem.IsFloat() && x.Elem != dtype.Int32 {
		return nil, fmt.Errorf("cannot convolve %s with %s", x, w)
	}
	if group < 1 || w.Shape[1]*group != x.Shape[1] || w.Shape[0]%group != 0 {
		return nil, fmt.Errorf("%d groups do not divide the channels of %s and %s", group, x, w)
	}
	ws, err := windows(c, w.Shape[2:], false)
	if err != nil {
		return nil, err
	}
	if err := checkBias(c, w.Shape[0]); err != nil {
		return nil, err
	}
	shape := []int64{x.Shape[0], w.Shape[0]}
	for _, w := range ws {
		shape = append(shape, w.out)
	}
	return oneType(x.Elem, shape), nil
}

func checkBias(c *graph.Call, channels int64) error {
	if len(c.In) == 3 && !c.In[2].SameLogical(graph.Of(c.In[0].Elem, channels)) {
		return fmt.Errorf("the bias is %s, want %s[%d]", c.In[2], c.In[0].Elem, channels)
	}
	return nil
}

// evalConv sums in float64, row by row of the innermost dimension.
func evalConv(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	x, w, t := in[0], in[1], c.Out[0]
	ws, err := windows(c, w.Shape[2:], false)
	if err != nil {
		return nil, err
	}
	e := convEval{ws: ws, xs: strides(x.Shape), wv: doubles(w), xv: doubles(x)}
	e.taps = taps(w.Shape[2:])
	out := make([]float64, t.Len())
	oc, icg := t.Shape[1], w.Shape[1]
	plane := dtype.NumElements(t.Shape[2:])
	perGroup := oc / c.Attrs.Int("group")
	for n := range t.Shape[0] {
		for o := range oc {
			acc := out[(n*oc+o)*plane : (n*oc+o+1)*plane]
			if len(in) == 3 {
				fill(acc, in[2].Float(int(o)))
			}
			for i := range icg {
				xBase := n*e.xs[0] + (o/perGroup*icg+i)*e.xs[1]
				e.channel(acc, xBase, (o*icg+i)*int64(len(e.taps)))
			}
		}
	}
	return one(fromDoubles(t, out))
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

// taps lists the positions of a kernel in row-major order.
func taps(kernel []int64) [][]int64 {
	var list [][]int64
	idx := make([]int64, len(kernel))
	for range dtype.NumElements(kernel) {
		list = append(list, slices.Clone(idx))
		for d := len(kernel) - 1; d >= 0; d-- {
			if idx[d]++; idx[d] < kernel[d] {
				break
			}
			idx[d] = 0
		}
	}
	return list
}

type convEval struct {
	ws     []window
	xs     []int64
	xv, wv []float64
	taps   [][]int64
}

// channel adds one input channel's contribution to an output plane.
func (e *convEval) channel(acc []float64, xBase, wBase int64) {
	for k, tap := range e.taps {
		e.tap(acc, 0, 0, xBase, tap, e.wv[wBase+int64(k)])
	}
}

// tap walks the output positions whose input lies inside, dimension by
// dimension; o and x are the offsets reached so far.
func (e *convEval) tap(acc []float64, d int, o, x int64, tap []int64, wt float64) {
	w := e.ws[d]
	off := tap[d]*w.dilation - w.before
	lo, hi := int64(0), w.out
	if off < 0 {
		lo = (-off + w.stride - 1) / w.stride
	}
	if last := w.in - 1 - off; last < 0 {
		hi = 0
	} else {
		hi = min(hi, last/w.stride+1)
	}
	if hi <= lo {
		return
	}
	if d == len(e.ws)-1 {
		row, src := acc[o*w.out+lo:o*w.out+hi], e.xv[x+lo*w.stride+off:]
		if w.stride == 1 {
			for i, v := range src[:len(row)] {
				row[i] += wt * v
			}
			return
		}
		for i := range row {
			row[i] += wt * src[int64(i)*w.stride]
		}
		return
	}
	for i := lo; i < hi; i++ {
		e.tap(acc, d+1, o*w.out+i, x+(i*w.stride+off)*e.xs[d+2], tap, wt)
	}
}

// lowerConv emits an optional padding block, the reduction and the bias.
func lowerConv(l *graph.Lowering) error {
	ws, err := windows(l.Call, l.In[1].Shape[2:], false)
	if err != nil {
		return err
	}
	x := padWindows(l, l.Args[0], ws, 0)
	if l.Attrs.Int("group") == l.In[0].Shape[1] && l.In[1].Shape[1] == 1 {
		return withBias(l, func(out *graph.Operand) { depthwise(l, x, out, ws) })
	}
	return withBias(l, func(out *graph.Operand) { dense(l, x, out, ws) })
}

// padWindows emits a block that surrounds x for its windows, in x's own layout;
// nothing when the windows need no padding.
func padWindows(l *graph.Lowering, x *graph.Operand, ws []window, value float64) *graph.Operand {
	rank := x.Type.Rank()
	pads := make([]int64, 2*rank)
	t := x.Type
	t.Shape = slices.Clone(t.Shape)
	for i, w := range ws {
		// What a partial last window reads beyond the stated padding, too.
		need := (w.out-1)*w.stride + (w.kernel-1)*w.dilation + 1 - w.in - w.before
		pads[i+2], pads[rank+i+2] = w.before, max(w.after, need)
		t.Shape[i+2] += pads[i+2] + pads[rank+i+2]
	}
	if slices.Max(pads) == 0 {
		return x
	}
	p := l.Temp("x_pad", t)
	l.Compute("x_pad", p, func(idx []tir.Expr) tir.Expr { return padded(x, idx, pads, "constant", value) })
	return p
}

// withBias runs emit on a temporary and adds the bias, or runs it on the result.
func withBias(l *graph.Lowering, emit func(out *graph.Operand)) error {
	if len(l.Args) < 3 {
		emit(l.Outs[0])
		return nil
	}
	acc := l.Temp("conv", l.Out[0])
	emit(acc)
	l.Compute("bias_add", l.Outs[0], func(idx []tir.Expr) tir.Expr {
		return tir.Add(acc.At(idx), l.Args[2].At(idx[1:2]))
	})
	return nil
}

// positions are the input indices of an output index under a kernel index.
func positions(ws []window, out, kernel []tir.Expr) []tir.Expr {
	idx := make([]tir.Expr, len(ws))
	for i, w := range ws {
		idx[i] = tir.Add(tir.Mul(out[i], tir.Int(w.stride)), tir.Mul(kernel[i], tir.Int(w.dilation)))
	}
	return idx
}

func depthwise(l *graph.Lowering, x, out *graph.Operand, ws []window) {
	w := l.Args[1]
	mult := l.In[1].Shape[0] / l.In[0].Shape[1]
	l.Sum("depthwise_conv", out, l.In[1].Shape[2:], func(idx, r []tir.Expr) tir.Expr {
		src := slices.Concat([]tir.Expr{idx[0], idx[1]}, positions(ws, idx[2:], r))
		if mult > 1 {
			src[1] = tir.FloorDiv(idx[1], tir.Int(mult))
		}
		return tir.Mul(x.At(src), w.At(slices.Concat([]tir.Expr{idx[1], tir.Int(0)}, r)))
	})
}

// channelAxes are the reduction axes over icg input channels of x. Where x is
// blocked and the channels are whole blocks they are two, block and position,
// so that no index divides; split reads the channel off the iterators.
func channelAxes(x *graph.Operand, icg int64) (block int64, extents []int64, split func(r []tir.Expr) (ic tir.Expr, rest []tir.Expr)) {
	if l := x.Type.Layout; l.Kind == graph.Split && icg%int64(l.Block) == 0 {
		block = int64(l.Block)
		return block, []int64{icg / block, block}, func(r []tir.Expr) (tir.Expr, []tir.Expr) {
			return graph.JoinIndex(r[0], r[1], block), r[2:]
		}
	}
	return 1, []int64{icg}, func(r []tir.Expr) (tir.Expr, []tir.Expr) { return r[0], r[1:] }
}

// dense reduces over input channels, then the kernel.
func dense(l *graph.Lowering, x, out *graph.Operand, ws []window) {
	w, icg := l.Args[1], l.In[1].Shape[1]
	perGroup := l.In[1].Shape[0] / l.Attrs.Int("group")
	block, channels, split := channelAxes(x, icg)
	l.Sum("conv", out, slices.Concat(channels, l.In[1].Shape[2:]), func(idx, r []tir.Expr) tir.Expr {
		ic, k := split(r)
		src := slices.Concat([]tir.Expr{idx[0], groupChannel(l, idx[1], ic, perGroup, icg, block)}, positions(ws, idx[2:], k))
		return tir.Mul(x.At(src), w.At(slices.Concat([]tir.Expr{idx[1], ic}, k)))
	})
}

// groupChannel is the input channel that output channel oc reads at position ic
// of its group.
func groupChannel(l *graph.Lowering, oc, ic tir.Expr, perGroup, icg, block int64) tir.Expr {
	if l.Attrs.Int("group") == 1 {
		return ic
	}
	g := tir.FloorDiv(oc, tir.Int(perGroup))
	if block == 1 {
		return tir.Add(tir.Mul(g, tir.Int(icg)), ic)
	}
	outer, inner := graph.SplitIndex(ic, block)
	return graph.JoinIndex(tir.Add(tir.Mul(g, tir.Int(icg/block)), outer), inner, block)
}
