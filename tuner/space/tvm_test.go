package space_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/internal/peer"
	"hone/internal/rng"
	"hone/tuner/preset"
	"hone/tuner/space"
	"hone/tuner/tunertest"
)

// asked is a function with schedules to postprocess; answer is what TVM says.
type asked struct {
	Func   string            `json:"func"`
	Target map[string]any    `json:"target"`
	Traces []json.RawMessage `json:"traces"`
}

type answer struct {
	Sketches []json.RawMessage
	Done     []string
}

func askTVM(t *testing.T, cases []asked) []answer {
	t.Helper()
	if os.Getenv("HONE_TEST_ALL") == "" {
		t.Skip("set HONE_TEST_ALL=1 to compare with Apache TVM")
	}
	python := peer.Python(t, "tvm")
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, filepath.Join("testdata", "tvm_space.py"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var res []answer
	if err := json.Unmarshal(out, &res); err != nil || len(res) != len(cases) {
		t.Fatalf("%d answers to %d cases: %v", len(res), len(cases), err)
	}
	return res
}

// parities are presets with the targets for which TVM has such a space by default.
var parities = map[string]map[string]any{
	"cpu-parity":         {"kind": "llvm", "num-cores": 4},
	"cpu-parity-vnni":    {"kind": "llvm", "mcpu": "cascadelake", "num-cores": 4},
	"cpu-parity-dotprod": {"kind": "llvm", "mtriple": "aarch64-linux-gnu", "mattr": []string{"+neon", "+dotprod"}, "num-cores": 4},
}

// The spaces of cpu-parity and its relatives have the sketches of TVM's default lists,
// in the same order and instruction by instruction, and postprocessing makes the same
// functions of them.
func TestParityAgainstTVM(t *testing.T) {
	for name, theirs := range parities {
		t.Run(name, func(t *testing.T) { parityAgainstTVM(t, name, theirs) })
	}
}

func parityAgainstTVM(t *testing.T, name string, theirTarget map[string]any) {
	var names []string
	for n := range tunertest.Workloads {
		if name == "cpu-parity" || strings.HasPrefix(n, "dot_") || n == "matmul_relu" {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	tgt := tunertest.Target(t, "avx2", "4")
	p, err := preset.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	var cases []asked
	var sketches, done [][]string
	for _, n := range names {
		f := tunertest.Workloads[n]()
		spaces, _, err := space.Generate(f, p, &tgt)
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		c := asked{Func: tir.Script(f), Target: theirTarget}
		var ours, ends []string
		for i, sp := range spaces {
			ours = append(ours, string(marshal(t, sp.Sketch)))
			for k := range 6 {
				tr, end := finished(t, f, sp, p, rng.New(14, n, i, k), &tgt)
				c.Traces = append(c.Traces, marshal(t, tr))
				ends = append(ends, end)
			}
		}
		cases = append(cases, c)
		sketches, done = append(sketches, ours), append(done, ends)
	}
	for i, a := range askTVM(t, cases) {
		var theirs []string
		for _, s := range a.Sketches {
			tr, err := trace.Parse(s)
			if err != nil {
				t.Fatalf("%s: TVM's trace: %v", names[i], err)
			}
			tr.Decisions = make([]any, tr.Len())
			theirs = append(theirs, string(marshal(t, tr)))
		}
		if !slices.Equal(theirs, sketches[i]) {
			t.Errorf("%s: sketches differ\n--- hone\n%s\n--- TVM\n%s", names[i], strings.Join(sketches[i], "\n"), strings.Join(theirs, "\n"))
		}
		for k, end := range a.Done {
			// A mark that is true there is 1 here, as in a stored trace.
			end = strings.ReplaceAll(end, `"meta_schedule.layout_rewrite_preproc": True`, `"meta_schedule.layout_rewrite_preproc": 1`)
			if refused := strings.HasPrefix(end, "error: "); refused != strings.HasPrefix(done[i][k], "refused: ") || !refused && sorted(end) != sorted(done[i][k]) {
				t.Errorf("%s, trace %d: postprocessing differs\n%s\n--- hone\n%s\n--- TVM\n%s", names[i], k, cases[i].Traces[k], done[i][k], end)
			}
		}
	}
}

func marshal(t *testing.T, tr trace.Trace) []byte {
	t.Helper()
	text, err := tr.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// finished draws the decisions of a sketch and postprocesses it; the text
// says why when the candidate is rejected.
func finished(t *testing.T, f *tir.PrimFunc, sp space.Space, ps preset.Preset, r *rng.Rand, tgt *target.Target) (trace.Trace, string) {
	t.Helper()
	s := schedule.NewFunc(f, r)
	if err := sp.Sketch.Replay(s, trace.Options{}); err != nil {
		t.Fatal(err)
	}
	tr := trace.Of(s)
	if err := s.EnterPostproc(); err != nil {
		t.Fatal(err)
	}
	for _, p := range ps.Postprocs {
		if err := p.Apply(s, tgt); err != nil {
			return tr, "refused: " + err.Error()
		}
	}
	return tr, tir.Script(s.Func())
}

var binding = regexp.MustCompile(`(?m)(T\.axis\.\w+\(\d+, )(.*)\)$`)

// local is the definition of a name in an intrinsic.
var local = regexp.MustCompile(`(?m)^ +(\w+): T\.\w+ = `)

// sorted puts the terms of bindings in one order: the two systems sort sums that
// mean the same in different ways now and then. The names in intrinsics are numbers.
func sorted(text string) string {
	for i, m := range local.FindAllStringSubmatch(text, -1) {
		text = regexp.MustCompile(`\b`+m[1]+`\b`).ReplaceAllString(text, fmt.Sprint("v", i))
	}
	return binding.ReplaceAllStringFunc(text, func(line string) string {
		m := binding.FindStringSubmatch(line)
		terms := strings.Split(m[2], " + ")
		slices.Sort(terms)
		return m[1] + strings.Join(terms, " + ") + ")"
	})
}
