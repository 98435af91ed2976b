package lower

import (
	"fmt"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// BufferID names a buffer of one program.
type BufferID int32

// BufferKind says who owns a buffer and when it has its value.
type BufferKind uint8

// The kinds of buffers. Input and Output are the caller's; Constant is part of
// the artifact; Temp lies in the arena, at Offset.
const (
	Input BufferKind = iota
	Output
	Constant
	Temp
)

var kindNames = [...]string{"input", "output", "constant", "temp"}

// String is the kind's name.
func (k BufferKind) String() string { return kindNames[k] }

// Buffer is one stretch of memory. Const holds a constant's elements as they
// lie in memory (layout applied, filling included).
type Buffer struct {
	Name   string
	Kind   BufferKind
	Type   graph.Type
	Bytes  int64
	Const  *dtype.Tensor
	Offset int64 // in the arena; Temp only
}

// Arg is an argument of a kernel: a buffer from a byte offset on, both multiples
// of 64 bytes.
type Arg struct {
	Buffer BufferID
	Offset int64
}

// Kernel is one call: Func on Args, in the order of its parameters. Kernels of
// equal regions share the text of their functions, not the pointer.
type Kernel struct {
	Name  string // unique in the program and a C identifier
	Func  *tir.PrimFunc
	Args  []Arg
	Nodes []string // the model's names of the nodes inside
}

// Port is a named input or output of the program: its logical type (always
// row-major) and where its bytes are.
type Port struct {
	Name string
	Type graph.Type
	Arg  Arg
}

// Program is a lowered model: everything that task extraction, compilation and
// execution need. Kernels run in order; an instance provides memory for inputs,
// outputs, constants and one arena of Plan.Arena bytes, all 64-byte aligned.
type Program struct {
	Name    string
	Buffers []Buffer
	Kernels []Kernel
	Inputs  []Port
	Outputs []Port
	Plan    Plan
}

// Buffer returns the buffer named id.
func (p *Program) Buffer(id BufferID) *Buffer { return &p.Buffers[id] }

// ConstantBytes is the size of all constants.
func (p *Program) ConstantBytes() int64 {
	n := int64(0)
	for i := range p.Buffers {
		if p.Buffers[i].Kind == Constant {
			n += p.Buffers[i].Bytes
		}
	}
	return n
}

// String prints the graph function: one call per line with its arguments.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %q {\n", p.Name)
	for _, port := range p.Inputs {
		fmt.Fprintf(&b, "  input %q: %s = %s\n", port.Name, port.Type, p.argText(port.Arg))
	}
	for i := range p.Buffers {
		if x := &p.Buffers[i]; x.Kind == Constant {
			fmt.Fprintf(&b, "  constant b%d %q: %s, %d bytes\n", i, x.Name, x.Type, x.Bytes)
		}
	}
	for _, k := range p.Kernels {
		args := make([]string, len(k.Args))
		for i, a := range k.Args {
			args[i] = p.argText(a)
		}
		fmt.Fprintf(&b, "  call %s(%s)\n", k.Name, strings.Join(args, ", "))
	}
	for _, port := range p.Outputs {
		fmt.Fprintf(&b, "  output %q: %s = %s\n", port.Name, port.Type, p.argText(port.Arg))
	}
	b.WriteString("}\n")
	return b.String()
}

func (p *Program) argText(a Arg) string {
	if a.Offset != 0 {
		return fmt.Sprintf("b%d+%d", a.Buffer, a.Offset)
	}
	return fmt.Sprintf("b%d", a.Buffer)
}
