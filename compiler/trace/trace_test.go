package trace_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/internal/rng"
)

func readTrace(t testing.TB, name string) (trace.Trace, string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSpace(string(data))
	tr, err := trace.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr, text
}

func text(t testing.TB, tr trace.Trace) string {
	t.Helper()
	b, err := tr.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Read, written, replayed and written again: always the same bytes.
func TestTextIsStable(t *testing.T) {
	tr, want := readTrace(t, "cpu_matmul.json")
	if got := text(t, tr); got != want {
		t.Fatalf("read and written:\n%s", got)
	}
	s := newSchedule(64)
	if err := tr.Replay(s, trace.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := text(t, trace.Of(s)); got != want {
		t.Fatalf("replayed and written:\n%s", got)
	}
	// The text is ordinary JSON and survives a pass through encoding/json.
	b, err := json.Marshal(tr)
	if err != nil || string(b) != want {
		t.Fatalf("json.Marshal: %v\n%s", err, b)
	}
}

func TestReplayAfterFork(t *testing.T) {
	tr, want := readTrace(t, "cpu_matmul.json")
	base := newSchedule(64)
	before := tir.Script(base.Func())
	if _, err := base.GetSBlock("mm"); err != nil {
		t.Fatal(err)
	}
	a, b := base.Fork(), base.Fork()
	for _, s := range []*schedule.Schedule{a, b} {
		if err := tr.Replay(s, trace.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if tir.Script(a.Func()) != tir.Script(b.Func()) || tir.Script(base.Func()) != before {
		t.Fatal("forks are not independent")
	}
	// The fork's record starts with what the original did.
	if got := trace.Of(a); got.Len() != tr.Len()+1 {
		t.Fatalf("%d instructions\n%s", got.Len(), want)
	}
}

// Without decisions the same seed makes the same trace, another one another.
func TestRedraw(t *testing.T) {
	tr, want := readTrace(t, "cpu_matmul.json")
	seen := map[string]bool{}
	for _, seed := range []uint64{1, 1, 2, 3} {
		s := newSchedule(64)
		s.Seed(rng.New(seed))
		if err := tr.Replay(s, trace.Options{Redraw: true}); err != nil {
			t.Fatal(err)
		}
		got := trace.Of(s)
		seen[text(t, got)] = true
		product := int64(1)
		for _, f := range got.Decisions[4].([]int64) {
			product *= f
		}
		if product != 64 || got.Decisions[4].([]int64)[3] > 64 {
			t.Fatalf("factors %v of 64", got.Decisions[4])
		}
	}
	if len(seen) < 2 || len(seen) > 3 || seen[want] {
		t.Fatalf("%d different traces of seeds 1, 1, 2, 3", len(seen))
	}
}

func TestDecide(t *testing.T) {
	tr, _ := readTrace(t, "cpu_matmul.json")
	s := newSchedule(64)
	err := tr.Replay(s, trace.Options{StopAtPostproc: true, Decide: func(i int, inst schedule.Instruction, d any) any {
		if inst.Kind.Name == "SamplePerfectTile" && i == 4 {
			if _, ok := inst.Inputs[0].(schedule.LoopRV); !ok {
				t.Errorf("the input is a %T", inst.Inputs[0])
			}
			return []int64{64, 1, 1, 1}
		}
		return d
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := trace.Of(s)
	if got.Len() != tr.Postproc() || got.Postproc() != got.Len() {
		t.Fatalf("%d instructions", got.Len())
	}
	if !reflect.DeepEqual(got.Decisions[4], []int64{64, 1, 1, 1}) {
		t.Fatalf("decision %v", got.Decisions[4])
	}
}

// A trace replays on other extents: decisions are repaired from the inside.
func TestRepair(t *testing.T) {
	tr, _ := readTrace(t, "cpu_matmul.json")
	s := newSchedule(24)
	if err := tr.Replay(s, trace.Options{}); err != nil {
		t.Fatal(err)
	}
	d := trace.Of(s).Decisions
	for i, want := range map[int][]int64{4: {1, 2, 3, 4}, 6: {1, 1, 1, 24}, 8: {6, 4}} {
		got := d[i].([]int64)
		product := int64(1)
		for _, f := range got {
			product *= f
		}
		if product != 24 {
			t.Errorf("instruction %d: %v is no factorisation of 24 (%v)", i, got, want)
		}
	}
	if got := d[4].([]int64); !reflect.DeepEqual(got, []int64{1, 1, 6, 4}) {
		t.Errorf("instruction 4: %v", got)
	}
	if got := d[6].([]int64); !reflect.DeepEqual(got, []int64{1, 1, 1, 24}) {
		t.Errorf("instruction 6: %v", got)
	}
}

func TestWithDecision(t *testing.T) {
	tr, want := readTrace(t, "cpu_matmul.json")
	mut := tr.WithDecision(15, int64(0))
	if mut.Len() != tr.Postproc() || mut.Decisions[15] != int64(0) || tr.Decisions[15] != int64(2) {
		t.Fatalf("%d instructions, decision %v, original %v", mut.Len(), mut.Decisions[15], tr.Decisions[15])
	}
	if text(t, tr) != want {
		t.Fatal("the original changed")
	}
}

func TestSimplified(t *testing.T) {
	in := `[[["GetSBlock",[],["mm","main"],["b0"]],["GetSBlock",[],["root","main"],["b1"]],["GetLoops",["b0"],[],["l2","l3","l4"]],` +
		`["SampleCategorical",[],[[1,2],[0.5,0.5]],["v5"]],["SamplePerfectTile",["l2"],[2,16],["v6","v7"]],["CacheRead",["b0",["b1"]],[0,"global"],["b8"]],` +
		`["Split",["l2","v6","v7"],[1,0],["l9","l10"]],["EnterPostproc",[],[],[]],["GetLoops",["b8"],[],["l11","l12"]]],[[3,1],[4,[4,16]]]]`
	tr, err := trace.Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	// b1 is used inside a list only and stays; v5 and the loops of b8 go.
	want := `[[["GetSBlock",[],["mm","main"],["b0"]],["GetSBlock",[],["root","main"],["b1"]],["GetLoops",["b0"],[],["l2","l3","l4"]],` +
		`["SamplePerfectTile",["l2"],[2,16],["v5","v6"]],["CacheRead",["b0",["b1"]],[0,"global"],["b7"]],["Split",["l2","v5","v6"],[1,0],["l8","l9"]]],[[3,[4,16]]]]`
	if got := text(t, tr.Simplified(true)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := tr.Simplified(false).Len(); got != 7 {
		t.Errorf("%d instructions with postprocessing", got)
	}
}

func TestUpgrade(t *testing.T) {
	old := `[[["GetBlock",[],["mm","main"],["b0"]],["GetLoops",["b0"],[],["l1","l2","l3"]],["Split",["l1","None",4],[true],["l4","l5"]]],[]]`
	want := `[[["GetSBlock",[],["mm","main"],["b0"]],["GetLoops",["b0"],[],["l1","l2","l3"]],["Split",["l1","None",4],[1,0],["l4","l5"]]],[]]`
	tr, err := trace.Parse([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, tr); got != want {
		t.Errorf("got %s", got)
	}
	if err := tr.Replay(newSchedule(16), trace.Options{}); err != nil {
		t.Error(err)
	}
}

// Some releases keep the value of an immediate in a node of its own.
func TestImmediateApart(t *testing.T) {
	text := `{"root_index":8,"nodes":[{"type":"None"},{"type":"ir.PrimType","data":{"span":0,"dtype":"int32"}},{"type":"ffi.String","data":"i"},` +
		`{"type":"ir.Var","data":{"span":0,"ty":1,"name":2}},{"type":"ffi.Array","data":[3]},{"type":"int","data":16},` +
		`{"type":"ir.IntImm","data":{"span":0,"ty":1,"value":5}},{"type":"prim.FloorDiv","data":{"span":0,"ty":1,"a":3,"b":6}},` +
		`{"type":"tirx.IndexMap","data":{"initial_indices":4,"final_indices":9,"inverse_index_map":0}},{"type":"ffi.Array","data":[7]}]}`
	m, err := trace.ParseIndexMap(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := tir.ExprString(m.Final[0]); got != "i // 16" {
		t.Errorf("read %s", got)
	}
}

// Attributes and inputs that came later get the defaults of their parameters.
func TestUpgradeCompletes(t *testing.T) {
	head := `[[["GetSBlock",[],["mm","main"],["b0"]],["GetLoops",["b0"],[],["l1"]],`
	for _, c := range [][2]string{
		{`["ComputeAt",["b0","l1"],[true],[]]`, `["ComputeAt",["b0","l1"],[1,-1],[]]`},
		{`["CacheRead",["b0"],[0,"shared"],["b2"]]`, `["CacheRead",["b0",[]],[0,"shared"],["b2"]]`},
		{`["Blockize",["l1"],[],["b2"]]`, `["Blockize",["l1"],[true],["b2"]]`},
		{`["Tensorize",["b0"],["dot_16x4_vnni"],[]]`, `["Tensorize",["b0"],["dot_16x4_vnni",true],[]]`},
		{`["Fuse",["l1"],[],["l2"]]`, `["Fuse",["l1"],[1],["l2"]]`},
	} {
		tr, err := trace.Parse([]byte(head + c[0] + `],[]]`))
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		if got := text(t, tr); got != head+c[1]+`],[]]` {
			t.Errorf("%s became %s", c[0], got)
		}
	}
}

// What MetaSchedule writes but JSON does not know, and names met twice.
func TestDialect(t *testing.T) {
	in := `[ [ ["GetSBlock", [], ["mm","main"], ["b0"]], ["GetSBlock",[],["root","main"],["b0"]], ["Annotate",["b0","\"a\x01\xe9b\""],["k"],[]], ["Annotate",["b0",2.0],["f"],[]] ], [] ]`
	tr, err := trace.Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	want := `[[["GetSBlock",[],["mm","main"],["b0"]],["GetSBlock",[],["root","main"],["b1"]],["Annotate",["b0","\"a\u0001éb\""],["k"],[]],["Annotate",["b0",2],["f"],[]]],[]]`
	if got := text(t, tr); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for in, want := range map[string]string{
		``:                                      "trace: the text ends before the trace does",
		`[[`:                                    "trace: the text ends before the trace does",
		`{}`:                                    "trace: it is a JSON object, want a list of instructions and a list of decisions",
		`[[1}`:                                  "trace: byte 4: ",
		`[[]]`:                                  "1 members",
		`[[],[]] 1`:                             "text after its end",
		`[[["Nosuch",[],[],[]]],[]]`:            `unknown instruction kind "Nosuch"`,
		`[[["GetSBlock",[],["mm"],["b0"]]],[]]`: "GetSBlock: attribute count is 1, want 2",
		`[[["GetSBlock",[],["mm",3],["b0"]]],[]]`:                                                          "attribute 1 (func_name) is 3 (int64), want a string",
		`[[["GetSBlock",[],["mm","main"],[]]],[]]`:                                                         "GetSBlock: 0 outputs",
		`[[["GetSBlock",[],["mm","main"],["l0"]]],[]]`:                                                     "output 0 is a schedule.LoopRV",
		`[[["GetSBlock",[],["mm","main"],["x0"]]],[]]`:                                                     "want b, l or v",
		`[[["GetLoops",["b7"],[],[]]],[]]`:                                                                 `"b7" is no result of an earlier instruction`,
		`[[["EnterPostproc",[],[],[]]],[[1,2]]]`:                                                           "there is no instruction 1",
		`[[["EnterPostproc",[],[],[]]],[[0,2]]]`:                                                           "decision 2 has the wrong form",
		`[[["SampleCategorical",[],[[1,2],[0.5,0.5]],["v0"]]],[[0,[1]]]]`:                                  "wrong form",
		`[[["SampleCategorical",[],[["a"],[1]],["v0"]]],[]]`:                                               "want a list of integers",
		`[[["GetSBlock",[],["mm","main"],["b0"]],["TransformLayout",["b0","{}"],[0,0,null,false],[]]],[]]`: "index map",
	} {
		_, err := trace.Parse([]byte(in))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}

func TestReplayRefuses(t *testing.T) {
	for in, want := range map[string]string{
		`[[["GetSBlock",[],["xx","main"],["b0"]]],[]]`:                                    "trace: instruction 0, GetSBlock: refused: get_sblock: unknown-name: function main: it has no block",
		`[[["GetSBlock",[],["mm","main"],["b0"]],["GetLoops",["b0"],[],["l1","l2"]]],[]]`: "it gave 3 results where the trace has 2",
	} {
		tr, err := trace.Parse([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		err = tr.Replay(newSchedule(16), trace.Options{})
		var at *trace.Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestIndexMapText(t *testing.T) {
	m := schedule.NewIndexMap(2, func(i []tir.Expr) []tir.Expr {
		c := tir.Compare(tir.OpLT, i[0], tir.Int(3))
		return []tir.Expr{tir.FloorDiv(i[1], tir.Int(16)), i[0], tir.FloorMod(i[1], tir.Int(16)), tir.IfThenElse(c, i[0], tir.Int(0)),
			&tir.Select{Cond: &tir.Not{A: c}, Then: tir.F32(1.5), Else: tir.NewCast(tir.F32(0).DType(), i[0])}}
	})
	text, err := trace.MarshalIndexMap(m)
	if err != nil {
		t.Fatal(err)
	}
	again, err := trace.ParseIndexMap(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text2, err := trace.MarshalIndexMap(again)
	if err != nil || text != text2 {
		t.Fatalf("%v\n%s\n%s", err, text, text2)
	}
	old := strings.ReplaceAll(text, `"tirx.`, `"tir.`)
	if m, err := trace.ParseIndexMap(old); err != nil || len(m.Final) != 5 {
		t.Fatalf("old spelling: %v", err)
	}
}

// Floats that JSON has no number for are written as TVM writes them, and read.
func TestIndexMapOfWords(t *testing.T) {
	for word, v := range map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "-0.0": math.Copysign(0, -1), "2.0": 2} {
		m := &tir.IndexMap{Initial: []*tir.Var{tir.NewVar("NaN", dtype.Int32)}, Final: []tir.Expr{tir.Const(v, dtype.Float32)}}
		text, err := trace.MarshalIndexMap(m)
		if err != nil || !strings.Contains(text, `"value":`+word+"}") {
			t.Fatalf("%s: %v\n%s", word, err, text)
		}
		back, err := trace.ParseIndexMap(text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", word, err, text)
		}
		if got := tir.ExprString(back.Final[0]); got != tir.ExprString(m.Final[0]) || back.Initial[0].Name != "NaN" {
			t.Errorf("%s came back as %s of %s", word, got, back.Initial[0].Name)
		}
	}
}

// A free variable of an index map that is named like a result of sampling
// stands for it.
func TestIndexMapOverResults(t *testing.T) {
	m := schedule.NewIndexMap(2, func(i []tir.Expr) []tir.Expr {
		v := tir.NewVar("v1", i[0].DType())
		return []tir.Expr{tir.FloorDiv(i[1], v), i[0], tir.FloorMod(i[1], v)}
	})
	graph, err := trace.MarshalIndexMap(m)
	if err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(graph)
	in := `[[["GetSBlock",[],["mm","main"],["b0"]],["SampleCategorical",[],[[4,8],[0.5,0.5]],["v1"]],["CacheRead",["b0",["b0"]],[1,"global"],["b2"]],` +
		`["TransformLayout",["b0",` + string(quoted) + `],[1,0,null,false],[]]],[[1,1]]]`
	tr, err := trace.Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, tr); got != in {
		t.Errorf("written:\n%s\nwant\n%s", got, in)
	}
	s := newSchedule(16)
	if err := tr.Replay(s, trace.Options{}); err != nil {
		t.Fatal(err)
	}
	if f := tir.Script(s.Func()); !strings.Contains(f, "B_global = T.sblock_alloc_buffer((2, 16, 8))") {
		t.Errorf("the map did not get 8:\n%s", f)
	}
}

func TestString(t *testing.T) {
	tr, _ := readTrace(t, "cpu_matmul.json")
	got := tr.String()
	for _, want := range []string{
		`b0 = sch.get_sblock("mm", func_name="main")`,
		`sch.annotate(b0, "meta_schedule.tiling_structure", "SSRSRS")`,
		`v5, v6, v7, v8 = sch.sample_perfect_tile(l2, 4, max_innermost_factor=64, decision=[2, 2, 4, 4])`,
		`l9, l10, l11, l12 = sch.split(l2, [v5, v6, v7, v8])`,
		`sch.enter_postproc()`,
		`sch.annotate(b27, "mixed", [v5, 2, "x\\y"])`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no line %s in\n%s", want, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "cpu_matmul.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`[[["GetSBlock",[],["mm","main"],["b0"]],["Split",["l1","None",4],[true],["l4","l5"]]],[]]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := trace.Parse(data)
		if err != nil {
			return
		}
		out, err := tr.MarshalJSON()
		if err != nil {
			t.Skip() // free variables may be used before they are named
		}
		again, err := trace.Parse(out)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if out2, err := again.MarshalJSON(); err != nil || string(out) != string(out2) {
			t.Fatalf("%v\n%s\n%s", err, out, out2)
		}
	})
}
