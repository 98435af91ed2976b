// Package runtime is the format of shipped artifacts and its loaders. An
// artifact is a shared library of kernels, tables and Hone's C runtime
// (runtime/csrc), with the weights inside or in a file beside it.
//
// Start from Model (what a library executes; the compile driver fills it in),
// BuildLibrary (model and kernel objects to a library) and Open (load and run
// one without cgo). PythonLoader is the same for Python.
//
// The package imports dtype, target, runtime/csrc, internal/cc and
// internal/atomicfile. It knows nothing of graphs, TIR or tuning.
package runtime

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"

	"hone/compiler/dtype"
)

// Align is the alignment in bytes of everything in the arena and constants.
const Align = 64

// Model is what a library executes: calls in order, over one planned arena.
type Model struct {
	Inputs, Outputs []IO
	Calls           []Call
	// Zeros are ranges of the arena that must be zero before the first run and
	// that no call writes.
	Zeros      []Range
	ArenaBytes int64
	Constants  []byte
	// Threads is what the model was tuned for, MaxThreads what the workspaces
	// in the arena have room for.
	Threads, MaxThreads int
	Metadata            string // JSON
}

// IO is an input or output. Stage is the arena offset of the copy that is used
// when the caller's tensor is not aligned to Align.
type IO struct {
	Name  string
	Type  dtype.DType
	Shape []int64
	Stage int64
}

// Bytes is the size of the tensor.
func (x IO) Bytes() int64 { return dtype.NumElements(x.Shape) * int64(x.Type.Bytes()) }

// Where says what an argument's offset counts from.
type Where int

// The places of arguments.
const (
	InArena Where = iota
	InConstants
	InInput
	InOutput
)

// Place is where an argument lives: Offset bytes into the arena, the constants,
// or input or output number Index.
type Place struct {
	Where  Where
	Index  int
	Offset int64
}

// Call is one step. Without Symbol it copies Bytes from the first to the second
// of two arguments.
type Call struct {
	Name      string // for messages and timings
	Symbol    string // of the kernel
	Args      []Place
	Workspace int64 // arena offset, -1 for none
	Bytes     int64
}

// Range is a part of the arena.
type Range struct{ Offset, Bytes int64 }

var symbolPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Check reports the first inconsistency of the model.
func (m *Model) Check() error {
	if m.Threads < 1 || m.MaxThreads < m.Threads {
		return fmt.Errorf("model: %d threads of at most %d", m.Threads, m.MaxThreads)
	}
	for _, io := range append(append([]IO{}, m.Inputs...), m.Outputs...) {
		if _, err := dlpackCode(io.Type); err != nil {
			return fmt.Errorf("model: %s: %w", io.Name, err)
		}
		if err := m.inside(io.Stage, io.Bytes(), m.ArenaBytes); err != nil {
			return fmt.Errorf("model: copy of %s: %w", io.Name, err)
		}
	}
	for i, c := range m.Calls {
		if err := m.checkCall(c); err != nil {
			return fmt.Errorf("model: call %d (%s): %w", i, c.Name, err)
		}
	}
	for i, z := range m.Zeros {
		if err := m.inside(z.Offset, z.Bytes, m.ArenaBytes); err != nil {
			return fmt.Errorf("model: zero range %d: %w", i, err)
		}
	}
	return nil
}

func (m *Model) checkCall(c Call) error {
	switch {
	case c.Symbol == "" && (len(c.Args) != 2 || c.Bytes < 0):
		return fmt.Errorf("a copy has two arguments and a size")
	case c.Symbol != "" && !symbolPattern.MatchString(c.Symbol):
		return fmt.Errorf("symbol %q is not a C identifier", c.Symbol)
	case c.Workspace < -1 || c.Workspace >= 0 && c.Workspace%Align != 0 || c.Workspace > m.ArenaBytes:
		return fmt.Errorf("workspace at %d", c.Workspace)
	}
	for i, a := range c.Args {
		limit := m.ArenaBytes
		switch a.Where {
		case InArena:
		case InConstants:
			limit = int64(len(m.Constants))
		case InInput, InOutput:
			list := m.Inputs
			if a.Where == InOutput {
				list = m.Outputs
			}
			if a.Index < 0 || a.Index >= len(list) {
				return fmt.Errorf("argument %d names tensor %d of %d", i, a.Index, len(list))
			}
			limit = list[a.Index].Bytes()
		default:
			return fmt.Errorf("argument %d has no place", i)
		}
		if err := m.inside(a.Offset, c.Bytes, limit); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return nil
}

// inside checks that a range is aligned and within a block.
func (m *Model) inside(offset, bytes, limit int64) error {
	if offset < 0 || bytes < 0 || offset%Align != 0 || offset > limit || bytes > limit-offset {
		return fmt.Errorf("bytes %d to %d of %d, or not at a multiple of %d", offset, offset+bytes, limit, Align)
	}
	return nil
}

// Digest identifies the constants; the weights file repeats it.
func (m *Model) Digest() [32]byte { return sha256.Sum256(m.Constants) }

// dlpackCode is DLPack's number for the kind of an element type.
func dlpackCode(t dtype.DType) (int, error) {
	switch t.Code {
	case dtype.Int:
		return 0, nil
	case dtype.UInt:
		return 1, nil
	case dtype.Float:
		return 2, nil
	case dtype.BFloat:
		return 4, nil
	case dtype.Bool:
		return 6, nil
	}
	return 0, fmt.Errorf("tensors of %s cannot cross the interface", t)
}

// Tables is the C text of the model's tables (hone_model.h describes them).
// With embed the constants are the symbol hone_constants of another object.
func (m *Model) Tables(embed bool) (string, error) {
	if err := m.Check(); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("#include \"hone_model.h\"\n")
	seen := map[string]bool{}
	for _, c := range m.Calls {
		if c.Symbol != "" && !seen[c.Symbol] {
			seen[c.Symbol] = true
			fmt.Fprintf(&b, "hone_kernel %s;\n", c.Symbol)
		}
	}
	if embed {
		b.WriteString("extern const char hone_constants[] __attribute__((visibility(\"hidden\")));\n")
	}
	m.writeTensors(&b, "inputs", m.Inputs)
	m.writeTensors(&b, "outputs", m.Outputs)
	list(&b, "hone_i64", "stages", append(append([]IO{}, m.Inputs...), m.Outputs...), func(x IO) string { return fmt.Sprint(x.Stage) })
	var places []Place
	list(&b, "hone_call", "calls", m.Calls, func(c Call) string {
		first := len(places)
		places = append(places, c.Args...)
		kernel := "0"
		if c.Symbol != "" {
			kernel = c.Symbol
		}
		return fmt.Sprintf("{%s, %s, %d, %d, %d, %d}", cString(c.Name), kernel, c.Workspace, c.Bytes, first, len(c.Args))
	})
	list(&b, "hone_buffer", "buffers", places, func(p Place) string { return fmt.Sprintf("{%d, %d, %d}", p.Where, p.Index, p.Offset) })
	list(&b, "hone_range", "zeros", m.Zeros, func(r Range) string { return fmt.Sprintf("{%d, %d}", r.Offset, r.Bytes) })
	m.writeModel(&b, embed, len(places))
	return b.String(), nil
}

func (m *Model) writeModel(b *strings.Builder, embed bool, places int) {
	constants := "0"
	if embed {
		constants = "hone_constants"
	}
	digest := m.Digest()
	var bytes []string
	for _, x := range digest {
		bytes = append(bytes, fmt.Sprint(x))
	}
	fmt.Fprintf(b, "const hone_model hone_the_model = {\n  HONE_MODEL_VERSION, %d, %d, %d, %d, %d, %d, %d,\n  inputs, outputs, stages, calls, buffers, zeros,\n  %d, %d, %s,\n  {%s},\n  %s};\n",
		len(m.Inputs), len(m.Outputs), len(m.Calls), places, len(m.Zeros), m.Threads, m.MaxThreads,
		m.ArenaBytes, len(m.Constants), constants, strings.Join(bytes, ", "), cString(m.Metadata))
}

func (m *Model) writeTensors(b *strings.Builder, name string, list_ []IO) {
	for i, x := range list_ {
		list(b, "hone_i64", fmt.Sprintf("%s_shape%d", name, i), x.Shape, func(d int64) string { return fmt.Sprint(d) })
	}
	i := 0
	list(b, "hone_tensor_info", name, list_, func(x IO) string {
		code, _ := dlpackCode(x.Type)
		s := fmt.Sprintf("{%s, {%d, %d, 1}, %d, %s_shape%d, %d}", cString(x.Name), code, x.Type.Bits, len(x.Shape), name, i, x.Bytes())
		i++
		return s
	})
}

// list writes a static table; C has no empty ones.
func list[T any](b *strings.Builder, typ, name string, items []T, text func(T) string) {
	if len(items) == 0 {
		fmt.Fprintf(b, "static const %s %s[1];\n", typ, name)
		return
	}
	fmt.Fprintf(b, "static const %s %s[] = {\n", typ, name)
	for _, x := range items {
		b.WriteString("  " + text(x) + ",\n")
	}
	b.WriteString("};\n")
}

// cString spells a C string literal for any bytes.
func cString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '"' || c == '\\' || c == '?' || c < ' ' || c > '~':
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
