package peer_test

import (
	"os/exec"
	"strings"
	"testing"

	"hone/internal/peer"
)

// recorder stands in for a test that is skipped.
type recorder struct {
	testing.TB
	why string
}

func (r *recorder) Helper()          {}
func (r *recorder) Skip(args ...any) { r.why = args[0].(string); panic(r) }

func TestPython(t *testing.T) {
	path := peer.Python(t, "sys", "json")
	if out, err := exec.Command(path, "-c", "print(6*7)").Output(); err != nil || strings.TrimSpace(string(out)) != "42" {
		t.Errorf("%s: %q, %v", path, out, err)
	}
	r := &recorder{TB: t}
	defer func() {
		if recover() != any(r) || !strings.HasSuffix(r.why, " has no no_such_module") {
			t.Errorf("skipped with %q", r.why)
		}
	}()
	peer.Python(r, "json", "no_such_module")
	t.Error("not skipped")
}
