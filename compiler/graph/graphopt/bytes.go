package graphopt

import (
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/ops"
)

// multiplyBytes computes convolutions and products of quantised values, whose
// weights are constant, on the bytes themselves: sums in int32, of which the zero
// points are taken off beforehand, by the sums of the weights, and behind them one
// factor for each channel. What remains of the graph is arithmetic as before, which
// becomes their epilogue. Other operators read the bytes through a cast.
func multiplyBytes(g *graph.Graph, o Options) (int, error) {
	if o.Bytes.Bits == 0 || o.Block < 2 {
		return 0, nil
	}
	p := bytesPass{want: o.Bytes, lanes: int64(o.Block), made: map[graph.ValueID]shifted{}}
	return rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		p.matcher = m
		switch m.Node(id).Op.Name {
		case "conv":
			return p.conv(id)
		case "matmul":
			return p.matmul(id)
		}
		return false
	})
}

type bytesPass struct {
	*matcher
	want  dtype.DType
	lanes int64
	made  map[graph.ValueID]shifted
}

// shifted is a value of bytes in the type that the target multiplies: what was q is
// now v − by.
type shifted struct {
	v  graph.ValueID
	by int64
}

// operands are those of a convolution or product, of floats or of int32.
func (p *bytesPass) operands(n *graph.Node, axis int) (x quantised, w weights, ok bool) {
	switch p.Type(n.Inputs[0]).Elem {
	case dtype.Float32:
		x, ok = p.quantisedFloat(n.Inputs[0])
		ok = ok && x.scale.Len() == 1
	case dtype.Int32:
		x, ok = p.centred(n.Inputs[0])
	}
	if !ok || x.zero.Len() != 1 || p.Const(x.q) != nil || !holds(p.Type(x.q).Elem, float64(x.zero.Int(0))) {
		return x, w, false
	}
	w, ok = p.byteWeights(n.Inputs[1], axis)
	return x, w, ok && (x.scale == nil) == (w.scale == nil)
}

// maxTerms bounds the products in one sum, so that it stays within 31 bits whatever
// the bytes are.
const maxTerms = 1 << 15

func (p *bytesPass) conv(id graph.NodeID) bool {
	n := p.Node(id)
	x, w, ok := p.operands(n, 0)
	if !ok || len(w.w.Shape) != 4 || int64(w.w.Len())/w.w.Shape[0] > maxTerms {
		return false
	}
	var bias *dtype.Tensor
	if len(n.Inputs) == 3 {
		if bias = p.known(n.Inputs[2]); bias == nil {
			return false
		}
	}
	c := p.Call(id)
	group, channels, label, attrs := n.Attrs.Int("group"), c.In[0].Shape[1], n.Name, n.Attrs
	window := graph.A("dilations", attrs.Ints("dilations"), "pads", attrs.Ints("pads"), "strides", attrs.Ints("strides"))
	s := p.sums(x, w, bias)
	var y graph.ValueID
	switch {
	case group == 1:
		q := p.operand(x)
		s.takeOff(w.w, q.by+x.zero.Int(0))
		block := p.lanes
		if channels*4 < block*3 {
			block = ops.Quad
		}
		packed := p.Constant(ops.PackConvBytes(w.w, p.lanes, block), label)
		a := window.With("channels", w.w.Shape[0]).With("zero", q.by+x.zero.Int(0))
		y = p.Add1("conv_bytes", label, a, p.withBias(s, label, q.v, packed)...)
	case group == channels && w.w.Shape[0] == channels:
		y = p.Add1("depthwise_bytes", label, window.With("zero", x.zero.Int(0)), p.withBias(s, label, x.q, p.Constant(w.w, label))...)
	default:
		return false
	}
	p.swap(id, p.scaled(y, s, []int64{w.w.Shape[0], 1, 1}, label))
	return true
}

func (p *bytesPass) matmul(id graph.NodeID) bool {
	n := p.Node(id)
	x, w, ok := p.operands(n, 1)
	if !ok || len(w.w.Shape) != 2 || w.w.Shape[0] > maxTerms {
		return false
	}
	label := n.Name
	s := p.sums(x, w, nil)
	q := p.operand(x)
	s.takeOff(transposed(w.w), q.by+x.zero.Int(0))
	packed := p.Constant(ops.PackMatmulBytes(w.w, p.lanes), label)
	y := p.Add1("matmul_bytes", label, graph.A("columns", w.w.Shape[1]), p.withBias(s, label, q.v, packed)...)
	p.swap(id, p.scaled(y, s, []int64{w.w.Shape[1]}, label))
	return true
}

// sums are what is done with the sums of a product: integers to add, one factor for
// each channel, floats to add.
type sums struct {
	add    []int64
	factor []float64 // nil for none
	bias   []float64 // nil for none
}

// sums splits off of a bias what are integers at the scale of the sums.
func (p *bytesPass) sums(x quantised, w weights, bias *dtype.Tensor) *sums {
	s := &sums{factor: w.scale}
	channels := int(w.w.Shape[0])
	if len(w.w.Shape) == 2 {
		channels = int(w.w.Shape[1])
	}
	s.add = make([]int64, channels)
	if w.scale != nil {
		s.factor = make([]float64, channels)
		for i := range s.factor {
			s.factor[i] = float64(float32(w.scale[i]) * float32(x.scale.Float(0)))
		}
	}
	if bias == nil {
		return s
	}
	whole := true
	for i := range s.add {
		b, f := bias.Float(i), 1.0
		if s.factor != nil {
			f = s.factor[i]
		}
		k := math.RoundToEven(b / f)
		whole = whole && math.Abs(k) < 1<<24 && float64(float32(k)*float32(f)) == b
		s.add[i] = int64(k)
	}
	if s.factor != nil && !whole {
		clear(s.add)
		s.bias = make([]float64, channels)
		for i := range s.bias {
			s.bias[i] = bias.Float(i)
		}
	}
	return s
}

// takeOff subtracts what the zero point adds to every sum; w counts channels first.
func (s *sums) takeOff(w *dtype.Tensor, zero int64) {
	inner := w.Len() / len(s.add)
	for i := range w.Len() {
		s.add[i/inner] -= zero * w.Int(i)
	}
}

func (p *bytesPass) withBias(s *sums, label string, in ...graph.ValueID) []graph.ValueID {
	if !slices.ContainsFunc(s.add, func(x int64) bool { return x != 0 }) {
		return in
	}
	t := dtype.NewTensor(dtype.Int32, int64(len(s.add)))
	for i, x := range s.add {
		t.SetInt(i, x)
	}
	return append(in, p.Constant(t, label))
}

// scaled brings sums to floats where the convolution was of floats.
func (p *bytesPass) scaled(y graph.ValueID, s *sums, shape []int64, label string) graph.ValueID {
	if s.factor == nil {
		return y
	}
	param := func(v []float64) graph.ValueID {
		t := vector(dtype.Float32, v)
		t.Shape = shape
		return p.Constant(t, label)
	}
	y = p.Add1("cast", label, graph.A("to", "float32"), y)
	y = p.Add1("mul", label, nil, y, param(s.factor))
	if s.bias != nil {
		y = p.Add1("add", label, nil, y, param(s.bias))
	}
	return y
}

// operand brings the bytes of a value to the type that the target multiplies. Where
// they are cut from floats, that cut moves, and all other readers take the difference
// off again; other bytes are converted.
func (p *bytesPass) operand(x quantised) shifted {
	if p.Type(x.q).Elem == p.want {
		return shifted{v: x.q}
	}
	if s, ok := p.made[x.q]; ok {
		return s
	}
	by := int64(128)
	if p.want == dtype.Int8 {
		by = -128
	}
	s := shifted{by: by}
	label := p.Value(x.q).Name
	if cut := p.cutOf(x.q); cut != nil {
		s.v = p.moveCut(cut, float64(by), label)
		p.takeBack(x.q, s, label)
	} else {
		wide := p.Add1("cast", label, graph.A("to", "int32"), x.q)
		wide = p.Add1("add", label, nil, wide, p.Constant(scalar(dtype.Int32, float64(by)), label))
		s.v = p.Add1("cast", label, graph.A("to", p.want.String()), wide)
	}
	p.made[x.q] = s
	return s
}

// cutOf is the clip of floats that a value of bytes is cast from, if nothing but casts
// to floats and int32 read the bytes.
func (p *bytesPass) cutOf(q graph.ValueID) *graph.Node {
	n := p.ProducerOf(q, "cast")
	if n == nil || p.Type(n.Inputs[0]).Elem != dtype.Float32 {
		return nil
	}
	for _, u := range p.uses[q] {
		if u == graph.NoNode || p.Node(u).Op == nil || p.Node(u).Op.Name != "cast" {
			return nil
		}
		if to := p.Type(p.Node(u).Outputs[0]).Elem; to != dtype.Float32 && to != dtype.Int32 {
			return nil
		}
	}
	cut := p.ProducerOf(n.Inputs[0], "clip")
	if t := p.Type(q).Elem; cut == nil || !holds(t, cut.Attrs.Float("min")) || !holds(t, cut.Attrs.Float("max")) {
		return nil
	}
	return cut
}

// holds reports whether an integer is one of type t.
func holds(t dtype.DType, v float64) bool {
	lo, hi := rangeOf(t)
	return v == math.Trunc(v) && v >= lo && v <= hi
}

// moveCut is the bytes of a cut, moved by a constant.
func (p *bytesPass) moveCut(cut *graph.Node, by float64, label string) graph.ValueID {
	v, bounds := cut.Inputs[0], graph.A("max", cut.Attrs.Float("max")+by, "min", cut.Attrs.Float("min")+by)
	if sum := p.ProducerOf(v, "add"); sum != nil {
		if x, c, ok := p.withConst(sum); ok && p.Const(c).Len() == 1 && p.Type(x).SameLogical(p.Type(v)) {
			v, by = x, by+p.Const(c).Float(0)
		}
	}
	if by != 0 {
		v = p.Add1("add", label, nil, v, p.Constant(scalar(dtype.Float32, by), label))
	}
	v = p.Add1("clip", label, bounds, v)
	return p.Add1("cast", label, graph.A("to", p.want.String()), v)
}

// takeBack makes readers of q casts of the moved bytes, less what they were moved by.
func (p *bytesPass) takeBack(q graph.ValueID, s shifted, label string) {
	for _, u := range slices.Clone(p.uses[q]) {
		if p.Node(u).Op == nil {
			continue
		}
		out := p.Node(u).Outputs[0]
		to := p.Type(out).Elem
		v := p.Add1("cast", label, graph.A("to", to.String()), s.v)
		p.Replace(out, p.Add1("sub", label, nil, v, p.Constant(scalar(to, float64(s.by)), label)))
	}
}
