package runtime_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hone/compiler/runtime"
	"hone/internal/cc"
)

// A library is looked at before the system loads it, and weights that were damaged
// without changing their length are found on request.
func TestDamageIsFound(t *testing.T) {
	path := build(t, testModel(), false, "")
	file, weights := weightsOf(t, path)
	weights[len(weights)-1] ^= 4
	if err := os.WriteFile(file, weights, 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := runtime.Open(path, runtime.Options{}); err != nil {
		t.Errorf("without a look at the weights: %v", err)
	} else {
		m.Close()
	}
	if _, err := runtime.Open(path, runtime.Options{Verify: true}); err == nil || !strings.Contains(err.Error(), "the weights are damaged") {
		t.Errorf("error %v", err)
	}
	lib, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{10, 100, len(lib) / 4, len(lib) / 2} {
		short := filepath.Join(t.TempDir(), "short.so")
		if err := os.WriteFile(short, lib[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := runtime.Open(short, runtime.Options{}); err == nil || !strings.Contains(err.Error(), "not a library") && !strings.Contains(err.Error(), "cut short") {
			t.Errorf("%d of %d bytes: %v", n, len(lib), err)
		}
	}
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	text := filepath.Join(t.TempDir(), "a.so")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := runtime.Open(text, runtime.Options{}); err == nil || !strings.Contains(err.Error(), "not a library made by hone compile") {
		t.Errorf("error %v", err)
	}
	if _, err := runtime.Open(filepath.Join(t.TempDir(), "none.so"), runtime.Options{}); !os.IsNotExist(err) {
		t.Errorf("error %v", err)
	}
	tc, _ := setup(t, "")
	obj, err := tc.Compile(context.Background(), cc.Unit{Text: "int x;\n", Flags: []string{"-fPIC"}})
	if err != nil {
		t.Fatal(err)
	}
	img, err := tc.LinkShared(context.Background(), [][]byte{obj}, cc.LinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, img, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := runtime.Open(text, runtime.Options{}); err == nil || !strings.Contains(err.Error(), "not a library made by hone compile") {
		t.Errorf("error %v", err)
	}
}
