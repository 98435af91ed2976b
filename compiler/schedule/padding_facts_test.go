package schedule_test

import (
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/schedule/script"
)

// TestFactsOfPadding: what transform_layout claims nothing of says so, rather than
// that bindings are not affine or reads not produced.
func TestFactsOfPadding(t *testing.T) {
	m, _ := loadModule(t, "matmul60")
	s := schedule.New(m, nil)
	const call = `sch.transform_layout("mm", ("read", 0), lambda i, k: (i // 16, k // 16, i % 16, k % 16), pad_value=0.0)`
	if err := script.Run(s, "", call); err != nil {
		t.Fatal(err)
	}
	blocks, err := s.Facts("main")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks[:2] {
		for _, f := range b.Facts[:3] {
			if !strings.Contains(f.Why, "transform_layout") {
				t.Errorf("%s: %s: %t %q", b.Block, f.Name, f.Holds, f.Why)
			}
		}
	}
}
