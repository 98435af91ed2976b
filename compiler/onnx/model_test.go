package onnx

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"hone/compiler/graph"
)

// msg builds a protobuf message field by field.
type msg []byte

func (m msg) bytes(num int, b []byte) msg {
	return protowire.AppendBytes(protowire.AppendTag(m, protowire.Number(num), protowire.BytesType), b)
}
func (m msg) str(num int, s string) msg { return m.bytes(num, []byte(s)) }
func (m msg) varint(num int, v int64) msg {
	return protowire.AppendVarint(protowire.AppendTag(m, protowire.Number(num), protowire.VarintType), uint64(v))
}
func (m msg) float(num int, f float32) msg {
	return protowire.AppendFixed32(protowire.AppendTag(m, protowire.Number(num), protowire.Fixed32Type), math.Float32bits(f))
}

func nodeMsg(op, name string, in, out []string, attrs ...msg) msg {
	var m msg
	for _, s := range in {
		m = m.str(1, s)
	}
	for _, s := range out {
		m = m.str(2, s)
	}
	m = m.str(3, name).str(4, op)
	for _, a := range attrs {
		m = m.bytes(5, a)
	}
	return m
}

func attrI(name string, v int64) msg {
	return msg{}.str(1, name).varint(3, v).varint(20, int64(AttrInt))
}
func attrIs(name string, vs ...int64) msg {
	m := msg{}.str(1, name)
	for _, v := range vs {
		m = m.varint(8, v)
	}
	return m.varint(20, int64(AttrInts))
}
func attrG(name string, g msg) msg {
	return msg{}.str(1, name).bytes(6, g).varint(20, int64(AttrGraph))
}

func tensorMsg(name string, dataType int64, raw []byte, dims ...int64) msg {
	var m msg
	for _, d := range dims {
		m = m.varint(1, d)
	}
	return m.varint(2, dataType).str(8, name).bytes(9, raw)
}

func i64s(list ...int64) []byte {
	var b []byte
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// dim is a value, a name, or nothing.
func valueMsg(name string, elem int64, dims ...any) msg {
	var shape msg
	for _, d := range dims {
		var m msg
		switch d := d.(type) {
		case int:
			m = m.varint(1, int64(d))
		case string:
			m = m.str(2, d)
		}
		shape = shape.bytes(1, m)
	}
	return msg{}.str(1, name).bytes(2, msg{}.bytes(1, msg{}.varint(1, elem).bytes(2, shape)))
}

type modelParts struct {
	nodes, inits, inputs, outputs, functions []msg
}

func (p modelParts) graph() msg {
	var g msg
	for _, n := range p.nodes {
		g = g.bytes(1, n)
	}
	g = g.str(2, "g")
	for _, t := range p.inits {
		g = g.bytes(5, t)
	}
	for _, v := range p.inputs {
		g = g.bytes(11, v)
	}
	for _, v := range p.outputs {
		g = g.bytes(12, v)
	}
	return g
}

func (p modelParts) model() []byte {
	m := msg{}.varint(1, 8).bytes(7, p.graph()).bytes(8, msg{}.varint(2, 13))
	for _, f := range p.functions {
		m = m.bytes(25, f)
	}
	return m
}

var (
	inX  = valueMsg("x", 1, 2, 3)
	outY = valueMsg("y", 1)
)

func xy(nodes ...msg) modelParts {
	return modelParts{nodes: nodes, inputs: []msg{inX}, outputs: []msg{outY}}
}

func TestMalformedModelsAreLocatedErrors(t *testing.T) {
	relu := nodeMsg("Relu", "act", []string{"x"}, []string{"y"})
	deep := xy(relu).graph()
	for range 60 {
		deep = modelParts{nodes: []msg{nodeMsg("If", "", []string{"c"}, []string{"z"}, attrG("then_branch", deep))}}.graph()
	}
	self := msg{}.str(1, "F").str(4, "a").str(5, "b").bytes(7, msg{}.str(1, "a").str(2, "b").str(4, "F").str(7, "me")).str(10, "me")
	for _, c := range []struct {
		name  string
		model []byte
		want  string
	}{
		{"empty", nil, "not an ONNX model"},
		{"text", []byte("hello, world, this is no protobuf"), "byte "},
		{"truncated", xy(relu).model()[:40], "cut short or malformed"},
		{"no output", modelParts{inputs: []msg{inX}}.model(), "no output"},
		{"missing output", modelParts{inputs: []msg{inX}, outputs: []msg{outY}}.model(), `nothing produces the output "y"`},
		{"missing operand", xy(nodeMsg("Relu", "act", []string{"w"}, []string{"y"})).model(), `graph.node[0] Relu "act": reads "w", which no input, initializer or earlier node provides`},
		{"cycle", xy(nodeMsg("Add", "a", []string{"x", "b"}, []string{"y"}), nodeMsg("Relu", "b", []string{"y"}, []string{"b"})).model(), `reads "b"`},
		{"two of a name", xy(relu, relu).model(), `a second value called "y"`},
		{"negative dimension", modelParts{inits: []msg{tensorMsg("w", 1, nil, -1)}, outputs: []msg{outY}}.model(), `graph.initializer[0] "w": dimension 0 is negative`},
		{"huge dimensions", modelParts{inits: []msg{tensorMsg("w", 1, nil, 1<<31, 1<<31, 1<<31)}, outputs: []msg{outY}}.model(), "too many elements"},
		{"more declared than there", modelParts{inits: []msg{tensorMsg("w", 1, make([]byte, 8), 1<<20)}, outputs: []msg{outY}}.model(), "needs 4194304 bytes, the file has 8"},
		{"too many dimensions", modelParts{inits: []msg{tensorMsg("w", 1, nil, make([]int64, 40)...)}, outputs: []msg{outY}}.model(), "more than 32 dimensions"},
		{"strings", modelParts{inits: []msg{tensorMsg("w", 8, nil, 1)}, outputs: []msg{outY}}.model(), "element type string is not supported"},
		{"deep", deep2model(deep), "nest deeper than 100"},
		{"unsupported", xy(nodeMsg("NonZero", "nz", []string{"x"}, []string{"a"}), nodeMsg("NonZero", "", []string{"a"}, []string{"b"}), nodeMsg("Frob", "f", []string{"b"}, []string{"y"})).model(),
			`2 operators are not supported: Frob (graph.node[2] Frob "f"), NonZero (graph.node[0] NonZero "nz" and 1 more)`},
		{"recursion", modelParts{nodes: []msg{nodeMsg("F", "call", []string{"x"}, []string{"y"}).str(7, "me")}, inputs: []msg{inX}, outputs: []msg{outY}, functions: []msg{self}}.model(), "calls itself"},
		{"stride 0", modelParts{nodes: []msg{nodeMsg("MaxPool", "p", []string{"i"}, []string{"y"}, attrIs("kernel_shape", 2, 2), attrIs("strides", 0, 1))},
			inputs: []msg{valueMsg("i", 1, 1, 1, 4, 4)}, outputs: []msg{outY}}.model(), `MaxPool "p": max_pool: dimension 0: kernel 2, stride 0`},
		{"huge pads", modelParts{nodes: []msg{nodeMsg("MaxPool", "p", []string{"i"}, []string{"y"}, attrIs("kernel_shape", 2, 2), attrIs("pads", 1<<60, 0, 0, 0))},
			inputs: []msg{valueMsg("i", 1, 1, 1, 4, 4)}, outputs: []msg{outY}}.model(), "out of bounds"},
		{"bad axis", xy(nodeMsg("Softmax", "s", []string{"x"}, []string{"y"}, attrI("axis", 7))).model(), "axis 7 is outside a tensor of rank 2"},
		{"bad permutation", xy(nodeMsg("Transpose", "t", []string{"x"}, []string{"y"}, attrIs("perm", 0, 0))).model(), "not a permutation"},
		{"shapes", modelParts{nodes: []msg{nodeMsg("Add", "a", []string{"x", "z"}, []string{"y"})}, inputs: []msg{inX, valueMsg("z", 1, 2)}, outputs: []msg{outY}}.model(), "do not broadcast"},
		{"expand bomb", modelParts{nodes: []msg{nodeMsg("Expand", "e", []string{"x", "s"}, []string{"y"})}, inputs: []msg{inX},
			inits: []msg{tensorMsg("s", 7, i64s(1<<30, 1<<30, 1, 1), 4)}, outputs: []msg{outY}}.model(), "too many elements"},
		{"data-dependent shape", modelParts{nodes: []msg{nodeMsg("Reshape", "r", []string{"x", "s"}, []string{"y"})}, inputs: []msg{inX, valueMsg("s", 7, 2)}, outputs: []msg{outY}}.model(),
			`its shape ("s") depends on the input data`},
		{"biases of a recurrence", recurrent("GRU", 6, valueMsg("b", 1, 1, 11)).model(), "its biases are float32[1,11], want the shape [1 12]"},
		{"hidden size", recurrent("RNN", 2, valueMsg("b", 1, 1, 4), attrI("hidden_size", 3)).model(), "hidden_size is 3, the recurrence has 2"},
		{"direction", recurrent("LSTM", 8, valueMsg("b", 1, 1, 16), attrI("input_forget", 2), attrIs("direction", 3)).model(), `attribute "direction"`},
		{"attribute type", xy(nodeMsg("Softmax", "s", []string{"x"}, []string{"y"}, attrIs("axis", 1))).model(), `attribute "axis" has type 7`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := Parse(c.model, Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// recurrent is a recurrence of two cells over three features, with biases b.
func recurrent(op string, rows int, b msg, attrs ...msg) modelParts {
	return modelParts{nodes: []msg{nodeMsg(op, "r", []string{"i", "w", "u", "b"}, []string{"y"}, attrs...)},
		inputs: []msg{valueMsg("i", 1, 2, 1, 3), valueMsg("w", 1, 1, rows, 3), valueMsg("u", 1, 1, rows, 2), b}, outputs: []msg{outY}}
}

func deep2model(g msg) []byte { return msg{}.varint(1, 8).bytes(7, g).bytes(8, msg{}.varint(2, 13)) }

func TestOpenDimensionsAreNamedWithACommand(t *testing.T) {
	m := modelParts{nodes: []msg{nodeMsg("Relu", "", []string{"ids"}, []string{"y"})},
		inputs: []msg{valueMsg("ids", 1, "batch", "seq", 8), valueMsg("mask", 1, 2, nil)}, outputs: []msg{outY}}.model()
	for _, c := range []struct {
		shape, dim, con string
		want            string
	}{
		{want: "leaves input dimensions open: ids[batch,seq,8] mask[2,?]\n  fix them, for example: hone tune MODEL --dim batch=1,seq=128 --shape 'mask:2,N'"},
		{dim: "batch=4", want: "hone tune MODEL --dim batch=4,seq=128 --shape 'mask:2,N'"},
		{dim: "batch=1,seq=4", shape: "mask:2,4"},
		{dim: "batch=1,seq=4", shape: "mask:3,4", want: "--shape mask: dimension 0 is 3, the model fixes it to 2\n  the model declares mask:2,?"},
		{dim: "batch=1,seq=4", shape: "mask:2", want: "--shape mask: [2] has 1 dimensions, the model declares 2"},
		{dim: "batch=1,length=4", shape: "mask:2,4", want: "--dim length: the model has no such named dimension"},
		{dim: "batch=1,seq=4", shape: "maks:2,4", want: "--shape maks: the model has no such input\n  the inputs are ids:batch,seq,8 mask:2,?"},
		{shape: "ids:1,4,8", dim: "batch=1", con: "mask=1.5", want: "mask[2,?]"},
	} {
		var b Binding
		for text, add := range map[string]func(string) error{c.shape: b.AddShape, c.dim: b.AddDim, c.con: b.AddConst} {
			if text != "" {
				if err := add(text); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, _, err := Parse(m, Options{Binding: b})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: got %v\nwant %q", c, err, c.want)
		}
	}
}

func TestBindingTextErrors(t *testing.T) {
	var b Binding
	for _, err := range []error{b.AddShape("1,2"), b.AddShape("x:1,a"), b.AddShape("x:-1"), b.AddDim("batch"), b.AddDim("n=1,n=2"), b.AddConst("sr"), b.AddDim("a=99999999999999")} {
		if err == nil {
			t.Error("a malformed binding was accepted")
		}
	}
}

func TestConstantsFreezeInputs(t *testing.T) {
	m := modelParts{nodes: []msg{nodeMsg("Reshape", "r", []string{"x", "s"}, []string{"y"})}, inputs: []msg{inX, valueMsg("s", 7, 2)}, outputs: []msg{outY}}.model()
	var b Binding
	if err := b.AddConst("s=3,-1"); err != nil {
		t.Fatal(err)
	}
	g, _, err := Parse(m, Options{Binding: b})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Type(g.Outputs[0].Value).String(); got != "float32[3,2]" || len(g.Inputs) != 1 {
		t.Errorf("got %s with %d inputs", got, len(g.Inputs))
	}
	b.Consts["s"] = "3,four"
	if _, _, err := Parse(m, Options{Binding: b}); err == nil || !strings.Contains(err.Error(), `--const s: "four" is not int64`) {
		t.Errorf("got %v", err)
	}
}

func TestUnnamedBatchIsOneWithAWarning(t *testing.T) {
	m := modelParts{nodes: []msg{nodeMsg("Relu", "", []string{"x"}, []string{"y"})}, inputs: []msg{valueMsg("x", 1, nil, 3)}, outputs: []msg{outY}}.model()
	g, warnings, err := Parse(m, Options{})
	if err != nil || len(warnings) != 1 || g.Type(g.Inputs[0].Value).String() != "float32[1,3]" {
		t.Errorf("%v %v", warnings, err)
	}
}

func TestExternalDataStayInside(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "snapshots", "rev")
	blobs := filepath.Join(root, "blobs")
	for _, d := range []string{dir, blobs} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	data := i64s(1, 2, 3, 4, 5, 6)
	write := func(path string, b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "w.bin"), data)
	write(filepath.Join(root, "secret.bin"), data)
	write(filepath.Join(blobs, "abc"), data)
	for link, target := range map[string]string{"blob.bin": "../../blobs/abc", "leak.bin": "../../secret.bin", "self.bin": "w.bin"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	model := func(keys ...string) string {
		w := msg{}.varint(1, 2).varint(2, 7).str(8, "w").varint(14, 1)
		for i := 0; i < len(keys); i += 2 {
			w = w.bytes(13, msg{}.str(1, keys[i]).str(2, keys[i+1]))
		}
		path := filepath.Join(dir, "model.onnx")
		write(path, modelParts{inits: []msg{w}, nodes: []msg{nodeMsg("Identity", "", []string{"w"}, []string{"y"})}, outputs: []msg{outY}}.model())
		return path
	}
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"location", "w.bin", "offset", "8", "length", "16"}, ""},
		{[]string{"location", "self.bin"}, ""},
		{[]string{"location", "blob.bin"}, ""},
		{[]string{"location", "leak.bin"}, "leak.bin"},
		{[]string{"location", "../secret.bin"}, "not a path inside the model's directory"},
		{[]string{"location", "/etc/passwd"}, "not a path inside"},
		{[]string{"location", `a\..\b`}, "not a path inside"},
		{[]string{"location", "*/_ORT_MEM_ADDR_/*"}, "not a path inside"},
		{nil, "not a path inside"},
		{[]string{"location", "."}, "not a regular file"},
		{[]string{"location", "none.bin"}, "none.bin"},
		{[]string{"location", "w.bin", "offset", "-8"}, "is not a size"},
		{[]string{"location", "w.bin", "offset", "49"}, "begin at byte 49"},
		{[]string{"location", "w.bin", "offset", "40", "length", "16"}, "go beyond"},
		{[]string{"location", "w.bin", "length", "9223372036854775807"}, "go beyond"},
		{[]string{"location", "w.bin", "length", "8"}, "needs 16 bytes, the file has 8"},
	} {
		path := model(c.keys...)
		m, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, _, err := m.Import(Options{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: got %v, want %q", c.keys, err, c.want)
		}
		if err == nil && c.keys[1] == "w.bin" && g.Const(g.Outputs[0].Value).Int(0) != 2 {
			t.Errorf("%v: read the wrong bytes", c.keys)
		}
		m.Close()
	}
	m, err := Open(model("location", "w.bin"), Options{NoExternal: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, _, err := m.Import(Options{}); err == nil || !strings.Contains(err.Error(), "external data are disabled") {
		t.Errorf("got %v", err)
	}
}

func TestOpenErrorsAreOneLine(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none.onnx"), Options{}); err == nil || !strings.HasSuffix(err.Error(), "none.onnx: no such file or directory") {
		t.Errorf("got %v", err)
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}

func TestDecidedConditionalsAndFunctionsAreInlined(t *testing.T) {
	branch := func(op string) msg {
		return modelParts{nodes: []msg{nodeMsg(op, "", []string{"x"}, []string{"b"})}, outputs: []msg{valueMsg("b", 1)}}.graph()
	}
	fn := msg{}.str(1, "Twice").str(4, "a").str(5, "b").bytes(7, nodeMsg("Add", "", []string{"a", "a"}, []string{"b"})).bytes(9, msg{}.varint(2, 13)).str(10, "me")
	p := modelParts{
		nodes: []msg{
			nodeMsg("If", "if", []string{"c"}, []string{"z"}, attrG("then_branch", branch("Relu")), attrG("else_branch", branch("Tanh"))),
			nodeMsg("Twice", "", []string{"z"}, []string{"y"}).str(7, "me"),
		},
		inits: []msg{tensorMsg("c", 9, []byte{0})}, inputs: []msg{inX}, outputs: []msg{outY}, functions: []msg{fn},
	}
	g, _, err := Parse(p.model(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != 2 || g.Nodes[0].Op.Name != "tanh" || g.Nodes[1].Op.Name != "add" {
		t.Errorf("got\n%s", g)
	}
}

// FuzzParse looks for panics and runaway allocations on any bytes at all.
func FuzzParse(f *testing.F) {
	f.Add(xy(nodeMsg("Relu", "", []string{"x"}, []string{"y"})).model())
	f.Add(xy(nodeMsg("Conv", "", []string{"x", "x"}, []string{"y"}, attrIs("strides", 1, 1))).model())
	f.Add(xy(nodeMsg("Slice", "", []string{"x"}, []string{"y"})).model())
	dirs, _ := filepath.Glob(filepath.Join(conformanceData, "node", "test_*"))
	for i, dir := range dirs {
		if b, err := os.ReadFile(filepath.Join(dir, "model.onnx")); err == nil && i%8 == 0 {
			f.Add(b)
		}
	}
	limits := Limits{Nodes: 200, Elements: 1 << 22, FoldBytes: 1 << 20}
	f.Fuzz(func(t *testing.T, b []byte) {
		// A model of a few kilobytes must not keep the importer busy for long.
		watchdog := time.AfterFunc(10*time.Second, func() { panic("the import does not end") })
		defer watchdog.Stop()
		g, _, err := Parse(b, Options{Limits: limits})
		if err != nil {
			return
		}
		if _, err := graph.Parse(g.String(), g.Constants()); err != nil {
			t.Fatalf("the graph does not read back: %v\n%s", err, g)
		}
	})
}
