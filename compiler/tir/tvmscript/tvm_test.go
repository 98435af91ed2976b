package tvmscript

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"sort"
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/internal/peer"
)

// TestTVM holds the format against TVM itself: scripts that TVM prints are read
// and printed back byte for byte; TVM reads what Hone prints as the same
// function, and prints Hone's own functions as Hone does.
func TestTVM(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python")
	}
	python := peer.Python(t, "tvm")
	cmd := exec.Command(python, "testdata/tvm_peer.py")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := func() string {
		in.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		return log.String()
	}
	lines := bufio.NewReaderSize(out, 1<<20)
	theirs := readJSON(t, lines, stop)
	ours := map[string]string{}
	for _, name := range names(theirs) {
		if text, ok := reprint(t, name, theirs[name]); ok {
			ours[name] = text
		}
	}
	if len(ours) < 30 {
		t.Fatalf("only %d scripts from TVM", len(ours))
	}
	for name, text := range ownFunctions(t) {
		ours[name] = text
	}
	data, _ := json.Marshal(ours)
	if _, err := in.Write(append(data, '\n')); err != nil {
		t.Fatalf("%v\n%s", err, stop())
	}
	report := readJSON(t, lines, stop)
	stop()
	for _, name := range names(report) {
		t.Errorf("%s, printed as\n%s\nTVM says: %s", name, ours[name], report[name])
	}
}

// readJSON reads one line of the peer; stop ends it and gives its messages.
func readJSON(t *testing.T, r *bufio.Reader, stop func() string) map[string]string {
	t.Helper()
	m := map[string]string{}
	line, err := r.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &m)
	}
	if err != nil {
		log := stop()
		t.Fatalf("%v in %.200q\n%s", err, line, log)
	}
	return m
}

func names(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// reprint reads one script of TVM and prints it again.
func reprint(t *testing.T, name, script string) (string, bool) {
	m, err := Parse(name, script)
	if err != nil {
		t.Errorf("%v", err)
		return "", false
	}
	text := printed(m, script)
	if text != script {
		t.Errorf("%s comes back changed, first line:\n%s", name, firstDifference(text, script))
	}
	roundTrip(t, name, m, text)
	return text, true
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
	return "one text is the beginning of the other"
}

// ownFunctions are scripts of functions that TVM has not seen. Left out are the
// forms in which Hone differs on purpose: T.Min and T.Mod where T.min would fold,
// and T.Let, which TVM prints but does not read.
func ownFunctions(t *testing.T) map[string]string {
	out := map[string]string{}
	f, err := analysis.InferRegions(softmaxLike())
	if err != nil {
		t.Fatal(err)
	}
	out["own softmax"] = tir.Script(f)
	for _, line := range []string{"i // 2 % 3 // (i * 2) * (i * (i * 2))", "T.Add(i, 0)", "(not p) == p", "T.LT(1, 2)",
		"T.And(p, T.bool(True))", "i + j << 1", "~(i + j)", "i & 0", "T.Select(i < 2, i, j)", "T.float64(0.0001)",
		"T.int64(-9223372036854775808)", "i < j and (p or i == 3)", "p or (p or p)", "A[i, T.Ramp(0, 2, 4)]", "-1 * i", "i - -1", "not not p"} {
		m, err := Parse(line, exprFrame+"T.evaluate("+line+")")
		if err != nil {
			t.Fatal(err)
		}
		if s := tir.Script(m.Funcs[0]); strings.Contains(s, "("+line+")") {
			out["own "+line] = s
		} else {
			t.Errorf("%s prints as %s", line, s)
		}
	}
	return out
}

// softmaxLike is a function of several stages with reductions and intrinsics.
func softmaxLike() *tir.PrimFunc {
	b := tir.NewBuilder("softmax")
	x, y := b.Param("X", dtype.Float32, 8, 100), b.Param("Y", dtype.Float32, 8, 100)
	top, sum := b.Alloc("top", dtype.Float32, 8), b.Alloc("sum", dtype.Float32, 8)
	at := func(p *tir.Buffer, i ...tir.Expr) tir.Expr { return &tir.Load{Buffer: p, Indices: i} }
	exp := func(row, col tir.Expr) tir.Expr {
		return &tir.Call{Op: "exp", Args: []tir.Expr{tir.Sub(at(x, row, col), at(top, row))}, Type: dtype.Float32}
	}
	lowest := func([]tir.Expr) tir.Expr { return tir.Const(-65504, dtype.Float32) }
	b.ReduceBy("top", top, []int64{100}, lowest, func(acc tir.Expr, s, r []tir.Expr) tir.Expr { return tir.Max(acc, at(x, s[0], r[0])) })
	b.ReduceSum("sum", sum, []int64{100}, func(s, r []tir.Expr) tir.Expr { return exp(s[0], r[0]) })
	b.Compute("Y", y, func(i []tir.Expr) tir.Expr { return tir.Div(exp(i[0], i[1]), at(sum, i[0])) })
	return b.Func()
}
