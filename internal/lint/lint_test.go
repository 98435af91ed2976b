package lint

import (
	"slices"
	"strings"
	"testing"
)

func load(t *testing.T) *Graph {
	t.Helper()
	g, err := Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Packages) < 10 || g.Packages["compiler/tir"] == nil {
		t.Fatalf("go list found %d packages", len(g.Packages))
	}
	return g
}

func TestImports(t *testing.T) {
	for _, v := range load(t).Check(Rules, Externals) {
		t.Error(v)
	}
}

func TestSource(t *testing.T) {
	found, err := load(t).CheckSource()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// fake is a graph of packages by their imports.
func fake(imports map[string][]string) *Graph {
	g := &Graph{Module: "m", Packages: map[string]*Package{}}
	for name, list := range imports {
		p := &Package{ImportPath: "m/" + name}
		for _, i := range list {
			if strings.HasPrefix(i, "m/") || external(i) {
				p.Imports = append(p.Imports, i)
			} else {
				p.Imports = append(p.Imports, "m/"+i)
			}
		}
		g.Packages[name] = p
	}
	return g
}

func TestCheckFindsWhatRulesForbid(t *testing.T) {
	g := fake(map[string][]string{
		"low":     {},
		"low/sub": {"low"},
		"mid":     {"low/sub", "github.com/x/y"},
		"leaf":    {"github.com/x/z"},
		"top":     {"mid"},
		"top/ok":  {"low"},
		"odd":     {"top"},
	})
	rules := []Rule{
		{From: []string{"leaf"}, Only: []string{}, Why: leafReason},
		{From: []string{"low/..."}, Only: []string{}, Why: "low"},
		{From: []string{"odd"}, Never: []string{"low/..."}, Except: []string{"low"}, Why: "odd"},
		{From: []string{"mid"}, Only: []string{"low"}, Why: "mid"},
	}
	got := g.Check(rules, []External{{"github.com/x", []string{"top/..."}, "x"}})
	want := []string{
		"leaf must not import github.com/x/z: leaves import the standard library only",
		"leaf must not import github.com/x/z: x",
		"mid must not depend on low/sub (mid → low/sub): mid",
		"mid must not import github.com/x/y: x",
		"odd must not depend on low/sub (odd → top → mid → low/sub): odd",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// planned packages have rules before they have code.
var planned = []string{"web"}

func TestRulesNameExistingPackages(t *testing.T) {
	g := load(t)
	exists := func(p string) bool {
		for name := range g.Packages {
			if matches([]string{p}, name) {
				return true
			}
		}
		return false
	}
	for _, r := range Rules {
		for _, p := range r.From {
			if !exists(p) && !slices.Contains(planned, p) {
				t.Errorf("a rule is about %s, which is nothing: %s", p, r.Why)
			}
		}
	}
}

func TestCheckFile(t *testing.T) {
	found, doc, err := checkFile("pkg", "testdata/bad.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"pkg/bad.go.txt:9: TODO: finish it, or file it",
		`pkg/bad.go.txt:11: panic without "BUG: …": return an error, or say that it is a bug`,
		"pkg/bad.go.txt:5: Bare has no comment",
		"pkg/bad.go.txt:17: Undocumented has no comment",
	}
	if doc || !slices.Equal(found, want) {
		t.Errorf("doc %v, got\n%s", doc, strings.Join(found, "\n"))
	}
}
