package ops

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// conv_transpose is the gradient of a convolution: x[N,C,…] with
// w[C,O/group,…]. output_padding is part of pads already: an output extent is
// stride·(in−1) + dilation·(kernel−1) + 1 − before − after, and after may be
// negative.
var _ = graph.Register(&graph.Op{
	Name: "conv_transpose", Min: 2, Max: 3, Attrs: convAttrs, Class: graph.OutFusable, Layout: graph.Convolution,
	LayoutOK: func(c *graph.Call) bool { return c.Attrs.Int("group") == 1 },
	Infer:    inferConvTranspose, Eval: evalConvTranspose, Lower: lowerConvTranspose,
})

func transposeWindows(c *graph.Call) ([]window, error) {
	x, k := c.In[0], c.In[1].Shape[2:]
	n := len(k)
	st, dil, pads := c.Attrs.Ints("strides"), c.Attrs.Ints("dilations"), c.Attrs.Ints("pads")
	if len(st) != n || len(dil) != n || len(pads) != 2*n {
		return nil, fmt.Errorf("strides %v, dilations %v and pads %v do not fit %s", st, dil, pads, c.In[1])
	}
	ws := make([]window, n)
	for i := range ws {
		w := window{in: x.Shape[i+2], kernel: k[i], stride: st[i], dilation: dil[i], before: pads[i]}
		if err := w.check(); err != nil {
			return nil, fmt.Errorf("dimension %d: %w", i, err)
		}
		w.after = pads[n+i]
		w.out = w.stride*(w.in-1) + w.dilation*(w.kernel-1) + 1 - w.before - w.after
		if w.after < -maxWindow || w.after > maxWindow || w.out < 0 {
			return nil, fmt.Errorf("dimension %d: pads %d and %d give an extent of %d", i, w.before, w.after, w.out)
		}
		ws[i] = w
	}
	return ws, nil
}

func inferConvTranspose(c *graph.Call) ([]graph.Type, error) {
	x, w, group := c.In[0], c.In[1], c.Attrs.Int("group")
	if x.Rank() < 3 || w.Rank() != x.Rank() || w.Elem != x.Elem || !x.Elem.IsFloat() {
		return nil, fmt.Errorf("cannot convolve %s with %s", x, w)
	}
	if group < 1 || w.Shape[0] != x.Shape[1] || x.Shape[1]%group != 0 {
		return nil, fmt.Errorf("%d groups do not divide the channels of %s and %s", group, x, w)
	}
	ws, err := transposeWindows(c)
	if err != nil {
		return nil, err
	}
	oc := w.Shape[1] * group
	if err := checkBias(c, oc); err != nil {
		return nil, err
	}
	shape := []int64{x.Shape[0], oc}
	for _, w := range ws {
		shape = append(shape, w.out)
	}
	return oneType(x.Elem, shape), nil
}

// evalConvTranspose scatters every input element over the output.
func evalConvTranspose(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	ws, err := transposeWindows(c)
	if err != nil {
		return nil, err
	}
	x, t := in[0], c.Out[0]
	xv, wv, out := doubles(x), doubles(in[1]), make([]float64, t.Len())
	list := taps(in[1].Shape[2:])
	os, ocg := strides(t.Shape), in[1].Shape[1]
	icg := x.Shape[1] / c.Attrs.Int("group")
	if len(in) == 3 {
		for i := range out {
			out[i] = in[2].Float(int(int64(i) / os[1] % t.Shape[1]))
		}
	}
	walk(x.Shape, func(i int, off []int64) {
		n, ic, rest := off[0], off[1], int64(i)%dtype.NumElements(x.Shape[2:])
		for o := range ocg {
			base := n*os[0] + (ic/icg*ocg+o)*os[1]
			for k, tap := range list {
				if at, ok := scatterTo(ws, rest, tap, os[2:]); ok {
					out[base+at] += xv[i] * wv[(ic*ocg+o)*int64(len(list))+int64(k)]
				}
			}
		}
	}, unit(x.Shape, 0), unit(x.Shape, 1))
	return one(fromDoubles(t, out))
}

// unit are strides that report the index of one dimension.
func unit(shape []int64, d int) []int64 {
	s := make([]int64, len(shape))
	s[d] = 1
	return s
}

// scatterTo is the output offset that input position flat reaches under a tap.
func scatterTo(ws []window, flat int64, tap, os []int64) (int64, bool) {
	at := int64(0)
	for d := len(ws) - 1; d >= 0; d-- {
		w := ws[d]
		p := flat%w.in*w.stride + tap[d]*w.dilation - w.before
		if p < 0 || p >= w.out {
			return 0, false
		}
		at += p * os[d]
		flat /= w.in
	}
	return at, true
}

// lowerConvTranspose spreads the input over a zero grid (stride and border)
// and convolves that with the mirrored kernel.
func lowerConvTranspose(l *graph.Lowering) error {
	ws, err := transposeWindows(l.Call)
	if err != nil {
		return err
	}
	if noOverlap(ws) && l.Attrs.Int("group") == 1 {
		upscale(l, ws)
		return nil
	}
	x := spread(l, ws)
	w, group := l.Args[1], l.Attrs.Int("group")
	icg, ocg := l.In[0].Shape[1]/group, l.In[1].Shape[1]
	_, channels, split := channelAxes(x, icg)
	return withBias(l, func(out *graph.Operand) {
		l.Sum("conv_transpose", out, slices.Concat(channels, l.In[1].Shape[2:]), func(idx, r []tir.Expr) tir.Expr {
			ic, k := split(r)
			src, wi := []tir.Expr{idx[0], ic}, []tir.Expr{ic, idx[1]}
			if group > 1 {
				src[1] = tir.Add(tir.Mul(tir.FloorDiv(idx[1], tir.Int(ocg)), tir.Int(icg)), ic)
				wi = []tir.Expr{src[1], tir.FloorMod(idx[1], tir.Int(ocg))}
			}
			for i, w := range ws {
				src = append(src, tir.Add(idx[i+2], tir.Mul(k[i], tir.Int(w.dilation))))
				wi = append(wi, tir.Sub(tir.Int(w.kernel-1), k[i]))
			}
			return tir.Mul(x.At(src), w.At(wi))
		})
	})
}

// noOverlap reports the common upscaling case: every output position is
// reached by exactly one tap.
func noOverlap(ws []window) bool {
	for _, w := range ws {
		if w.kernel != w.stride || w.dilation != 1 || w.before != 0 || w.after != 0 {
			return false
		}
	}
	return true
}

// upscale handles noOverlap: a matmul into a tensor with one more dimension per
// window, the tap, and a block that interleaves those and adds the bias.
func upscale(l *graph.Lowering, ws []window) {
	x, w, n := l.Args[0], l.Args[1], len(ws)
	t := l.Out[0]
	t.Shape = slices.Clone(t.Shape[:2])
	for _, win := range ws {
		t.Shape = append(t.Shape, win.in, win.stride)
	}
	acc := l.Temp("conv_transpose", t)
	_, channels, split := channelAxes(x, l.In[0].Shape[1])
	l.Sum("conv_transpose", acc, channels, func(idx, r []tir.Expr) tir.Expr {
		ic, _ := split(r)
		src, wi := []tir.Expr{idx[0], ic}, []tir.Expr{ic, idx[1]}
		for i := range n {
			src, wi = append(src, idx[2+2*i]), append(wi, idx[3+2*i])
		}
		return tir.Mul(x.At(src), w.At(wi))
	})
	l.Compute("interleave", l.Outs[0], func(idx []tir.Expr) tir.Expr {
		src := []tir.Expr{idx[0], idx[1]}
		for i, win := range ws {
			s := tir.Int(win.stride)
			src = append(src, tir.FloorDiv(idx[i+2], s), tir.FloorMod(idx[i+2], s))
		}
		y := acc.At(src)
		if len(l.Args) == 3 {
			y = tir.Add(y, l.Args[2].At(idx[1:2]))
		}
		return y
	})
}

func spread(l *graph.Lowering, ws []window) *graph.Operand {
	t := l.In[0]
	t.Shape = slices.Clone(t.Shape)
	for i, w := range ws {
		t.Shape[i+2] = w.out + w.dilation*(w.kernel-1)
	}
	x := l.Temp("x_spread", t)
	l.Compute("x_spread", x, func(idx []tir.Expr) tir.Expr {
		src := slices.Clone(idx)
		var inside tir.Expr = tir.True
		for i, w := range ws {
			first := w.dilation*(w.kernel-1) - w.before // where input 0 lands
			e := tir.Sub(idx[i+2], tir.Int(first))
			src[i+2] = tir.FloorDiv(e, tir.Int(w.stride))
			inside = tir.And(inside, tir.Compare(tir.OpGE, e, tir.Int(0)))
			inside = tir.And(inside, less(e, tir.Int((w.in-1)*w.stride+1)))
			if w.stride > 1 {
				inside = tir.And(inside, tir.Compare(tir.OpEQ, tir.FloorMod(e, tir.Int(w.stride)), tir.Int(0)))
			}
		}
		read := l.Args[0].At(src)
		return tir.IfThenElse(inside, read, like(read, 0))
	})
	return x
}
