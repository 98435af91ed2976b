package pipeline

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/schedule/script"
	"hone/compiler/tir"
	"hone/compiler/tir/interp"
	"hone/compiler/tir/tvmscript"
	"hone/internal/rng"
)

// Every script of the primitives that a processor can run is lowered, and the lowered
// function computes what the unscheduled one does: a schedule may be right and its
// lowering not, as where a buffer passes values from one iteration to the next.
func TestScriptsOfPrimitivesLowerToTheSame(t *testing.T) {
	lowered := 0
	root := filepath.Join("..", "schedule", "testdata")
	datadriven.Walk(t, filepath.Join(root, "prim"), func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if len(d.CmdArgs) > 0 && !d.HasArg("opaque") && !d.HasArg("nonlinear") && !strings.Contains(d.Input, "unsafe_") {
				name := filepath.Join(root, "func", d.CmdArgs[0].Key+".py")
				if lowersToTheSame(t, d.Pos, name, d.Input) {
					lowered++
				}
			}
			return d.Expected
		})
	})
	if lowered < 200 {
		t.Errorf("%d scripts were lowered", lowered)
	}
}

// Buffers that a reduction, or a rolling block, carries through a loop stay outside of it.
func TestCarriedBuffersStayOutside(t *testing.T) {
	for _, c := range [][2]string{
		{"matmul_relu", `sch.reverse_compute_at("D", sch.get_loops("C")[2])`},
		{"matmul_relu", "sch.cache_write(\"C\", 0, \"local\")\nsch.reverse_compute_at(\"C_local\", sch.get_loops(\"C\")[2])"},
		{"matmul_relu", `sch.write_at(sch.get_loops("C")[2], sch.get_sblock("C"), 0, "shared")`},
	} {
		path := filepath.Join("..", "schedule", "testdata", "small", c[0]+".py")
		if !lowersToTheSame(t, c[0], path, c[1]) {
			t.Errorf("%s, %s: it was not lowered", c[0], c[1])
		}
	}
}

// A block's annotation makes its innermost reduction loop fetch ahead.
func TestPrefetchAnnotation(t *testing.T) {
	path := filepath.Join("..", "schedule", "testdata", "small", "matmul.py")
	text := `i, j, k = sch.get_loops("C")
sch.reorder(k, j)
sch.vectorize(j)
sch.decompose_reduction("C", k)
sch.annotate(sch.get_sblock("C_update"), "hone.prefetch", 4)`
	if !lowersToTheSame(t, "prefetch", path, text) {
		t.Fatal("it was not lowered")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := tvmscript.Parse(path, string(data))
	if err != nil {
		t.Fatal(err)
	}
	s := schedule.New(m, nil)
	if err := script.Run(s, "script", text); err != nil {
		t.Fatal(err)
	}
	tgt := znver3(t)
	u, err := LowerCPU(s.Func(), &tgt)
	if err != nil {
		t.Fatal(err)
	}
	if got := tir.Script(u.Func); strings.Count(got, "prefetch(B[") != 1 {
		t.Errorf("not one fetch of B's rows\n%s", got)
	}
}

// lowersToTheSame reports false where the script is refused, or the result is none that
// a processor runs.
func lowersToTheSame(t *testing.T, pos, path, text string) bool {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := tvmscript.Parse(path, string(data))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Funcs) != 1 {
		return false
	}
	before := *m.Funcs[0]
	f := before
	f.Name = schedule.MainFunc
	s := schedule.New(&tir.Module{Funcs: []*tir.PrimFunc{&f}}, nil)
	if err := script.Run(s, "script", text); err != nil {
		var refusal *schedule.Error
		var fault *tvmscript.Error
		if !errors.As(err, &refusal) && !errors.As(err, &fault) {
			t.Errorf("%s: %v", pos, err)
		}
		return false
	}
	tgt := znver3(t)
	after := s.Func()
	u, err := LowerCPU(after, &tgt)
	if err != nil {
		return false
	}
	want, ok1 := computed(&before)
	direct, ok2 := computed(after)
	if !ok1 || !ok2 || len(u.Packs) > 0 || !sameBytes(want, direct) {
		return false // what the tests of the primitives look at
	}
	got, ok := computed(u.Func)
	if !ok || !sameBytes(want, got) {
		t.Errorf("%s: the lowered function computes something else\n%s\n%s", pos, text, tir.Script(u.Func))
	}
	return true
}

// computed runs a function on small integers.
func computed(f *tir.PrimFunc) ([]*dtype.Tensor, bool) {
	r := rng.New(5, "computed")
	var args []*dtype.Tensor
	for _, p := range f.Params {
		b, ok := p.(*tir.Buffer)
		if !ok {
			return nil, false
		}
		shape, ok := b.StaticShape()
		if !ok || !b.Type.IsFloat() && !b.Type.IsInt() {
			return nil, false
		}
		x := dtype.NewTensor(b.Type, shape...)
		for i := range x.Len() {
			x.SetInt(i, int64(r.Intn(5)))
		}
		args = append(args, x)
	}
	return args, interp.Run(f, args) == nil
}

func sameBytes(a, b []*dtype.Tensor) bool {
	for i := range a {
		if !bytes.Equal(a[i].Data, b[i].Data) {
			return false
		}
	}
	return len(a) == len(b)
}
