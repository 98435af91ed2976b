package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hone/compiler/dtype"
	"hone/compiler/dtype/npy"
	"hone/rpcrunner/agent"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"hone":       func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"hone-agent": func() { os.Exit(agent.Main("hone-agent", os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs testdata/*.txtar; `go test -run Scripts -update` rewrites the
// files that outputs are compared with.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: os.Getenv("HONE_UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			e.Setenv("DEMO", filepath.Join(root, "testdata/models/demo"))
			e.Setenv("HONE_DATA_DIR", filepath.Join(e.WorkDir, "state"))
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			e.Setenv("HONE_CC", "")
			return nil
		},
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "onnx": writeONNX, "ones": writeOnes},
		Condition: condition,
	})
}

// exits runs a command and wants its exit code: `exits 2 hone frobnicate`.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND …")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		got = -1
		if _, scanErr := fmt.Sscanf(err.Error(), "exit status %d", &got); scanErr != nil {
			ts.Fatalf("%v", err)
		}
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	// One clear line, and never a trace of the stack.
	if text := ts.ReadFile("stderr"); strings.Contains(text, "goroutine ") || strings.Contains(text, "panic:") {
		ts.Fatalf("it crashed:\n%s", text)
	}
}

// condition knows [namespaces], whether mounts can be tried out, and [all],
// whether long tests are wanted.
func condition(name string) (bool, error) {
	switch name {
	case "namespaces":
		return exec.Command("unshare", "-m", "true").Run() == nil, nil
	case "all":
		return os.Getenv("HONE_TEST_ALL") != "", nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// writeONNX writes a model with one node: `onnx OP FILE`. Its input x is a
// float32 tensor of shape (batch, 4).
func writeONNX(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: onnx OP FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), oneNode(args[0]), 0o644))
}

// writeOnes writes a float32 vector of ones: `ones FILE N`.
func writeOnes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ones FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	x := dtype.NewTensor(dtype.Float32, int64(n))
	for i := range n {
		x.SetFloat(i, 1)
	}
	ts.Check(npy.WriteFile(ts.MkAbs(args[0]), x))
}

// field and number are the two shapes of protobuf fields that a model needs.
func field(n int, parts ...[]byte) []byte {
	var body []byte
	for _, p := range parts {
		body = append(body, p...)
	}
	return append([]byte{byte(n<<3 | 2), byte(len(body))}, body...)
}

func number(n, value int) []byte { return []byte{byte(n << 3), byte(value)} }

func oneNode(op string) []byte {
	value := func(name string) []byte {
		shape := field(2, field(1, field(2, []byte("batch"))), field(1, number(1, 4)))
		return append(field(1, []byte(name)), field(2, field(1, number(1, 1), shape))...)
	}
	node := field(1, field(1, []byte("x")), field(2, []byte("y")), field(3, []byte("the_node")), field(4, []byte(op)))
	graph := field(7, node, field(2, []byte("g")), field(11, value("x")), field(12, value("y")))
	return append(append(number(1, 7), graph...), field(8, number(2, 13))...)
}
