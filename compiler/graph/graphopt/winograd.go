package graphopt

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/ops"
)

// What decides between a convolution and its Winograd forms, counted in
// multiply-adds: what the traffic of a byte costs where nothing stays in the
// caches, the rows that a register tile holds, and the gain below which a
// convolution stays as it is.
const (
	winogradByte = 5
	winogradRows = 6
	winogradGain = 0.8
)

// winograd replaces convolutions of 3×3 taps and stride 1 by a transform of the
// input, a product of matrices and a transform back, where that is estimated to take
// less time. Weights are transformed here. The result differs from the direct
// sum's by rounding; the scripts of the pass hold it to 1e-5.
func winograd(g *graph.Graph, o Options) (int, error) {
	if o.Block < 2 {
		return 0, nil
	}
	return rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		n := m.Node(id)
		if n.Op.Name != "conv" {
			return false
		}
		c := m.Call(id)
		tile := winogradTile(m, n, c, int64(o.Block))
		if tile == 0 {
			return false
		}
		x, w, y := c.In[0].Shape, m.Const(n.Inputs[1]), c.Out[0].Shape
		pads := n.Attrs.Ints("pads")
		v := m.Add1("winograd_input", n.Name, graph.A("pads", pads, "tile", tile), n.Inputs[0])
		u := m.Constant(ops.WinogradWeights(w, tile), m.Value(n.Inputs[1]).Name)
		p := m.Add1("matmul", n.Name, nil, v, u)
		out := m.Add1("winograd_output", n.Name, graph.A("size", []int64{x[0], y[2], y[3]}, "tile", tile), p)
		if len(n.Inputs) == 3 {
			out = m.Add1("add", n.Name, nil, out, m.perChannel(n.Inputs[2], y[1]))
		}
		m.swap(id, out)
		return true
	})
}

// perChannel is a vector as a factor or term of every channel of an image.
func (m *matcher) perChannel(v graph.ValueID, channels int64) graph.ValueID {
	shape := []int64{channels, 1, 1}
	if t := m.Const(v); t != nil {
		return m.Constant(&dtype.Tensor{Type: t.Type, Shape: shape, Data: t.Data}, m.Value(v).Name)
	}
	return m.Add1("reshape", m.Value(v).Name, graph.A("shape", shape), v)
}

// winogradTile is the tile of the fastest form, 0 for the convolution itself.
func winogradTile(m *matcher, n *graph.Node, c *graph.Call, block int64) int64 {
	w := m.Const(n.Inputs[1])
	ones := []int64{1, 1}
	if w == nil || w.Type != dtype.Float32 || c.In[0].Rank() != 4 || n.Attrs.Int("group") != 1 || !slices.Equal(w.Shape[2:], []int64{3, 3}) ||
		!slices.Equal(n.Attrs.Ints("strides"), ones) || !slices.Equal(n.Attrs.Ints("dilations"), ones) {
		return 0
	}
	if w.Shape[0]%block != 0 || w.Shape[1]%block != 0 {
		return 0
	}
	x, y := c.In[0].Shape, c.Out[0].Shape
	in, out, bytes := float64(w.Shape[1]), float64(w.Shape[0]), float64(w.Type.Bytes())
	images := float64(x[0])
	direct := images*float64(y[2]*y[3])*9*in*out + winogradByte*bytes*9*in*out
	best, tile := winogradGain*direct, int64(0)
	for _, t := range []int64{2, 4} {
		a := float64((t + 2) * (t + 2))
		tiles := images * float64(ceilDiv(y[2], t)*ceilDiv(y[3], t))
		rows := float64(ceilDiv(int64(tiles), winogradRows) * winogradRows)
		traffic := bytes * (images*float64(x[2]*x[3])*in + images*float64(y[2]*y[3])*out + 2*a*tiles*(in+out) + a*in*out)
		if cost := a*rows*in*out + winogradByte*traffic; cost < best {
			best, tile = cost, t
		}
	}
	return tile
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
