package graphopt

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// quantised is a value that stands for scale · (q − zero): q is of bytes, zero and
// scale may have one element for each channel. Scale is nil for 1.
type quantised struct {
	q           graph.ValueID
	zero, scale *dtype.Tensor
}

// known evaluates a value that depends on constants alone; nil when it does not, or
// is of more than a few operators.
func (m *matcher) known(v graph.ValueID) *dtype.Tensor { return m.knownWithin(v, 4) }

func (m *matcher) knownWithin(v graph.ValueID, depth int) *dtype.Tensor {
	if t := m.Const(v); t != nil {
		return t
	}
	n := m.Producer(v)
	if n == nil || depth == 0 || len(n.Outputs) != 1 {
		return nil
	}
	in := make([]*dtype.Tensor, len(n.Inputs))
	for i, x := range n.Inputs {
		if in[i] = m.knownWithin(x, depth-1); in[i] == nil {
			return nil
		}
	}
	out, err := m.EvalNode(m.Value(v).Def, in)
	if err != nil {
		return nil
	}
	return out[0]
}

// quantisedFloat matches scale · (cast(q) − zero) in floats.
func (m *matcher) quantisedFloat(v graph.ValueID) (quantised, bool) {
	n := m.ProducerOf(v, "mul")
	if n == nil || m.Type(v).Elem != dtype.Float32 {
		return quantised{}, false
	}
	for i, s := range n.Inputs {
		scale := m.known(s)
		if scale == nil || !m.Type(n.Inputs[1-i]).SameLogical(m.Type(v)) {
			continue
		}
		if x, ok := m.centred(n.Inputs[1-i]); ok {
			x.scale = scale
			return x, true
		}
	}
	return quantised{}, false
}

// centred matches cast(q) − zero in floats or int32, where the zero point may be
// taken off in several steps.
func (m *matcher) centred(v graph.ValueID) (quantised, bool) {
	x := quantised{zero: scalar(dtype.Int32, 0)}
	for {
		n := m.Producer(v)
		if n == nil {
			return x, false
		}
		switch n.Op.Name {
		case "cast":
			if t := m.Type(n.Inputs[0]); isByte(t.Elem) {
				x.q = n.Inputs[0]
				return x, true
			} else if t.Elem != dtype.Int32 && t.Elem != dtype.Float32 {
				return x, false
			}
			v = n.Inputs[0]
		case "sub", "add":
			c := m.known(n.Inputs[1])
			if c == nil || !m.Type(n.Inputs[0]).SameLogical(m.Type(v)) {
				return x, false
			}
			sign := int64(1)
			if n.Op.Name == "add" {
				sign = -1
			}
			var ok bool
			if x.zero, ok = plusZero(x.zero, c, sign); !ok {
				return x, false
			}
			v = n.Inputs[0]
		default:
			return x, false
		}
	}
}

func isByte(t dtype.DType) bool { return t == dtype.UInt8 || t == dtype.Int8 }

// plusZero adds sign·c to a zero point, which must be integers; one of the two has to
// be a scalar.
func plusZero(zero, c *dtype.Tensor, sign int64) (*dtype.Tensor, bool) {
	long := c
	if c.Len() == 1 {
		long = zero
	} else if zero.Len() != 1 {
		return nil, false
	}
	out := dtype.NewTensor(dtype.Int32, long.Shape...)
	for i := range out.Len() {
		f := c.Float(i % c.Len())
		if f != math.Trunc(f) || math.Abs(f) > 1<<16 {
			return nil, false
		}
		out.SetInt(i, zero.Int(i%zero.Len())+sign*int64(f))
	}
	return out, true
}

// weights are constant integers for int8, with a scale for each output channel.
type weights struct {
	w     *dtype.Tensor // of int8, zero points taken off
	scale []float64     // nil for 1
}

// byteWeights matches constant weights whose output channels are axis axis: floats
// that come from bytes, also through a transpose, or integers.
func (m *matcher) byteWeights(v graph.ValueID, axis int) (weights, bool) {
	if t := m.known(v); t != nil && t.Type == dtype.Int32 {
		w, ok := toInt8(t, nil)
		return weights{w: w}, ok
	}
	if n := m.ProducerOf(v, "transpose"); n != nil && len(n.Attrs.Ints("perm")) == 2 && n.Attrs.Ints("perm")[0] == 1 {
		x, ok := m.byteWeights(n.Inputs[0], 1-axis)
		if ok {
			x.w = transposed(x.w)
		}
		return x, ok
	}
	x, ok := m.quantisedFloat(v)
	if !ok {
		return weights{}, false
	}
	q := m.Const(x.q)
	if q == nil {
		return weights{}, false
	}
	w, ok := toInt8(q, x.zero)
	scale := perChannel(x.scale, q.Shape, axis)
	return weights{w, scale}, ok && scale != nil
}

// toInt8 takes a zero point, which broadcasts, off integers that then fit int8.
func toInt8(t, zero *dtype.Tensor) (*dtype.Tensor, bool) {
	at := func(int) int64 { return 0 }
	if zero != nil {
		axis := -1
		for d, n := range zero.Shape {
			if n != 1 {
				axis = d + len(t.Shape) - len(zero.Shape)
			}
		}
		if axis >= 0 {
			inner := int(dtype.NumElements(t.Shape[axis+1:]))
			if zero.Len() != int(t.Shape[axis]) {
				return nil, false
			}
			at = func(i int) int64 { return zero.Int(i / inner % zero.Len()) }
		} else {
			at = func(int) int64 { return zero.Int(0) }
		}
	}
	out := dtype.NewTensor(dtype.Int8, t.Shape...)
	for i := range out.Len() {
		v := t.Int(i) - at(i)
		if v < -128 || v > 127 {
			return nil, false
		}
		out.SetInt(i, v)
	}
	return out, true
}

func transposed(t *dtype.Tensor) *dtype.Tensor {
	rows, cols := int(t.Shape[0]), int(t.Shape[1])
	out := dtype.NewTensor(t.Type, t.Shape[1], t.Shape[0])
	for i := range rows {
		for j := range cols {
			out.SetInt(j*rows+i, t.Int(i*cols+j))
		}
	}
	return out
}
