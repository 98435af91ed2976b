package trace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/trace"
)

// withMaps are the kinds whose instructions hold index maps: graph_test.go and the
// scripts of package schedule write and read these.
var withMaps = map[string]bool{"TransformLayout": true, "TransformBlockLayout": true, "ReindexCacheRead": true,
	"ReindexCacheWrite": true, "AnnotateBufferAccess": true}

// The JSON form of every kind, byte for byte.
func TestKindsAreWrittenAsRead(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "kinds.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		tr, err := trace.Parse([]byte(line))
		if err != nil {
			t.Errorf("%v\n%s", err, line)
			continue
		}
		if got, err := tr.MarshalJSON(); err != nil || string(got) != line {
			t.Errorf("%v: written as\n%s\nread from\n%s", err, got, line)
		}
	}
	for _, k := range schedule.Kinds() {
		if !withMaps[k.Name] && !strings.Contains(string(data), `["`+k.Name+`",`) {
			t.Errorf("testdata/kinds.jsonl has no %s", k.Name)
		}
	}
}
