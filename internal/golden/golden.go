// Package golden runs scripts of cases kept in text files, the tests that read
// like a conversation:
//
//	command arg key=value
//	input, any number of lines
//	----
//	expected output
//
// Output that contains blank lines stands between doubled ---- lines. Lines that
// start with # are comments. Run the test with -rewrite to write what the code
// says now, then read the diff. Start from Run.
//
// The package imports nothing of Hone.
package golden

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// Case is one command of a script.
type Case struct {
	Cmd   string
	Input string
	Pos   string // file:line
	args  []datadriven.CmdArg
}

// Arg returns the value of a `key=value` argument; a bare `key` gives "".
func (c *Case) Arg(key string) (string, bool) {
	for _, a := range c.args {
		if a.Key == key {
			return strings.Join(a.Vals, ","), true
		}
	}
	return "", false
}

// Run executes every case of the files that match pattern, each file as a
// subtest named after it, and compares what f returns with the file. A pattern
// without files fails the test.
func Run(t *testing.T, pattern string, f func(t *testing.T, c *Case) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no script matches %s (%v)", pattern, err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), func(t *testing.T) {
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				t.Helper()
				out := f(t, &Case{d.Cmd, d.Input, d.Pos, d.CmdArgs})
				if out != "" && !strings.HasSuffix(out, "\n") {
					out += "\n"
				}
				return out
			})
		})
	}
}
