package graphopt

import (
	"fmt"
	"strings"

	"hone/compiler/graph"
)

// eliminateCommon merges nodes that apply one operator to the same operands,
// and constants of equal content.
func eliminateCommon(g *graph.Graph, _ Options) (int, error) {
	order, err := g.Order()
	if err != nil {
		return 0, err
	}
	merged := mergeConstants(g)
	seen := map[string]graph.NodeID{}
	for _, id := range order {
		n := g.Node(id)
		key := nodeKey(g, n)
		first, dup := seen[key]
		if !dup {
			seen[key] = id
			continue
		}
		for i, v := range n.Outputs {
			g.Replace(v, g.Node(first).Outputs[i])
		}
		g.Delete(id)
		merged++
	}
	return merged, nil
}

func nodeKey(g *graph.Graph, n *graph.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v {%s}", n.Op.Name, n.Inputs, n.Attrs)
	for _, v := range n.Outputs {
		b.WriteString(g.Type(v).String())
	}
	return b.String()
}

// maxCompared bounds the size of constants whose content is compared; sharing
// larger ones is rare and hashing them is not free.
const maxCompared = 64 << 10

func mergeConstants(g *graph.Graph) int {
	seen := map[string]graph.ValueID{}
	merged := 0
	uses := g.Uses()
	for i := range g.Values {
		v := graph.ValueID(i)
		t := g.Const(v)
		if t == nil || len(t.Data) > maxCompared || len(uses[v]) == 0 {
			continue
		}
		key := graph.ContentHash(t) + g.Type(v).Layout.String()
		if first, dup := seen[key]; dup {
			g.Replace(v, first)
			merged++
			continue
		}
		seen[key] = v
	}
	return merged
}
