package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"hone/compiler/schedule"
)

// primitives writes a section per instruction kind: the call, what it does, the
// smallest case of its tests as a picture, and what it may be refused for.
func (c *catalog) primitives() {
	kinds := schedule.Kinds()
	c.head(fmt.Sprintf("Schedule primitives (%d)", len(kinds)), "`compiler/schedule/prim_<name>.go`. Above `→` is what a call finds, below it what it leaves; blocks are written as what they do, and nests that stay as they are left out. "+
		"Any call may be refused for `stale-handle`, `bad-handle` or `bad-argument`; a refused call changes nothing.")
	for _, k := range kinds {
		method := k.Method()
		c.line("\n### %s\n\n`sch.%s(%s)` — instruction `%s`: %s.", method, method, k.Params, k.Name, k.Doc)
		if len(k.Refuses) > 0 {
			c.line("\nRefused for: %s.", conditionList(k.Refuses))
		}
		if p := pictureOf(c.t, method); p != nil {
			c.line("\n```python\n%s\n\n# %s\n# →\n\n%s\n```", p.before, p.script, p.after)
		}
	}
}

func (c *catalog) intrinsics() {
	names := schedule.IntrinNames()
	c.head(fmt.Sprintf("Tensor intrinsics (%d)", len(names)), "What `sch.tensorize` finds by name, from `compiler/schedule/intrin`; `--intrin NAME=FILE.py` adds one ([tensor functions by hand](ir.md)). Foreign code that an implementation calls is not emitted.")
	for i, n := range names {
		names[i] = "`" + n + "`"
	}
	c.line("%s.", strings.Join(names, ", "))
}

func conditionList(cs []schedule.Condition) string {
	var out []string
	for _, x := range cs {
		out = append(out, "`"+string(x)+"`")
	}
	return strings.Join(out, ", ")
}

// conditions lists the closed set with the comments of its source.
func (c *catalog) conditions() {
	all := conditionDocs(c.t)
	c.head(fmt.Sprintf("Conditions (%d)", len(all)), "`compiler/schedule/error.go`: what a refused call broke, printed as `refused: PRIMITIVE: CONDITION: LOCATION: REASON`.")
	c.table("condition", "meaning", "primitives")
	users := map[string][]string{}
	for _, k := range schedule.Kinds() {
		for _, r := range k.Refuses {
			users[string(r)] = append(users[string(r)], k.Method())
		}
	}
	for _, x := range all {
		c.line("| `%s` | %s | %s |", x[0], x[1], strings.Join(users[x[0]], ", "))
	}
}

// conditionDocs reads the value and the comment of every Condition constant.
func conditionDocs(t *testing.T) [][2]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "compiler", "schedule", "error.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var out [][2]string
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 || fmt.Sprint(v.Type) != "Condition" {
			return true
		}
		value := strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`)
		_, text, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(v.Doc.Text()), "\n", " "), ": ")
		if text == "" {
			t.Errorf("condition %s has no comment", value)
		}
		out = append(out, [2]string{value, strings.TrimSuffix(text, ".")})
		return true
	})
	return out
}
