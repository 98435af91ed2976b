package lower

import (
	"slices"

	"hone/compiler/graph"
)

// joinPlanes finds out whether the region treats the pixels of its planes alike and
// one by one: a convolution with one tap and what is elementwise around it. Height and
// width are then one axis of one row, so that a register tile does not end where a row
// of 7 or 14 pixels does.
func (r *regionLowering) joinPlanes() {
	plane := [2]int64{}
	for _, id := range r.order {
		n := r.g.Node(id)
		if isConv(n) {
			s := r.g.Type(n.Outputs[0]).Shape
			if !r.pointwise(n) || plane[0] != 0 {
				return
			}
			plane = [2]int64{s[2], s[3]}
		} else if n.Op.Scalar == nil {
			return
		}
	}
	if plane[0] < 2 || plane[1] < 2 {
		return
	}
	for _, id := range r.order {
		n := r.g.Node(id)
		for i, v := range slices.Concat(n.Inputs, n.Outputs) {
			weights := isConv(n) && (i == 1 || i == 2 && len(n.Inputs) > 2)
			if t := r.g.Type(v); !weights && !joinable(t, plane) {
				return
			}
		}
	}
	r.plane = plane
}

func isConv(n *graph.Node) bool { return n.Op.Name == "conv" || n.Op.Name == "conv_bytes" }

// pointwise reports whether a convolution has one tap, and one for every pixel.
func (r *regionLowering) pointwise(n *graph.Node) bool {
	w, y := r.g.Type(n.Inputs[1]).Shape, r.g.Type(n.Outputs[0]).Shape
	x := r.g.Type(n.Inputs[0]).Shape
	padded := slices.ContainsFunc(n.Attrs.Ints("pads"), func(p int64) bool { return p != 0 })
	one := n.Op.Name == "conv_bytes" || len(w) == 4 && n.Attrs.Int("group") == 1
	return one && w[2] == 1 && w[3] == 1 && !padded && x[2] == y[2] && x[3] == y[3]
}

// joinable reports whether a value consists of such planes, or has one element for
// each of them.
func joinable(t graph.Type, plane [2]int64) bool {
	k := len(t.Shape)
	if t.Layout.Kind != graph.Plain && int(t.Layout.Axis) >= k-2 {
		return false
	}
	if k < 4 {
		return !slices.ContainsFunc(t.Shape, func(n int64) bool { return n != 1 })
	}
	return t.Shape[k-2] == plane[0] && t.Shape[k-1] == plane[1] || t.Shape[k-2] == 1 && t.Shape[k-1] == 1
}

// typ is the type of a value as the function sees it.
func (r *regionLowering) typ(t graph.Type) graph.Type {
	k := len(t.Shape)
	if r.plane[0] == 0 || k != 4 || t.Shape[k-2] != r.plane[0] || t.Shape[k-1] != r.plane[1] {
		return t
	}
	t.Shape = slices.Concat(t.Shape[:k-2], []int64{1, r.plane[0] * r.plane[1]})
	return t
}
