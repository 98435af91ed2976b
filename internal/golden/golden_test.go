package golden

import (
	"strings"
	"testing"
)

func TestRunFeedsCasesAndComparesOutput(t *testing.T) {
	n := 0
	Run(t, "testdata/*.txt", func(t *testing.T, c *Case) string {
		n++
		if c.Cmd == "nothing" {
			return ""
		}
		out := strings.ToUpper(c.Input)
		if s, ok := c.Arg("suffix"); ok {
			out += s
		}
		if _, ok := c.Arg("twice"); ok {
			out += "\n" + out
		}
		if !strings.Contains(c.Pos, "echo.txt:") {
			t.Errorf("position %q", c.Pos)
		}
		return out
	})
	if n != 3 {
		t.Errorf("ran %d cases, the script has 3", n)
	}
}
