package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"hone/compiler/dtype"
)

// inlineElements is the largest constant whose elements the text shows; larger
// ones are named by their content.
const inlineElements = 8

// String prints the graph in the form that Parse reads. Values are numbered as
// in the graph; constants of more than eight elements appear as "#" and a hash
// that Constants resolves.
func (g *Graph) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph %q {\n", g.Name)
	for _, p := range g.Inputs {
		fmt.Fprintf(&b, "  input %%%d %q: %s\n", p.Value, p.Name, g.Type(p.Value))
	}
	shown := map[ValueID]bool{}
	order, err := g.Order()
	if err != nil {
		return b.String() + "  # " + err.Error() + "\n}\n"
	}
	for _, id := range order {
		for _, v := range g.Nodes[id].Inputs {
			g.printConst(&b, v, shown)
		}
		g.printNode(&b, &g.Nodes[id])
	}
	for _, p := range g.Outputs {
		g.printConst(&b, p.Value, shown)
		fmt.Fprintf(&b, "  output %%%d %q\n", p.Value, p.Name)
	}
	b.WriteString("}\n")
	return b.String()
}

func (g *Graph) printConst(b *strings.Builder, v ValueID, shown map[ValueID]bool) {
	x := &g.Values[v]
	if x.Const == nil || shown[v] {
		return
	}
	shown[v] = true
	fmt.Fprintf(b, "  const %%%d", v)
	if x.Name != "" {
		fmt.Fprintf(b, " %q", x.Name)
	}
	fmt.Fprintf(b, ": %s = %s\n", x.Type, constText(x.Const))
}

func constText(t *dtype.Tensor) string {
	n := t.Len()
	if n > inlineElements {
		return "#" + ContentHash(t)
	}
	parts := make([]string, n)
	for i := range parts {
		switch {
		case t.Type == dtype.Float32:
			parts[i] = strconv.FormatFloat(t.Float(i), 'g', -1, 32)
		case t.Type.IsFloat():
			parts[i] = strconv.FormatFloat(t.Float(i), 'g', -1, 64)
		default:
			parts[i] = strconv.FormatInt(t.Int(i), 10)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// ContentHash names a tensor by type, shape and bytes.
func ContentHash(t *dtype.Tensor) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s%v\n", t.Type, t.Shape)
	h.Write(t.Data)
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Constants maps the hashes in the graph's text to their tensors.
func (g *Graph) Constants() map[string]*dtype.Tensor {
	m := map[string]*dtype.Tensor{}
	for i := range g.Values {
		if t := g.Values[i].Const; t != nil && t.Len() > inlineElements {
			m[ContentHash(t)] = t
		}
	}
	return m
}

func (g *Graph) printNode(b *strings.Builder, n *Node) {
	b.WriteString("  ")
	for i, v := range n.Outputs {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%%%d: %s", v, g.Type(v))
	}
	fmt.Fprintf(b, " = %s(", n.Op.Name)
	for i, v := range n.Inputs {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%%%d", v)
	}
	b.WriteString(")")
	if len(n.Attrs) > 0 {
		b.WriteString(" {" + n.Attrs.String() + "}")
	}
	if n.Group != NoGroup {
		fmt.Fprintf(b, " @%d", n.Group)
	}
	if n.Name != "" {
		fmt.Fprintf(b, " %q", n.Name)
	}
	b.WriteByte('\n')
}

// String is like `group=1, pads=[0, 0, 0, 0]`.
func (a Attrs) String() string {
	parts := make([]string, len(a))
	for i, x := range a {
		parts[i] = x.Key + "=" + attrText(x.Value)
	}
	return strings.Join(parts, ", ")
}

func attrText(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return floatText(v)
	case string:
		return strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case []int64:
		return listText(v, func(x int64) string { return strconv.FormatInt(x, 10) })
	case []float64:
		return listText(v, floatText)
	case []string:
		return listText(v, strconv.Quote)
	}
	panic(fmt.Sprintf("BUG: attribute of type %T", v))
}

// floatText keeps a point or an exponent, so that the type can be read back.
func floatText(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if strings.ContainsAny(s, ".eIN") {
		return s
	}
	return s + ".0"
}

func listText[T any](v []T, f func(T) string) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = f(x)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
