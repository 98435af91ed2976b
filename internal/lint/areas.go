package lint

import (
	"fmt"
	"sort"
	"strings"
)

// Areas are the beginnings of package paths, top to bottom: a package imports
// from its own area and from those below it. The longest beginning counts:
// bench/workload makes functions for everybody's tests.
var Areas = []string{"cmd", "bench", "scheduler", "rpcrunner", "tuner", "cost", "bench/workload", "compiler", "db", "api", "web", "internal"}

// area is the index in Areas of a package's area, -1 for none.
func area(name string) int {
	at := -1
	for i, a := range Areas {
		if matches([]string{a + "/..."}, name) && (at < 0 || len(a) > len(Areas[at])) {
			at = i
		}
	}
	return at
}

// CheckAreas returns packages outside every area, and imports that go up.
func (g *Graph) CheckAreas() []string {
	var out []string
	for _, name := range g.programs() {
		if area(name) < 0 {
			out = append(out, name+": no area of the house begins so (lint.Areas)")
			continue
		}
		for _, d := range g.needs(name) {
			if area(d) >= 0 && area(d) < area(name) {
				out = append(out, fmt.Sprintf("%s must not import %s: %s stands above it (lint.Areas)", name, d, Areas[area(d)]))
			}
		}
	}
	return out
}

// programs lists the packages that are more than tests.
func (g *Graph) programs() []string {
	var out []string
	for _, name := range g.names() {
		if len(g.Packages[name].GoFiles) > 0 {
			out = append(out, name)
		}
	}
	return out
}

// needs lists the packages of the module that one imports, sorted.
func (g *Graph) needs(name string) []string {
	var out []string
	for _, i := range g.Packages[name].Imports {
		if g.own(i) {
			out = append(out, g.local(i))
		}
	}
	sort.Strings(out)
	return out
}

// Map is the graph of packages as text, for people: one block an area, and in
// it a line a package with what it stands on. Packages stand below everything
// that imports them, and an import that another one implies is left out.
func (g *Graph) Map() string {
	heights := map[string]int{}
	var b strings.Builder
	for i, a := range Areas {
		var names []string
		for _, name := range g.programs() {
			if area(name) == i {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			continue
		}
		sort.SliceStable(names, func(x, y int) bool { return g.height(names[x], heights) > g.height(names[y], heights) })
		fmt.Fprintf(&b, "%s\n", a)
		for _, name := range names {
			var on []string
			for _, d := range g.reduced(name) {
				on = append(on, within(a, d))
			}
			fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %-22s %s", within(a, name), strings.Join(on, "  ")), " "))
		}
	}
	return b.String()
}

// height is the longest way down from a package.
func (g *Graph) height(name string, known map[string]int) int {
	h, ok := known[name]
	if ok || g.Packages[name] == nil {
		return h
	}
	for _, d := range g.needs(name) {
		h = max(h, 1+g.height(d, known))
	}
	known[name] = h
	return h
}

// reduced is needs without what the others reach.
func (g *Graph) reduced(name string) []string {
	implied := map[string]bool{}
	for _, d := range g.needs(name) {
		for r := range g.reach(d) {
			implied[r] = true
		}
	}
	var out []string
	for _, d := range g.needs(name) {
		if !implied[d] {
			out = append(out, d)
		}
	}
	return out
}

// within spells a package as its area does: "./x" for a package of the area.
func within(area, name string) string {
	if rest, ok := strings.CutPrefix(name, area+"/"); ok {
		return "./" + rest
	}
	return name
}
