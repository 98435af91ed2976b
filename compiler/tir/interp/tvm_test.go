package interp_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"os/exec"
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir/interp"
	"hone/compiler/tir/tvmscript"
	"hone/internal/peer"
)

// peerTensor is an argument as testdata/tvm_run.py writes it.
type peerTensor struct {
	DType string
	Shape []int64
	Data  string
}

func (p peerTensor) tensor(t *testing.T) *dtype.Tensor {
	t.Helper()
	d, err := dtype.Parse(p.DType)
	if err != nil {
		t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(p.Data)
	if err != nil {
		t.Fatal(err)
	}
	x := &dtype.Tensor{Type: d, Shape: p.Shape, Data: data}
	if err := x.CheckBytes(); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestAgainstTVM holds the interpreter against functions that TVM compiled with
// LLVM and ran, scheduled ones included, with every check on.
func TestAgainstTVM(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python")
	}
	python := peer.Python(t, "tvm")
	cmd := exec.Command(python, "testdata/tvm_run.py")
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	n := 0
	for lines := newLines(out); lines.Scan(); n++ {
		var c struct {
			Name, Script  string
			Before, After []peerTensor
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%v in %.200s", err, lines.Text())
		}
		t.Run(c.Name, func(t *testing.T) { comparePeer(t, c.Script, c.Before, c.After) })
	}
	if n < 40 {
		t.Errorf("only %d functions from TVM", n)
	}
}

func comparePeer(t *testing.T, script string, before, after []peerTensor) {
	f, err := tvmscript.ParseFunc(script)
	if err != nil {
		t.Fatal(err)
	}
	args := make([]*dtype.Tensor, len(before))
	for i, p := range before {
		args[i] = p.tensor(t)
	}
	if err := interp.RunWith(f, args, interp.Options{Regions: true, Uninitialised: true, Races: true}); err != nil {
		t.Fatalf("%v\n%s", err, script)
	}
	for i, p := range after {
		want := p.tensor(t)
		for k := range want.Len() {
			if !close(args[i].Float(k), want.Float(k), want.Type) {
				t.Fatalf("argument %d, element %d: %v, TVM has %v\n%s", i, k, args[i].Float(k), want.Float(k), script)
			}
		}
	}
}

// close compares up to what contraction and other expansions of intrinsics may
// change; integers must be equal.
func close(a, b float64, t dtype.DType) bool {
	if !t.IsFloat() || a == b || a != a && b != b {
		return a == b || a != a && b != b
	}
	eps := 2e-5
	if t.Bits == 16 {
		eps = 2e-3
	}
	return math.Abs(a-b) <= eps*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}

func newLines(out []byte) *bufio.Scanner {
	s := bufio.NewScanner(bytes.NewReader(out))
	s.Buffer(nil, 16<<20)
	return s
}
