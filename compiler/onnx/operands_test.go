package onnx

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/internal/rng"
)

// oddOperands are element types and shapes that meet in every combination.
var oddOperands = []struct {
	elem int64 // of ONNX
	dims []int64
}{
	{1, nil}, {1, []int64{0}}, {1, []int64{1}}, {1, []int64{6}}, {1, []int64{2, 3}}, {1, []int64{1, 6, 2}}, {1, []int64{1, 2, 2}}, {1, []int64{2, 1, 3, 3}}, {1, []int64{1, 1, 1, 1, 1}},
	{7, nil}, {7, []int64{1}}, {7, []int64{2}}, {6, []int64{2, 3}}, {2, nil}, {2, []int64{2, 1, 3, 3}}, {3, []int64{2, 3}}, {9, nil}, {9, []int64{2, 3}}, {11, []int64{2}}, {8, []int64{1}},
}

// fitting are shapes of first operands, for operators that random ones rarely suit.
var fitting = map[string][][]int64{
	"RNN": {{2, 1, 3}, {1, 2, 3}, {1, 2, 2}}, "GRU": {{2, 1, 3}, {1, 6, 3}, {1, 6, 2}}, "LSTM": {{2, 1, 3}, {1, 8, 3}, {1, 8, 2}},
}

// Every operator takes operands of any number, type and shape, constant or not: what
// comes is a graph or an error, never a panic.
func TestOddOperands(t *testing.T) {
	r := rng.New(8)
	for _, op := range Supported() {
		domain := ""
		if d, name, ok := strings.Cut(op, "::"); ok {
			domain, op = d, name
		}
		t.Run(op, func(t *testing.T) {
			for i := 0; i < 300 && !t.Failed(); i++ {
				parseOdd(t, oddModel(r, domain, op, i%9).model())
			}
		})
	}
}

func parseOdd(t *testing.T, model []byte) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("panic: %v\nof the model %x\n%s", p, model, debug.Stack())
		}
	}()
	_, _, _ = Parse(model, Options{Limits: Limits{Nodes: 400, Elements: 1 << 20, FoldBytes: 1 << 20}})
}

func oddModel(r *rng.Rand, domain, op string, n int) modelParts {
	var p modelParts
	var names []string
	for i := range n {
		fit := i < len(fitting[op]) && r.Intn(8) > 0
		if !fit && r.Intn(8) == 0 {
			names = append(names, "")
			continue
		}
		name := fmt.Sprint("x", i)
		names = append(names, name)
		o := oddOperands[r.Intn(len(oddOperands))]
		if fit {
			o.elem, o.dims = 1, fitting[op][i]
		}
		if r.Intn(2) == 0 {
			var dims []any
			for _, d := range o.dims {
				dims = append(dims, int(d))
			}
			p.inputs = append(p.inputs, valueMsg(name, o.elem, dims...))
			continue
		}
		t, err := elementType(int32(o.elem), "")
		if err != nil {
			t = dtype.Float32
		}
		raw := make([]byte, dtype.NumElements(o.dims)*int64(t.Bytes()))
		for k := range raw {
			raw[k] = byte(r.Intn(3))
		}
		p.inits = append(p.inits, tensorMsg(name, o.elem, raw, o.dims...))
	}
	attrs := []msg{attrI("axis", int64(r.Intn(4)-2))}
	for _, a := range []msg{attrI("hidden_size", 2), attrI("layout", 1), attrI("linear_before_reset", 1), attrI("block_size", 2), attrI("output_dtype", 3), attrIs("strides", 1, 1), attrIs("axes", 0, -1), attrIs("perm", 1, 0)} {
		if r.Intn(3) == 0 {
			attrs = append(attrs, a)
		}
	}
	node := nodeMsg(op, "n", names, []string{"y"}, attrs...)
	if domain != "" {
		node = node.str(7, domain)
	}
	p.nodes, p.outputs = []msg{node}, []msg{outY}
	return p
}
