package main

import (
	"fmt"
	"strconv"

	"hone/compiler/onnx/onnxfile"
)

// layers is what a line measures: one operator, as an ONNX model of one or several
// layers of its kind. Hone takes the heaviest task of the model; ONNX Runtime runs
// the model and is credited with a layer's share; the other libraries are told the
// operator in words.
type layers interface {
	model() *onnxfile.File
	count() int
	flops() float64               // of one layer, nominal: padding included
	bytes() float64               // that one layer reads and writes at least
	results() int64               // elements that one layer computes
	args(library string) []string // for the program of a library, nil when it has none
}

// matmul is C[batch,m,n] = A[batch,m,k]·B[batch,k,n]. B is a weight unless there is
// a batch; turned, it comes as n rows of k.
type matmul struct {
	batch, m, n, k int64
	turned         bool
}

func (l matmul) count() int     { return 1 }
func (l matmul) flops() float64 { return 2 * float64(l.batch*l.m*l.n*l.k) }
func (l matmul) results() int64 { return l.batch * l.m * l.n }
func (l matmul) bytes() float64 { return 4 * float64(l.batch*(l.m*l.k+l.k*l.n+l.m*l.n)) }

func (l matmul) model() *onnxfile.File {
	f := &onnxfile.File{}
	b := "b"
	switch {
	case l.batch == 1:
		f.Input("a", l.m, l.k)
		f.Output("y", l.m, l.n)
		f.Weight("b", l.k, l.n)
	default:
		f.Input("a", l.batch, l.m, l.k)
		f.Output("y", l.batch, l.m, l.n)
		if !l.turned {
			f.Input("b", l.batch, l.k, l.n)
			break
		}
		f.Input("b", l.batch, l.n, l.k)
		f.Node("Transpose", "t", []string{"b"}, onnxfile.Attribute{Name: "perm", Values: []int64{0, 2, 1}})
		b = "t"
	}
	f.Node("MatMul", "y", []string{"a", b})
	return f
}

func (l matmul) args(library string) []string {
	words := numbers(l.batch, l.m, l.n, l.k, 0)
	if l.turned {
		words[4] = "1"
	}
	if library == "oneDNN" {
		return append([]string{"matmul"}, words...)
	}
	return words
}

// conv is a chain of square convolutions with bias and relu over one image; where
// its channels change, every second layer changes them back.
type conv struct {
	ci, size, co, taps, stride, groups int64
	chain                              int
}

func (l conv) count() int     { return l.chain }
func (l conv) results() int64 { return l.out() * l.out() * l.co }
func (l conv) out() int64     { return (l.size-1)/l.stride + 1 }
func (l conv) flops() float64 {
	return 2 * float64(l.out()*l.out()*l.co*l.ci/l.groups*l.taps*l.taps)
}
func (l conv) bytes() float64 {
	return 4 * float64(l.size*l.size*l.ci+l.out()*l.out()*l.co+l.co*l.ci/l.groups*l.taps*l.taps)
}

func (l conv) model() *onnxfile.File {
	f := &onnxfile.File{}
	f.Input("x", 1, l.ci, l.size, l.size)
	ci, co, at := l.ci, l.co, "x"
	pad := l.taps / 2
	for i := range l.chain {
		w, b, c := fmt.Sprint("w", i), fmt.Sprint("b", i), fmt.Sprint("c", i)
		f.Weight(w, co, ci/l.groups, l.taps, l.taps)
		f.Weight(b, co)
		f.Node("Conv", c, []string{at, w, b}, onnxfile.Attribute{Name: "group", Values: []int64{l.groups}}, onnxfile.Attribute{Name: "kernel_shape", Values: []int64{l.taps, l.taps}},
			onnxfile.Attribute{Name: "strides", Values: []int64{l.stride, l.stride}}, onnxfile.Attribute{Name: "pads", Values: []int64{pad, pad, pad, pad}})
		at = fmt.Sprint("y", i)
		f.Node("Relu", at, []string{c})
		ci, co = co, ci
	}
	f.Output(at, 1, ci, l.out(), l.out())
	return f
}

func (l conv) args(library string) []string {
	if library != "oneDNN" {
		return nil
	}
	return append([]string{"conv"}, numbers(l.ci, l.size, l.size, l.co, l.taps, l.stride, l.taps/2, l.groups)...)
}

// rows is an operator along rows of n numbers.
type rows struct {
	op   string
	m, n int64
}

func (l rows) count() int           { return 1 }
func (l rows) flops() float64       { return float64(l.m * l.n) }
func (l rows) results() int64       { return l.m * l.n }
func (l rows) bytes() float64       { return 8 * float64(l.m*l.n) }
func (l rows) args(string) []string { return nil }

func (l rows) model() *onnxfile.File {
	f := &onnxfile.File{}
	f.Input("x", l.m, l.n)
	f.Output("y", l.m, l.n)
	in := []string{"x"}
	if l.op == "LayerNormalization" {
		f.Weight("scale", l.n)
		f.Weight("bias", l.n)
		in = append(in, "scale", "bias")
	}
	f.Node(l.op, "y", in)
	return f
}

func numbers(list ...int64) []string {
	var out []string
	for _, n := range list {
		out = append(out, strconv.FormatInt(n, 10))
	}
	return out
}
