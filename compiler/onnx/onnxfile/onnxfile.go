// Package onnxfile writes small ONNX models of float32 tensors: the layers that
// benchmarks give to Hone and to ONNX Runtime alike. It imports nothing of Hone. Start
// from File.
package onnxfile

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is a protobuf message of onnx.proto in the making.
type message []byte

func (m *message) bytes(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

func (m *message) text(field protowire.Number, s string) { m.bytes(field, []byte(s)) }

func (m *message) number(field protowire.Number, v int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

// File collects a model of float32 tensors.
type File struct {
	nodes, weights, inputs, outputs []message
	drawn                           uint32
}

// Attribute is an integer, or a list of them where it has several values.
type Attribute struct {
	Name   string
	Values []int64
}

const attrInt, attrInts = 2, 7 // AttributeProto.AttributeType

// Node applies an operator to named values and names its result.
func (f *File) Node(op, out string, in []string, attrs ...Attribute) {
	var n message
	for _, s := range in {
		n.text(1, s)
	}
	n.text(2, out)
	n.text(3, out)
	n.text(4, op)
	for _, a := range attrs {
		var m message
		m.text(1, a.Name)
		kind, field := int64(attrInts), protowire.Number(8)
		if len(a.Values) == 1 {
			kind, field = attrInt, 3
		}
		for _, v := range a.Values {
			m.number(field, v)
		}
		m.number(20, kind)
		n.bytes(5, m)
	}
	f.nodes = append(f.nodes, n)
}

// Weight adds a constant of small numbers.
func (f *File) Weight(name string, dims ...int64) {
	n := int64(1)
	var t message
	for _, d := range dims {
		t.number(1, d)
		n *= d
	}
	data := make([]byte, 0, 4*n)
	for range n {
		f.drawn = f.drawn*1664525 + 1013904223
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits((float32(f.drawn>>29)-3)/16))
	}
	t.number(2, 1)
	t.text(8, name)
	t.bytes(9, data)
	f.weights = append(f.weights, t)
}

// Input declares an input.
func (f *File) Input(name string, dims ...int64) {
	f.inputs = append(f.inputs, valueInfo(name, dims))
}

// Output declares a value as an output.
func (f *File) Output(name string, dims ...int64) {
	f.outputs = append(f.outputs, valueInfo(name, dims))
}

func valueInfo(name string, dims []int64) message {
	var shape, tensor, typ, v message
	for _, d := range dims {
		var m message
		m.number(1, d)
		shape.bytes(1, m)
	}
	tensor.number(1, 1)
	tensor.bytes(2, shape)
	typ.bytes(1, tensor)
	v.text(1, name)
	v.bytes(2, typ)
	return v
}

// Encode is the whole ModelProto, opset 20.
func (f *File) Encode() []byte {
	var g, opset, m message
	for _, part := range []struct {
		field protowire.Number
		list  []message
	}{{1, f.nodes}, {5, f.weights}, {11, f.inputs}, {12, f.outputs}} {
		for _, x := range part.list {
			g.bytes(part.field, x)
		}
	}
	g.text(2, "layers")
	opset.number(2, 20)
	m.number(1, 9)
	m.bytes(7, g)
	m.bytes(8, opset)
	return m
}
