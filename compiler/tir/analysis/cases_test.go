package analysis_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// eachCase holds what facts says about every script of testdata/<dir> against the
// comments below its line "# ----", which TVM 0.27 wrote (testdata/record.py).
func eachCase(t *testing.T, dir string, facts func(t *testing.T, src string) string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.py"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".py"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			src, want, _ := strings.Cut(string(text), "# ----\n")
			if got := facts(t, src); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}
