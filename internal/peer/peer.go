// Package peer finds what tests and benchmarks compare Hone with and skips, by
// name, what is not installed. Only tests import it; it imports the standard
// library. Start from Python.
package peer

import (
	"os/exec"
	"strings"
	"testing"
)

// interpreters are tried in order; distributions put packages under a versioned
// one beside their own.
var interpreters = []string{"python3.11", "python3"}

// find prints the modules among its arguments that are not installed, without
// importing any.
const find = "import importlib.util as u,sys; print(*[m for m in sys.argv[1:] if u.find_spec(m) is None])"

// Python is an interpreter that has all the modules; else the test is skipped
// with the names of those missing.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	why := "python3 is not installed"
	for _, name := range interpreters {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.Command(path, append([]string{"-c", find}, modules...)...).Output()
		missing := strings.TrimSpace(string(out))
		if err == nil && missing == "" {
			return path
		}
		why = name + " has no " + missing
	}
	t.Skip(why)
	return ""
}
