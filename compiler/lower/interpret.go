package lower

import (
	"bytes"
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir/interp"
)

// Interpret runs a program by the interpreter of tensor IR, in memory laid out
// as the plan says: the oracle of compiled programs, and the test of lowering
// and planning. Inputs and results are by port name, of logical shape.
func (p *Program) Interpret(inputs map[string]*dtype.Tensor, opt interp.Options) (map[string]*dtype.Tensor, error) {
	mem := p.memory()
	for _, port := range p.Inputs {
		x, ok := inputs[port.Name]
		if !ok {
			return nil, fmt.Errorf("input %q is missing", port.Name)
		}
		if !port.Type.SameLogical(graph.Of(x.Type, x.Shape...)) {
			return nil, fmt.Errorf("input %q is %s%v, want %s", port.Name, x.Type, x.Shape, port.Type)
		}
		copy(mem[port.Arg.Buffer], graph.PhysicalTensor(x, port.Type).Data)
	}
	for _, k := range p.Kernels {
		args := make([]*dtype.Tensor, len(k.Args))
		for i, buf := range k.Func.Buffers() {
			shape, ok := buf.StaticShape()
			if !ok {
				return nil, fmt.Errorf("%s: parameter %s has no constant shape", k.Name, buf.Name)
			}
			n := dtype.NumElements(shape) * int64(buf.Type.Bytes())
			args[i] = &dtype.Tensor{Type: buf.Type, Shape: shape, Data: mem[k.Args[i].Buffer][k.Args[i].Offset:][:n]}
		}
		if err := interp.RunWith(k.Func, args, opt); err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
	}
	out := map[string]*dtype.Tensor{}
	for _, port := range p.Outputs {
		data := mem[port.Arg.Buffer][port.Arg.Offset:][:port.Type.Bytes()]
		out[port.Name] = graph.LogicalTensor(&dtype.Tensor{Type: port.Type.Elem, Shape: port.Type.PhysicalShape(), Data: data}, port.Type)
	}
	return out, nil
}

// memory allocates every buffer; temporaries share one arena, filled with ones
// (a NaN in any float type), so that a read of stale memory shows.
func (p *Program) memory() [][]byte {
	arena := make([]byte, p.Plan.Arena)
	for i := range arena {
		arena[i] = 0xff
	}
	mem := make([][]byte, len(p.Buffers))
	for i := range p.Buffers {
		b := &p.Buffers[i]
		switch b.Kind {
		case Temp:
			mem[i] = arena[b.Offset : b.Offset+b.Bytes]
		case Constant:
			mem[i] = bytes.Clone(b.Const.Data) // the interpreter writes arguments back
		default:
			mem[i] = make([]byte, b.Bytes)
		}
	}
	return mem
}
