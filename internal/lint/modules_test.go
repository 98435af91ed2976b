package lint

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryModuleHasAReason holds the table of libraries against go.mod.
func TestEveryModuleHasAReason(t *testing.T) {
	const path = "../../docs/adr/0011-libraries.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	direct, err := Requirements("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(direct) < 5 {
		t.Fatalf("go.mod requires %v", direct)
	}
	var listed []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			listed = append(listed, m[1])
		}
	}
	for _, m := range direct {
		if !slices.Contains(listed, m) {
			t.Errorf("go.mod requires %s: give the reason in %s, or do without it", m, path)
		}
	}
	for _, m := range listed {
		if !slices.Contains(direct, m) {
			t.Errorf("%s lists %s, which go.mod does not require directly", path, m)
		}
	}
}
