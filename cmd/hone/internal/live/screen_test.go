package live

import (
	"bytes"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

func TestScreenLeavesTheLastTable(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out, New(twoTasks()), tea.WithWindowSize(100, 40))
	for _, e := range tell(t) {
		if err := s.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	s.Note("a word about it")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	text := ansi.Strip(out.String())
	for _, want := range []string{"conv_relu", "6 of 6 trials", "14.0 ms → 5.00 ms", "a word about it"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on the screen:\n%s", want, text)
		}
	}
}
