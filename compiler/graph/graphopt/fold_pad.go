package graphopt

import (
	"slices"

	"hone/compiler/graph"
)

// foldPad adds the zero padding of spatial dimensions to the convolution that
// reads it.
func foldPad(g *graph.Graph, _ Options) (int, error) {
	return rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		n := m.Node(id)
		if n.Op.Name != "conv" {
			return false
		}
		p := m.ProducerOf(n.Inputs[0], "pad")
		if p == nil || p.Attrs.Str("mode") != "constant" || p.Attrs.Float("value") != 0 {
			return false
		}
		pads, rank := p.Attrs.Ints("pads"), m.Type(p.Inputs[0]).Rank()
		if slices.Min(pads) < 0 || pads[0] != 0 || pads[1] != 0 || pads[rank] != 0 || pads[rank+1] != 0 {
			return false
		}
		sum := slices.Clone(n.Attrs.Ints("pads"))
		for i := range sum {
			sum[i] += slices.Concat(pads[2:rank], pads[rank+2:])[i]
		}
		in := append([]graph.ValueID{p.Inputs[0]}, n.Inputs[1:]...)
		m.swap(id, m.Add1("conv", n.Name, n.Attrs.With("pads", sum), in...))
		return true
	})
}
