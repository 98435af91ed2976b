package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// Hard limits; aim well below them (functions of 10 to 40 lines, files of 65 to
// 170). Tests and generated files are exempt.
const (
	maxFuncLines = 75
	maxFileLines = 500
)

// personal are paths into somebody's own directories.
var personal = regexp.MustCompile(`/(root|home|work|Users)/[A-Za-z]\w*`)

// unfinished marks work that somebody meant to come back to.
var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

// CheckSource reads every Go file of the repository, tests included, and returns
// what breaks the rules: markers of unfinished work, paths of somebody's
// machine, packages without a comment, panics that are no bug reports, exported
// names without a comment, files and functions that are too long.
func (g *Graph) CheckSource() ([]string, error) {
	var out []string
	for _, name := range g.names() {
		p := g.Packages[name]
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			return nil, err
		}
		commented := false
		for _, path := range files {
			found, doc, err := checkFile(name, path)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
			commented = commented || doc && !strings.HasSuffix(path, "_test.go")
		}
		if !commented && len(p.GoFiles) > 0 {
			out = append(out, name+": the package has no comment")
		}
	}
	sort.Strings(out)
	return out, nil
}

// checkFile returns the findings in one file and whether it carries the package
// comment.
func checkFile(pkg, path string) (out []string, doc bool, err error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, false, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.ParseComments)
	if err != nil {
		return nil, false, err
	}
	c := &checker{fset: fset, name: pkg + "/" + filepath.Base(path), test: strings.HasSuffix(path, "_test.go")}
	if ast.IsGenerated(file) {
		return nil, file.Doc != nil, nil
	}
	c.comments(file, src)
	if !c.test {
		c.sizes(file)
		c.panics(file)
		c.exported(file)
	}
	return c.out, file.Doc != nil, nil
}

type checker struct {
	fset *token.FileSet
	name string
	test bool
	out  []string
}

func (c *checker) report(at token.Pos, format string, args ...any) {
	c.out = append(c.out, fmt.Sprintf("%s:%d: ", c.name, c.fset.Position(at).Line)+fmt.Sprintf(format, args...))
}

// comments looks for unfinished work, and for paths of one machine anywhere.
func (c *checker) comments(file *ast.File, src []byte) {
	if strings.HasPrefix(c.name, "internal/lint/") {
		return
	}
	for _, group := range file.Comments {
		for _, line := range group.List {
			if m := unfinished.FindString(line.Text); m != "" {
				c.report(line.Pos(), "%s: finish it, or file it", m)
			}
		}
	}
	if at := personal.FindIndex(src); at != nil {
		c.report(file.FileStart+token.Pos(at[0]), "the path %s of one machine", src[at[0]:at[1]])
	}
}

func (c *checker) sizes(file *ast.File) {
	if n := c.fset.Position(file.FileEnd).Line; n > maxFileLines {
		c.report(file.Package, "%d lines, the limit is %d", n, maxFileLines)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		if n := c.fset.Position(f.End()).Line - c.fset.Position(f.Pos()).Line + 1; n > maxFuncLines {
			c.report(f.Pos(), "%s has %d lines, the limit is %d", f.Name.Name, n, maxFuncLines)
		}
	}
}

// panics accepts panic("BUG: …"), a panic passed on after recover, and a typed
// value that unwinds inside one package.
func (c *checker) panics(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "panic" {
			return true
		}
		if !bugReport(call.Args[0]) {
			c.report(call.Pos(), `panic without "BUG: …": return an error, or say that it is a bug`)
		}
		return true
	})
}

func bugReport(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strings.HasPrefix(strings.Trim(e.Value, "\"`"), "BUG:")
	case *ast.BinaryExpr:
		return bugReport(e.X)
	case *ast.CallExpr: // fmt.Sprintf("BUG: …"), fmt.Errorf("BUG: …")
		return len(e.Args) > 0 && bugReport(e.Args[0])
	case *ast.Ident: // a recovered value
		return true
	case *ast.CompositeLit: // a typed value, recovered by its own package
		return true
	}
	return false
}

// exported wants a comment on every exported function, type, and method of an
// exported type; groups of constants and variables may share one.
func (c *checker) exported(file *ast.File) {
	if file.Name.Name == "main" {
		return
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
				c.report(d.Pos(), "%s has no comment", d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && t.Name.IsExported() && d.Doc == nil && t.Doc == nil {
					c.report(t.Pos(), "%s has no comment", t.Name.Name)
				}
			}
		}
	}
}

// methodsOfInterfaces are so common that their comment says nothing.
var methodsOfInterfaces = map[string]bool{"String": true, "Error": true, "Unwrap": true, "Len": true, "Less": true, "Swap": true,
	"MarshalJSON": true, "UnmarshalJSON": true, "Read": true, "Write": true, "Close": true}

func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	if methodsOfInterfaces[f.Name.Name] {
		return false
	}
	t := f.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if x, ok := t.(*ast.IndexExpr); ok {
		t = x.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.IsExported()
}
