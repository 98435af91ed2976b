package onnx

import (
	"os/exec"
	"path/filepath"
	"testing"

	"hone/internal/peer"
)

// TestRuntimeCases runs the cases of ort_cases.py: every option of the recurrent and
// the quantised operators, answered by ONNX Runtime.
func TestRuntimeCases(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python")
	}
	dir := t.TempDir()
	cmd := exec.Command(peer.Python(t, "onnx", "onnxruntime"), "testdata/ort_cases.py", dir)
	if log, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	cases, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(cases) < 45 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, c := range cases {
		if err := runCase(c); err != nil {
			t.Errorf("%s: %v", filepath.Base(c), err)
		}
	}
}
