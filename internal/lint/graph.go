package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sort"
	"strings"
)

// Package is one package of the repository.
type Package struct {
	ImportPath string
	Dir        string
	GoFiles    []string // without tests, of this platform
	Imports    []string // of GoFiles
	Standard   bool
}

// Graph is the import graph of a module. Paths of its own packages are relative
// to the module: "compiler/tir".
type Graph struct {
	Module   string
	Packages map[string]*Package
}

// Load lists the packages below root, the directory of go.mod.
func Load(root string) (*Graph, error) {
	mod, err := run(root, "list", "-m")
	if err != nil {
		return nil, err
	}
	out, err := run(root, "list", "-e", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	if err != nil {
		return nil, err
	}
	g := &Graph{Module: strings.TrimSpace(string(mod)), Packages: map[string]*Package{}}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &Package{}
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return g, nil
		} else if err != nil {
			return nil, fmt.Errorf("output of go list: %w", err)
		}
		g.Packages[g.local(p.ImportPath)] = p
	}
}

func run(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, log.String())
	}
	return out, nil
}

// local strips the module from a path; other paths stay.
func (g *Graph) local(path string) string {
	if rest, ok := strings.CutPrefix(path, g.Module+"/"); ok {
		return rest
	}
	return path
}

// own reports whether an import is a package of the module.
func (g *Graph) own(path string) bool { return strings.HasPrefix(path, g.Module+"/") }

// external reports whether an import belongs to another module: its first
// element has a dot.
func external(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".")
}

// names lists the packages in order.
func (g *Graph) names() []string {
	out := make([]string, 0, len(g.Packages))
	for n := range g.Packages {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// reach walks everything that from imports, directly or not, with the shortest
// chain to each.
func (g *Graph) reach(from string) map[string][]string {
	chains := map[string][]string{from: {from}}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		p := g.Packages[queue[0]]
		if p == nil {
			continue
		}
		for _, i := range p.Imports {
			d := g.local(i)
			if _, seen := chains[d]; seen || !g.own(i) {
				continue
			}
			chains[d] = append(append([]string(nil), chains[queue[0]]...), d)
			queue = append(queue, d)
		}
	}
	delete(chains, from)
	return chains
}
