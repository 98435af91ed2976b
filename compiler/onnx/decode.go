package onnx

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Decode reads a ModelProto. Weights alias file, which must not change.
func Decode(file []byte, limits Limits) (*Proto, error) {
	d := &decoder{file: file[:len(file):len(file)], limits: limits.withDefaults()}
	root := message{d: d, body: d.file}
	p := &Proto{Opsets: map[string]int64{}}
	err := root.fields(func(f field) error {
		switch f.num {
		case 1:
			p.IRVersion = int64(f.scalar)
		case 2:
			p.Producer = string(f.bytes)
		case 7:
			m, err := root.child(f, "graph")
			if err != nil {
				return err
			}
			if p.Graph == nil {
				p.Graph = &GraphProto{}
			}
			return m.graph(p.Graph)
		case 8:
			return root.opset(f, p.Opsets)
		case 25:
			m, err := root.child(f, fmt.Sprintf("functions[%d]", len(p.Functions)))
			if err != nil {
				return err
			}
			fn, err := m.function()
			p.Functions = append(p.Functions, fn)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if p.Graph == nil {
		return nil, &Error{Reason: "this is not an ONNX model: it has no graph"}
	}
	return p, nil
}

func (m message) opset(f field, to map[string]int64) error {
	c, err := m.child(f, "opset_import")
	if err != nil {
		return err
	}
	domain, version := "", int64(0)
	err = c.fields(func(f field) error {
		switch f.num {
		case 1:
			domain = string(f.bytes)
		case 2:
			version = int64(f.scalar)
		}
		return nil
	})
	if domain == "ai.onnx" {
		domain = ""
	}
	to[domain] = version
	return err
}

func (m message) graph(g *GraphProto) error {
	return m.fields(func(f field) error {
		switch f.num {
		case 1:
			return each(m, f, "node", &g.Nodes, message.node)
		case 2:
			g.Name = string(f.bytes)
		case 5:
			return each(m, f, "initializer", &g.Initializers, message.tensor)
		case 11:
			return each(m, f, "input", &g.Inputs, message.valueInfo)
		case 12:
			return each(m, f, "output", &g.Outputs, message.valueInfo)
		case 15:
			g.Sparse++
		}
		return nil
	})
}

// each decodes one member of a repeated message and appends it.
func each[T any](m message, f field, name string, to *[]*T, decode func(message, *T) error) error {
	c, err := m.child(f, fmt.Sprintf("%s[%d]", name, len(*to)))
	if err != nil {
		return err
	}
	v := new(T)
	*to = append(*to, v)
	return decode(c, v)
}

func (m message) node(n *NodeProto) error {
	n.Attrs = map[string]*AttrProto{}
	return m.fields(func(f field) error {
		switch f.num {
		case 1:
			n.Inputs = append(n.Inputs, string(f.bytes))
		case 2:
			n.Outputs = append(n.Outputs, string(f.bytes))
		case 3:
			n.Name = string(f.bytes)
		case 4:
			n.Op = string(f.bytes)
		case 5:
			return m.attribute(f, n.Attrs)
		case 7:
			if n.Domain = string(f.bytes); n.Domain == "ai.onnx" {
				n.Domain = ""
			}
		}
		return nil
	})
}

func (m message) attribute(f field, to map[string]*AttrProto) error {
	c, err := m.child(f, "attribute")
	if err != nil {
		return err
	}
	a := &AttrProto{}
	if err := c.fields(func(f field) error { return c.attrField(f, a) }); err != nil {
		return err
	}
	if a.Type == 0 {
		a.Type = a.guessType()
	}
	if to[a.Name] != nil {
		return c.fail("attribute %q is given twice", a.Name)
	}
	to[a.Name] = a
	return nil
}

func (m message) attrField(f field, a *AttrProto) error {
	switch f.num {
	case 1:
		a.Name = string(f.bytes)
	case 2:
		a.F = float32frombits(f.scalar)
	case 3:
		a.I = int64(f.scalar)
	case 4:
		a.S = f.bytes
	case 5:
		c, err := m.child(f, "t")
		if err != nil {
			return err
		}
		if a.T == nil {
			a.T = &TensorProto{}
		}
		return c.tensor(a.T)
	case 6:
		c, err := m.child(f, "g")
		if err != nil {
			return err
		}
		if a.G == nil {
			a.G = &GraphProto{}
		}
		return c.graph(a.G)
	case 7:
		return m.floats(f, &a.Floats)
	case 8:
		return m.ints(f, &a.Ints)
	case 9:
		a.Strs = append(a.Strs, f.bytes)
	case 11:
		a.Graphs++
	case 20:
		a.Type = AttrType(f.scalar)
	case 21:
		a.Ref = string(f.bytes)
	}
	return nil
}

// guessType serves files of IR version 1, which did not say.
func (a *AttrProto) guessType() AttrType {
	switch {
	case a.T != nil:
		return AttrTensor
	case a.G != nil:
		return AttrGraph
	case len(a.Floats) > 0:
		return AttrFloats
	case len(a.Ints) > 0:
		return AttrInts
	case len(a.Strs) > 0:
		return AttrStrings
	case a.S != nil:
		return AttrString
	case a.F != 0:
		return AttrFloat
	}
	return AttrInt
}

func (m message) valueInfo(v *ValueInfo) error {
	return m.fields(func(f field) error {
		switch f.num {
		case 1:
			v.Name = string(f.bytes)
		case 2:
			c, err := m.child(f, "type")
			if err != nil {
				return err
			}
			return c.typ(v)
		}
		return nil
	})
}

var typeKinds = map[protowire.Number]string{1: "tensor", 4: "sequence", 5: "map", 8: "sparse tensor", 9: "optional"}

func (m message) typ(v *ValueInfo) error {
	return m.fields(func(f field) error {
		if kind := typeKinds[f.num]; kind != "" {
			v.Kind = kind
		}
		if f.num != 1 {
			return nil
		}
		c, err := m.child(f, "tensor_type")
		if err != nil {
			return err
		}
		return c.fields(func(f field) error {
			switch f.num {
			case 1:
				v.DataType = int32(f.scalar)
			case 2:
				v.HasShape = true
				s, err := c.child(f, "shape")
				if err != nil {
					return err
				}
				return s.dims(v)
			}
			return nil
		})
	})
}

func (m message) dims(v *ValueInfo) error {
	return m.fields(func(f field) error {
		if f.num != 1 {
			return nil
		}
		c, err := m.child(f, "dim")
		if err != nil {
			return err
		}
		var d Dim
		err = c.fields(func(f field) error {
			switch f.num {
			case 1:
				d.Value, d.Known = int64(f.scalar), true
			case 2:
				d.Param = string(f.bytes)
			}
			return nil
		})
		if v.Dims = append(v.Dims, d); len(v.Dims) > m.d.limits.Rank {
			return m.fail("more than %d dimensions", m.d.limits.Rank)
		}
		return err
	})
}

func (m message) function() (*FunctionProto, error) {
	fn := &FunctionProto{Opsets: map[string]int64{}, Defaults: map[string]*AttrProto{}}
	err := m.fields(func(f field) error {
		switch f.num {
		case 1:
			fn.Name = string(f.bytes)
		case 4:
			fn.Inputs = append(fn.Inputs, string(f.bytes))
		case 5:
			fn.Outputs = append(fn.Outputs, string(f.bytes))
		case 7:
			return each(m, f, "node", &fn.Nodes, message.node)
		case 9:
			return m.opset(f, fn.Opsets)
		case 10:
			fn.Domain = string(f.bytes)
		case 11:
			return m.attribute(f, fn.Defaults)
		}
		return nil
	})
	return fn, err
}
