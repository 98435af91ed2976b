// Package docs holds the pages for people; this test keeps catalog.md equal to
// what the code registers.
package docs

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hone/compiler/codegen/cgen"
	"hone/compiler/dlight"
	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
	"hone/compiler/onnx"
	"hone/compiler/pipeline"
	"hone/compiler/target"
	"hone/internal/wire"
	"hone/tuner/preset"
)

// rewriting reports whether -rewrite, a flag of the golden scripts, is set.
func rewriting() bool { return flag.Lookup("rewrite").Value.String() == "true" }

func TestCatalog(t *testing.T) {
	c := &catalog{t: t}
	c.all()
	want := c.b.String()
	got, err := os.ReadFile("catalog.md")
	if err == nil && string(got) == want {
		return
	}
	if !rewriting() {
		t.Fatal("docs/catalog.md is stale: go test ./docs -rewrite, and read the diff")
	}
	if err := os.WriteFile("catalog.md", []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// catalog is the page being written.
type catalog struct {
	t *testing.T
	b strings.Builder
}

func (c *catalog) line(format string, args ...any) { fmt.Fprintf(&c.b, format+"\n", args...) }

func (c *catalog) head(title, where string) { c.line("\n## %s\n\n%s\n", title, where) }

func (c *catalog) table(columns ...string) {
	c.line("| %s |", strings.Join(columns, " | "))
	c.line("|%s", strings.Repeat("---|", len(columns)))
}

func (c *catalog) all() {
	c.line("# Catalog\n\nEvery member of every open set, as the code registers them. Written by `go test ./docs -rewrite`.")
	c.operators()
	c.primitives()
	c.conditions()
	c.intrinsics()
	c.moves()
	c.presets()
	c.passes()
	c.functions()
	c.codes()
}

func (c *catalog) operators() {
	names := onnx.Supported()
	c.head(fmt.Sprintf("ONNX operators (%d)", len(names)), "Imported by `compiler/onnx/op_<family>.go` into the graph operators below.")
	c.line("%s.", strings.Join(names, ", "))
	classes := map[graph.Class][]string{}
	ops := graph.Operators()
	for _, op := range ops {
		classes[op.Class] = append(classes[op.Class], op.Name)
	}
	c.head(fmt.Sprintf("Graph operators (%d)", len(ops)), "`compiler/graph/ops`, by how they fuse.")
	c.table("class", "operators")
	for k := graph.Elementwise; k <= graph.Opaque; k++ {
		if len(classes[k]) > 0 {
			c.line("| %s | %s |", k, strings.Join(classes[k], ", "))
		}
	}
}

func (c *catalog) moves() {
	c.head("Moves of the default schedule", "`compiler/dlight`, in order; preset `cpu` makes rules of the same moves.")
	var moves []string
	for _, m := range dlight.Moves {
		moves = append(moves, m.Name)
	}
	c.line("%s.", strings.Join(moves, ", "))
}

func (c *catalog) presets() {
	rules, postprocs, mutators := map[string]bool{}, map[string]bool{}, map[string]bool{}
	c.head("Presets", "`tuner/preset`: rules and postprocessors in order, mutators with their weights.")
	for _, name := range preset.Names() {
		p, err := preset.Lookup(name)
		if err != nil {
			c.t.Fatal(err)
		}
		var rs, ps, ms []string
		for _, r := range p.Rules {
			rs, rules[r.Name()] = append(rs, r.Name()), true
		}
		for _, x := range p.Postprocs {
			ps, postprocs[x.Name()] = append(ps, x.Name()), true
		}
		for _, m := range p.Mutators {
			ms, mutators[m.Mutator.Name()] = append(ms, fmt.Sprintf("%s %.2f", m.Mutator.Name(), m.Weight)), true
		}
		c.line("- **%s** — rules: %s; postprocessors: %s; mutators: %s.", p.Name, strings.Join(rs, ", "), strings.Join(ps, ", "), strings.Join(ms, ", "))
	}
	c.members("Rules", "rule", "Rule", rules)
	c.members("Postprocessors", "postproc", "Postproc", postprocs)
	c.members("Mutators", "mutator", "Mutator", mutators)
}

// members lists the constructors of a package of the tuner: the member of a name
// lives in the file of that stem, and its comment says what it does.
func (c *catalog) members(title, pkg, result string, used map[string]bool) {
	dir := filepath.Join("..", "tuner", pkg)
	found := constructors(c.t, dir, result)
	c.head(fmt.Sprintf("%s (%d)", title, len(found)), fmt.Sprintf("`tuner/%s`, one a file.", pkg))
	c.table("name", "what it does")
	var names []string
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c.line("| %s | %s |", name, found[name])
	}
	for name := range used {
		if found[name] == "" {
			c.t.Errorf("%s %q: no constructor with a comment in %s/%s.go", pkg, name, dir, name)
		}
	}
}

// constructors maps the stem of a file to the first sentence about the exported
// function in it that returns the type.
func constructors(t *testing.T, dir, result string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source in %s (%v)", dir, err)
	}
	out := map[string]string{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && f.Name.IsExported() && returns(f, result) {
				text := strings.TrimPrefix(new(doc.Package).Synopsis(f.Doc.Text()), f.Name.Name+" ")
				out[strings.TrimSuffix(filepath.Base(path), ".go")] = text
			}
		}
	}
	return out
}

func returns(f *ast.FuncDecl, name string) bool {
	if f.Type.Results == nil || len(f.Type.Results.List) != 1 {
		return false
	}
	id, ok := f.Type.Results.List[0].Type.(*ast.Ident)
	return ok && id.Name == name
}

func (c *catalog) passes() {
	c.head("Graph passes", "`compiler/graph/graphopt`, in order.")
	c.table("pass", "what it does, and why there")
	for _, p := range graphopt.Passes {
		c.line("| %s | %s |", p.Name, p.Why)
	}
	c.head("Lowering passes for CPUs", "`compiler/pipeline/cpu.go`, in order; `hone ir lower --after PASS` prints what one leaves.")
	c.table("pass", "why there")
	for _, p := range pipeline.CPU {
		c.line("| %s | %s |", p.Name, p.Why)
	}
}

func (c *catalog) functions() {
	c.head("Mathematical functions", "`compiler/codegen/cgen/math.go`: the largest error in units in the last place, which its tests hold.")
	c.table("function", "float32", "float64")
	for _, f := range cgen.Functions() {
		c.line("| %s | %g | %g |", f.Name, f.ULP32, f.ULP64)
	}
	c.head("Target tags", "`compiler/target`; `native` describes this machine.")
	c.line("%s.", strings.Join(target.Tags(), ", "))
}

func (c *catalog) codes() {
	c.head("Codes", "`internal/wire/codes.go`: how a trial or a work item ends. A charged trial counts against the budget.")
	c.table("code", "tried again", "charged", "text")
	for _, x := range wire.Codes {
		charged := "no"
		if x.Charged {
			charged = "yes"
		}
		c.line("| `%s` | %s | %s | %s |", x.Code, x.Retry, charged, x.Text)
	}
}
