package ops

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// Quad is how many bytes of the reduction one lane of a dot product multiplies.
const Quad = 4

// conv_bytes is a convolution of bytes for instructions that add four products of
// them to a word: x[N,C,H,W] in blocks of channels, weights of int8 packed by
// PackConvBytes, an optional bias int32[channels], sums in int32. Padding counts as
// the given zero, which the bias makes up for: it is a plain sum of products.
var _ = graph.Register(&graph.Op{
	Name: "conv_bytes", Min: 2, Max: 3, Class: graph.OutFusable, Layout: graph.Packed,
	Attrs: []graph.AttrSpec{
		{Key: "channels", Zero: int64(0)}, {Key: "dilations", Zero: []int64(nil)}, {Key: "pads", Zero: []int64(nil)},
		{Key: "strides", Zero: []int64(nil)}, {Key: "zero", Zero: int64(0)},
	},
	Infer: inferConvBytes, Eval: evalConvBytes, Lower: lowerConvBytes,
})

// PackConvBytes lays weights [O,C,H,W] of integers out as conv_bytes reads them:
// [⌈O/lanes⌉][⌈C/block⌉][H][W][block/4][lanes][4] of int8, filled up with zeros.
func PackConvBytes(w *dtype.Tensor, lanes, block int64) *dtype.Tensor {
	o, c, taps := w.Shape[0], w.Shape[1], w.Shape[2]*w.Shape[3]
	p := dtype.NewTensor(dtype.Int8, (o+lanes-1)/lanes, (c+block-1)/block, w.Shape[2], w.Shape[3], block/Quad, lanes, Quad)
	for i := range int64(w.Len()) {
		oc, ic, tap := i/(c*taps), i/taps%c, i%taps
		at := (oc/lanes*p.Shape[1]+ic/block)*taps + tap
		at = ((at*(block/Quad)+ic%block/Quad)*lanes+oc%lanes)*Quad + ic%Quad
		p.SetInt(int(at), w.Int(int(i)))
	}
	return p
}

// unpackConvBytes undoes PackConvBytes, for channels of the operands.
func unpackConvBytes(p *dtype.Tensor, o, c int64) *dtype.Tensor {
	lanes, block, taps := p.Shape[5], p.Shape[4]*Quad, p.Shape[2]*p.Shape[3]
	w := dtype.NewTensor(dtype.Int32, o, c, p.Shape[2], p.Shape[3])
	for i := range int64(w.Len()) {
		oc, ic, tap := i/(c*taps), i/taps%c, i%taps
		at := (oc/lanes*p.Shape[1]+ic/block)*taps + tap
		at = ((at*(block/Quad)+ic%block/Quad)*lanes+oc%lanes)*Quad + ic%Quad
		w.SetInt(int(i), p.Int(int(at)))
	}
	return w
}

// areBytes checks activations and weights of a product of bytes.
func areBytes(x, w graph.Type) error {
	if x.Elem != dtype.UInt8 && x.Elem != dtype.Int8 || w.Elem != dtype.Int8 {
		return fmt.Errorf("cannot multiply %s by %s: want bytes by int8", x, w)
	}
	return nil
}

// checkSums checks the bias of sums of int32.
func checkSums(c *graph.Call, channels int64) error {
	if len(c.In) == 3 && !c.In[2].SameLogical(graph.Of(dtype.Int32, channels)) {
		return fmt.Errorf("the bias is %s, want int32[%d]", c.In[2], channels)
	}
	return nil
}

func inferConvBytes(c *graph.Call) ([]graph.Type, error) {
	x, w, channels := c.In[0], c.In[1], c.Attrs.Int("channels")
	if err := areBytes(x, w); err != nil {
		return nil, err
	}
	if x.Rank() != 4 || w.Rank() != 7 || w.Shape[6] != Quad || w.Shape[5] < 1 || w.Shape[4] < 1 {
		return nil, fmt.Errorf("cannot convolve %s with packed weights %s", x, w)
	}
	block := w.Shape[4] * Quad
	if w.Shape[1] != (x.Shape[1]+block-1)/block || channels < 1 || w.Shape[0] != (channels+w.Shape[5]-1)/w.Shape[5] {
		return nil, fmt.Errorf("packed weights %s do not take the channels of %s to %d", w, x, channels)
	}
	if err := inByte(c.Attrs.Int("zero"), x.Elem); err != nil {
		return nil, err
	}
	ws, err := windows(c, w.Shape[2:4], false)
	if err != nil {
		return nil, err
	}
	if err := checkSums(c, channels); err != nil {
		return nil, err
	}
	return oneType(dtype.Int32, []int64{x.Shape[0], channels, ws[0].out, ws[1].out}), nil
}

// inByte checks that a zero point is a value of its type.
func inByte(zero int64, t dtype.DType) error {
	lo, hi := int64(0), int64(255)
	if t.IsSigned() {
		lo, hi = -128, 127
	}
	if zero < lo || zero > hi {
		return fmt.Errorf("the zero point %d is no %s", zero, t)
	}
	return nil
}

// evalConvBytes pads and convolves in int32.
func evalConvBytes(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	ws, err := windows(c, in[1].Shape[2:4], false)
	if err != nil {
		return nil, err
	}
	x := in[0]
	n := x.Shape[0] * x.Shape[1]
	padded := dtype.NewTensor(dtype.Int32, x.Shape[0], x.Shape[1], x.Shape[2]+ws[0].before+ws[0].after, x.Shape[3]+ws[1].before+ws[1].after)
	for i := range padded.Len() {
		padded.SetInt(i, c.Attrs.Int("zero"))
	}
	h, w, pw := x.Shape[2], x.Shape[3], padded.Shape[3]
	for i := range n * h * w {
		p, y, z := i/(h*w), i/w%h, i%w
		padded.SetInt(int((p*padded.Shape[2]+y+ws[0].before)*pw+z+ws[1].before), x.Int(int(i)))
	}
	attrs := graph.A("dilations", c.Attrs.Ints("dilations"), "group", 1, "pads", []int64{0, 0, 0, 0}, "strides", c.Attrs.Ints("strides"))
	plain := &graph.Call{Attrs: attrs, In: []graph.Type{graph.Of(dtype.Int32, padded.Shape...)}, Out: c.Out}
	args := []*dtype.Tensor{padded, unpackConvBytes(in[1], c.Attrs.Int("channels"), x.Shape[1])}
	return evalConv(plain, append(args, in[2:]...))
}

// lowerConvBytes emits padding of its own, which stays a stage because the
// instruction reads four bytes at once, the sums and the bias.
func lowerConvBytes(l *graph.Lowering) error {
	w := l.In[1].Shape
	if want := graph.Blocked(int(w[4] * Quad)); l.In[0].Layout != want {
		return fmt.Errorf("the operand %s is not in blocks of %d channels", l.In[0], w[4]*Quad)
	}
	if want := graph.Blocked(int(w[5])); l.Out[0].Layout != want {
		return fmt.Errorf("the result %s is not in blocks of %d channels", l.Out[0], w[5])
	}
	ws, err := windows(l.Call, w[2:4], false)
	if err != nil {
		return err
	}
	x := padWindows(l, l.Args[0], ws, float64(l.Attrs.Int("zero")))
	return withBias(l, func(out *graph.Operand) {
		l.Sum("conv_bytes", out, []int64{w[1], w[2], w[3], w[4], Quad}, func(idx, r []tir.Expr) tir.Expr {
			at := tir.Add(tir.Mul(r[3], tir.Int(Quad)), r[4])
			src := slices.Concat([]tir.Expr{idx[0], nil}, positions(ws, idx[2:], r[1:3]))
			ob, lane := graph.SplitIndex(idx[1], w[5])
			return productOfBytes(x.AtBlock(src, r[0], at), l.Args[1].At([]tir.Expr{ob, r[0], r[1], r[2], r[3], lane, r[4]}))
		})
	})
}

// productOfBytes multiplies in int32, as intrinsics describe it.
func productOfBytes(x, w tir.Expr) tir.Expr {
	return tir.Mul(tir.NewCast(dtype.Int32, x), tir.NewCast(dtype.Int32, w))
}
