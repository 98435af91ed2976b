package graphopt

import (
	"fmt"
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

// winogradRace bounds the forms that are worth measuring: those estimated at most this
// many times slower than the fastest one.
const winogradRace = 1.6

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
		site, ok := winogradSite(m, n, c, int64(o.Block))
		if !ok {
			return false
		}
		tile := o.form(site)
		if tile == 0 {
			return false
		}
		x, y := c.In[0].Shape, c.Out[0].Shape
		pads := n.Attrs.Ints("pads")
		v := m.Add1("winograd_input", n.Name, graph.A("pads", pads, "tile", tile), n.Inputs[0])
		u := m.Constant(winogradWeights(m.Const(n.Inputs[1]), tile, o.Hollow), m.Value(n.Inputs[1]).Name)
		p := m.Add1("matmul", n.Name, nil, v, u)
		out := m.Add1("winograd_output", n.Name, graph.A("size", []int64{x[0], y[2], y[3]}, "tile", tile), p)
		if len(n.Inputs) == 3 {
			out = m.Add1("add", n.Name, nil, out, m.perChannel(n.Inputs[2], y[1]))
		}
		m.swap(id, out)
		return true
	})
}

func winogradWeights(w *dtype.Tensor, tile int64, hollow bool) *dtype.Tensor {
	if hollow {
		return dtype.NewTensor(w.Type, tile+2, tile+2, w.Shape[1], w.Shape[0])
	}
	return ops.WinogradWeights(w, tile)
}

// perChannel is a vector as a factor or term of every channel of an image.
func (m *matcher) perChannel(v graph.ValueID, channels int64) graph.ValueID {
	shape := []int64{channels, 1, 1}
	if t := m.Const(v); t != nil {
		return m.Constant(&dtype.Tensor{Type: t.Type, Shape: shape, Data: t.Data}, m.Value(v).Name)
	}
	return m.Add1("reshape", m.Value(v).Name, graph.A("shape", shape), v)
}

// winogradSite is a convolution that has Winograd forms, which are named by their
// tiles; 0 is the convolution itself.
func winogradSite(m *matcher, n *graph.Node, c *graph.Call, block int64) (Site, bool) {
	w := m.Const(n.Inputs[1])
	ones := []int64{1, 1}
	if w == nil || w.Type != dtype.Float32 || c.In[0].Rank() != 4 || n.Attrs.Int("group") != 1 || !slices.Equal(w.Shape[2:], []int64{3, 3}) ||
		!slices.Equal(n.Attrs.Ints("strides"), ones) || !slices.Equal(n.Attrs.Ints("dilations"), ones) {
		return Site{}, false
	}
	if w.Shape[0]%block != 0 || w.Shape[1]%block != 0 {
		return Site{}, false
	}
	s := Site{Name: fmt.Sprintf("conv %v %v pads %v", c.In[0].Shape, w.Shape, n.Attrs.Ints("pads"))}
	costs := winogradCosts(c)
	best, least := winogradGain*costs[0].cost, costs[0].cost
	for _, f := range costs[1:] {
		if f.cost < best {
			best, s.Form = f.cost, f.tile
		}
		least = min(least, f.cost)
	}
	for _, f := range costs {
		if f.tile == s.Form || f.cost <= winogradRace*least {
			s.Forms = append(s.Forms, f.tile)
		}
	}
	return s, true
}

type winogradCost struct {
	tile int64
	cost float64 // in multiply-adds
}

// winogradCosts estimates the convolution itself and its forms.
func winogradCosts(c *graph.Call) []winogradCost {
	x, w, y := c.In[0].Shape, c.In[1].Shape, c.Out[0].Shape
	in, out, bytes := float64(w[1]), float64(w[0]), float64(c.In[1].Elem.Bytes())
	images := float64(x[0])
	costs := []winogradCost{{0, images*float64(y[2]*y[3])*9*in*out + winogradByte*bytes*9*in*out}}
	for _, t := range []int64{2, 4} {
		a := float64((t + 2) * (t + 2))
		tiles := images * float64(ceilDiv(y[2], t)*ceilDiv(y[3], t))
		rows := float64(ceilDiv(int64(tiles), winogradRows) * winogradRows)
		traffic := bytes * (images*float64(x[2]*x[3])*in + images*float64(y[2]*y[3])*out + 2*a*tiles*(in+out) + a*in*out)
		costs = append(costs, winogradCost{t, a*rows*in*out + winogradByte*traffic})
	}
	return costs
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
