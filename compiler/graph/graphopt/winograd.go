package graphopt

import (
	"fmt"
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/ops"
)

// What decides between a convolution and its Winograd forms, counted in
// multiply-adds: what the traffic of a byte costs beyond the second-level cache, what
// the transforms of an element of a tile cost inside of it, the rows that a register
// tile holds, and the gain below which a convolution stays as it is.
const (
	winogradByte   = 5
	winogradInput  = 13
	winogradOutput = 7
	winogradRows   = 6
	winogradGain   = 0.8
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
		site, ok := winogradSite(m, n, c, int64(o.Block), o.cache())
		if !ok {
			return false
		}
		form := o.form(site)
		if form == 0 {
			return false
		}
		out := m.winograd(n, c, form, o.Hollow)
		if len(n.Inputs) == 3 {
			out = m.Add1("add", n.Name, nil, out, m.perChannel(n.Inputs[2], c.Out[0].Shape[1]))
		}
		m.swap(id, out)
		return true
	})
}

// winograd adds a form of a convolution: one operator, or, where the form is negative,
// three.
func (m *matcher) winograd(n *graph.Node, c *graph.Call, form int64, hollow bool) graph.ValueID {
	tile := max(form, -form)
	at := graph.A("pads", n.Attrs.Ints("pads"), "tile", tile)
	u := m.Constant(winogradWeights(m.Const(n.Inputs[1]), tile, hollow), m.Value(n.Inputs[1]).Name)
	if form > 0 {
		return m.Add1("winograd_conv", n.Name, at, n.Inputs[0], u)
	}
	p := m.Add1("matmul", n.Name, nil, m.Add1("winograd_input", n.Name, at, n.Inputs[0]), u)
	y := c.Out[0].Shape
	return m.Add1("winograd_output", n.Name, graph.A("size", []int64{y[0], y[2], y[3]}, "tile", tile), p)
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
// tiles, less than 0 where they are three kernels; 0 is the convolution itself.
func winogradSite(m *matcher, n *graph.Node, c *graph.Call, block, cache int64) (Site, bool) {
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
	costs := winogradCosts(c, cache)
	best, least := winogradGain*costs[0].cost, costs[0].cost
	for _, f := range costs[1:] {
		if f.cost < best {
			best, s.Form = f.cost, f.form
		}
		least = min(least, f.cost)
	}
	for _, f := range costs {
		if f.form == s.Form || f.cost <= winogradRace*least {
			s.Forms = append(s.Forms, f.form)
		}
	}
	return s, true
}

type winogradCost struct {
	form int64
	cost float64 // in multiply-adds
}

// winogradCosts estimates the convolution itself and its forms. Forms of three
// kernels pass the transformed tiles through memory; those of one read the weights anew
// for every block of tiles, unless they stay in the second-level cache.
func winogradCosts(c *graph.Call, cache int64) []winogradCost {
	x, w, y := c.In[0].Shape, c.In[1].Shape, c.Out[0].Shape
	in, out, bytes := float64(w[1]), float64(w[0]), float64(c.In[1].Elem.Bytes())
	images := float64(x[0])
	ends := bytes * images * (float64(x[2]*x[3])*in + float64(y[2]*y[3])*out)
	costs := []winogradCost{{0, images*float64(y[2]*y[3])*9*in*out + winogradByte*(ends+bytes*9*in*out)}}
	for _, t := range []int64{2, 4} {
		a := float64((t + 2) * (t + 2))
		tiles := images * float64(ceilDiv(y[2], t)*ceilDiv(y[3], t))
		rows := float64(ceilDiv(int64(tiles), winogradRows) * winogradRows)
		products, weights := a*rows*in*out, bytes*a*in*out
		between := 2 * bytes * a * tiles * (in + out)
		blocks := 1.0
		if weights > float64(cache/2) {
			blocks = math.Ceil(tiles * a * in * bytes / float64(cache/2))
		}
		transforms := a * tiles * (winogradInput*in + winogradOutput*out)
		costs = append(costs,
			winogradCost{-t, products + winogradByte*(ends+between+weights)},
			winogradCost{t, products + transforms + winogradByte*(ends+blocks*weights)})
	}
	return costs
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
