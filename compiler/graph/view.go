package graph

// viewAlign is the alignment that every kernel argument has, in bytes.
const viewAlign = 64

// View reports whether a call moves nothing: its result is its first operand's
// memory from the returned byte offset on, under another type.
func View(c *Call) (offset int64, ok bool) {
	in, out := c.In[0], c.Out[0]
	switch c.Op.Name {
	case "reshape":
		return 0, in.Layout.Kind == Plain && out.Layout.Kind == Plain
	case "reorder":
		return 0, sameOrder(in, out)
	case "slice":
		if in.Layout.Kind != Plain || out.Layout.Kind != Plain {
			return 0, false
		}
		offset, ok = contiguousSlice(c)
		return offset, ok && offset%viewAlign == 0
	}
	return 0, false
}

// sameOrder reports whether plain and channel-blocked forms of a value have
// their elements in the same order: whole blocks and no spatial extent.
func sameOrder(a, b Type) bool {
	if a.Layout == b.Layout {
		return true
	}
	l := a.Layout
	if l.Kind == Plain {
		l = b.Layout
	}
	if a.Layout.Kind == Round || b.Layout.Kind == Round || a.Layout.Kind == b.Layout.Kind || a.Rank() < 2 {
		return false
	}
	for _, d := range a.Shape[2:] {
		if d != 1 {
			return false
		}
	}
	return l.Axis == 1 && a.Shape[1]%int64(l.Block) == 0
}

func contiguousSlice(c *Call) (int64, bool) {
	in := c.In[0].Shape
	starts, sizes, steps := c.Attrs.Ints("starts"), c.Attrs.Ints("sizes"), c.Attrs.Ints("steps")
	cut := false // an outer dimension beyond which all sizes must be 1
	for d := len(in) - 1; d >= 0; d-- {
		if steps[d] != 1 && sizes[d] != 1 {
			return 0, false
		}
		if cut && sizes[d] != 1 {
			return 0, false
		}
		cut = cut || sizes[d] != in[d]
	}
	offset, stride := int64(0), int64(c.In[0].Elem.Bytes())
	for d := len(in) - 1; d >= 0; d-- {
		offset += starts[d] * stride
		stride *= in[d]
	}
	return offset, true
}

// Parts gives the byte offsets of a concatenation's operands when each is one
// stretch of the result, so that producers can write there themselves.
func Parts(c *Call) ([]int64, bool) {
	if c.Op.Name != "concat" {
		return nil, false
	}
	out, axis := c.Out[0], c.Attrs.Int("axis")
	for _, d := range out.Shape[:axis] {
		if d != 1 {
			return nil, false
		}
	}
	offsets := make([]int64, len(c.In))
	at := int64(0)
	for i, t := range c.In {
		if t.Layout != out.Layout || t.Layout.Kind == Split && t.Shape[1]%int64(t.Layout.Block) != 0 && axis <= 1 {
			return nil, false
		}
		if at%viewAlign != 0 {
			return nil, false
		}
		offsets[i] = at
		at += t.Bytes()
	}
	return offsets, true
}
