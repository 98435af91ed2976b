package preset_test

import (
	"fmt"
	"strings"
	"testing"

	"hone/internal/golden"
	"hone/tuner/preset"
)

// The tables, as they are read aloud: what a script line `preset NAME` answers.
func TestPresets(t *testing.T) {
	asked := map[string]bool{}
	golden.Run(t, "testdata/*.txt", func(t *testing.T, c *golden.Case) string {
		for _, name := range preset.Names() {
			if _, ok := c.Arg(name); ok {
				asked[name] = true
				return table(t, name)
			}
		}
		t.Fatalf("%s: no such preset", c.Pos)
		return ""
	})
	for _, name := range preset.Names() {
		if !asked[name] {
			t.Errorf("no script asks for the preset %s", name)
		}
	}
}

func table(t *testing.T, name string) string {
	p, err := preset.Lookup(name)
	if err != nil || p.Name != name {
		t.Fatalf("%s: %q, %v", name, p.Name, err)
	}
	var b strings.Builder
	for i, r := range p.Rules {
		fmt.Fprintf(&b, "rule %d: %s\n", i+1, r.Name())
	}
	for i, x := range p.Postprocs {
		fmt.Fprintf(&b, "postproc %d: %s\n", i+1, x.Name())
	}
	for _, m := range p.Mutators {
		fmt.Fprintf(&b, "mutator %.2f: %s\n", m.Weight, m.Mutator.Name())
	}
	return b.String()
}
