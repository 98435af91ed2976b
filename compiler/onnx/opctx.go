package onnx

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// opCtx is one node as its importer sees it. Errors stick: the first one is
// kept, and after it every method returns zero values, so importers need not
// check after every step.
type opCtx struct {
	im    *importer
	n     *NodeProto
	sc    *scope
	where string
	opset int64
	in    []graph.ValueID // NoValue where absent
	out   []graph.ValueID
	err   error
}

func (c *opCtx) fail(format string, args ...any) {
	if c.err == nil {
		c.err = errorAt(c.where, format, args...)
	}
}

// resolve looks the operands up. It is false when one is missing (err says so)
// or comes from an unsupported operator, which is reported elsewhere.
func (c *opCtx) resolve() bool {
	poisoned := false
	for _, name := range c.n.Inputs {
		v, ok := graph.NoValue, true
		if name != "" {
			v, ok = c.sc.lookup(name)
			poisoned = poisoned || ok && v == graph.NoValue
		}
		if !ok {
			c.fail("reads %q, which no input, initializer or earlier node provides", name)
			return false
		}
		c.in = append(c.in, v)
	}
	if !poisoned {
		return true
	}
	for _, name := range c.n.Outputs {
		if name != "" {
			c.sc.names[name] = graph.NoValue
		}
	}
	return false
}

func (c *opCtx) bindOutputs() error {
	for i, name := range c.n.Outputs {
		if name == "" {
			continue
		}
		if i >= len(c.out) || c.out[i] == graph.NoValue {
			return errorAt(c.where, "its result %d (%q) is not supported", i, name)
		}
		if _, dup := c.sc.names[name]; dup {
			return errorAt(c.where, "a second value called %q", name)
		}
		c.sc.names[name] = c.out[i]
	}
	return nil
}

// has reports whether operand i is present.
func (c *opCtx) has(i int) bool { return i < len(c.in) && c.in[i] != graph.NoValue }

// input is operand i, which must be present.
func (c *opCtx) input(i int) graph.ValueID {
	if !c.has(i) {
		c.fail("operand %d is missing", i)
		return graph.NoValue
	}
	return c.in[i]
}

// inputs are all operands, none of which may be absent.
func (c *opCtx) inputs() []graph.ValueID {
	for i := range c.in {
		c.input(i)
	}
	return c.in
}

// wants reports whether the model names result i.
func (c *opCtx) wants(i int) bool { return i < len(c.n.Outputs) && c.n.Outputs[i] != "" }

// typ is the type of a value; a scalar of no elements after an error.
func (c *opCtx) typ(v graph.ValueID) graph.Type {
	if c.err != nil || v == graph.NoValue {
		return graph.Type{Elem: dtype.Float32, Shape: []int64{}}
	}
	return c.im.g.Type(v)
}

func (c *opCtx) shape(v graph.ValueID) []int64 { return c.typ(v).Shape }

// name is what the model calls the node, or where it is when it has no name.
func (c *opCtx) name() string {
	if c.n.Name != "" {
		return c.n.Name
	}
	return c.where
}

// emit adds an operator of one result.
func (c *opCtx) emit(op string, attrs graph.Attrs, in ...graph.ValueID) graph.ValueID {
	if c.err != nil {
		return graph.NoValue
	}
	outs, err := c.im.emit(c.where, c.name(), op, attrs, in...)
	if err != nil {
		c.err = err
		return graph.NoValue
	}
	return outs[0]
}

// result sets the node's results.
func (c *opCtx) result(v ...graph.ValueID) { c.out = v }

// constant adds a constant.
func (c *opCtx) constant(t *dtype.Tensor) graph.ValueID { return c.im.g.Constant(t, c.name()) }

// splat is a scalar constant of a value's element type.
func (c *opCtx) splat(v float64, elem dtype.DType) graph.ValueID {
	t := dtype.NewTensor(elem)
	t.SetFloat(0, v)
	return c.constant(t)
}

// constOf is the tensor of operand i, which must be constant by now.
func (c *opCtx) constOf(i int, what string) *dtype.Tensor {
	v := c.input(i)
	if c.err != nil {
		return nil
	}
	t := c.im.g.Const(v)
	if t == nil {
		c.err = &Error{Where: c.where, Reason: fmt.Sprintf("its %s (%q) depends on the input data; shapes must be known when compiling", what, c.n.Inputs[i]),
			Next: "fix an input with --const NAME=VALUE if that decides it"}
	}
	return t
}

// constInts is constOf as integers.
func (c *opCtx) constInts(i int, what string) []int64 {
	t := c.constOf(i, what)
	if t == nil {
		return nil
	}
	if !t.Type.IsInt() {
		c.fail("its %s are %s, want integers", what, t.Type)
		return nil
	}
	return t.Int64s()
}

// constFloats is constOf as floats.
func (c *opCtx) constFloats(i int, what string) []float64 {
	t := c.constOf(i, what)
	if t == nil {
		return nil
	}
	out := make([]float64, t.Len())
	for k := range out {
		out[k] = t.Float(k)
	}
	return out
}

// attr finds an attribute, following a reference to the enclosing function's.
func (c *opCtx) attr(name string, want AttrType) *AttrProto {
	a := c.n.Attrs[name]
	if a != nil && a.Ref != "" {
		a = c.sc.attrs[a.Ref]
	}
	if a == nil || c.err != nil {
		return nil
	}
	if a.Type != want {
		c.fail("attribute %q has type %d, want %d", name, a.Type, want)
		return nil
	}
	return a
}

func (c *opCtx) attrInt(name string, def int64) int64 {
	if a := c.attr(name, AttrInt); a != nil {
		return a.I
	}
	return def
}

func (c *opCtx) attrFloat(name string, def float64) float64 {
	if a := c.attr(name, AttrFloat); a != nil {
		return float64(a.F)
	}
	return def
}

func (c *opCtx) attrStr(name, def string) string {
	if a := c.attr(name, AttrString); a != nil {
		return string(a.S)
	}
	return def
}

// attrInts is nil when the attribute is absent.
func (c *opCtx) attrInts(name string) []int64 {
	if a := c.attr(name, AttrInts); a != nil {
		return append([]int64{}, a.Ints...)
	}
	return nil
}

// repeat is a list of n copies of v.
func repeat(v int64, n int) []int64 { return slices.Repeat([]int64{v}, max(n, 0)) }

// listAttr is an integer list of n members, filled with def when absent.
func (c *opCtx) listAttr(name string, n int, def int64) []int64 {
	v := c.attrInts(name)
	if v == nil {
		return repeat(def, n)
	}
	if len(v) != n {
		c.fail("attribute %q has %d members, want %d", name, len(v), n)
		return repeat(def, n)
	}
	return v
}

// axis brings a possibly negative axis into [0, rank).
func (c *opCtx) axis(a int64, rank int) int {
	i, err := graph.Axis(a, rank)
	if err != nil {
		c.fail("%v", err)
	}
	return i
}

// axes normalises, sorts and checks a list of axes.
func (c *opCtx) axes(list []int64, rank int) []int64 {
	out := []int64{}
	for _, a := range list {
		out = append(out, int64(c.axis(a, rank)))
	}
	slices.Sort(out)
	if len(slices.Compact(slices.Clone(out))) != len(out) {
		c.fail("axes %v name one axis twice", list)
	}
	return out
}
