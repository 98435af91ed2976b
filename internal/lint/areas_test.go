package lint

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write generated sections of pages anew")

func TestAreas(t *testing.T) {
	for _, v := range load(t).CheckAreas() {
		t.Error(v)
	}
}

// TestArchitecture holds the graph of packages in ARCHITECTURE.md against the
// imports.
func TestArchitecture(t *testing.T) {
	const path = "../../ARCHITECTURE.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Section(string(page), "packages", "```\n"+load(t).Map()+"```")
	if err != nil {
		t.Fatal(err)
	}
	if want == string(page) {
		return
	}
	if !*rewrite {
		t.Fatal("the graph of packages in ARCHITECTURE.md is stale: go test ./internal/lint -rewrite, and read the diff")
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// programs makes packages of a fake graph more than tests.
func programs(g *Graph) *Graph {
	for _, p := range g.Packages {
		p.GoFiles = []string{"x.go"}
	}
	return g
}

func TestMap(t *testing.T) {
	g := programs(fake(map[string][]string{
		"cmd/x":        {"m/compiler", "m/internal/y", "github.com/a/b"},
		"compiler":     {"m/compiler/low", "m/compiler/mid", "m/internal/y"},
		"compiler/mid": {"m/compiler/low"},
		"compiler/low": {},
		"internal/y":   {},
	}))
	want := `cmd
  ./x                    compiler
compiler
  compiler               ./mid  internal/y
  ./mid                  ./low
  ./low
internal
  ./y
`
	if got := g.Map(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCheckAreasFindsWhatGoesUp(t *testing.T) {
	g := programs(fake(map[string][]string{
		"cost":  {"m/tuner", "m/internal/y"},
		"tuner": {}, "internal/y": {}, "odd/x": {},
	}))
	want := []string{
		"cost must not import tuner: tuner stands above it (lint.Areas)",
		"odd/x: no area of the house begins so (lint.Areas)",
	}
	if got := g.CheckAreas(); !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestSection(t *testing.T) {
	page := "a\n<!-- begin x (how) -->\nold\n<!-- end x -->\nb\n"
	got, err := Section(page, "x", "new\n")
	if want := "a\n<!-- begin x (how) -->\nnew\n<!-- end x -->\nb\n"; err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	for _, bad := range []string{"a\n", "<!-- end x -->\n<!-- begin x -->\n", "<!-- begin x -->"} {
		if got, err := Section(bad, "x", "new"); err == nil {
			t.Errorf("%q gave %q", bad, got)
		}
	}
}
