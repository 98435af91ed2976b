package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"hone/compiler/schedule"
	"hone/compiler/schedule/script"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
)

// primData is where the scripts of primitives and their functions are kept.
var primData = filepath.Join("..", "compiler", "schedule", "testdata")

// picture is a call with the allocations and nests that it changes, blocks
// written as their bindings and what they do.
type picture struct{ script, before, after string }

func (p picture) size() int { return len(p.script) + len(p.before) + len(p.after) }

// pictureOf is the smallest accepted case of a primitive's script, nil when none
// changes the function.
func pictureOf(t *testing.T, method string) *picture {
	t.Helper()
	var best *picture
	datadriven.RunTest(t, filepath.Join(primData, "prim", method+".txt"), func(t *testing.T, d *datadriven.TestData) string {
		if strings.HasPrefix(d.Expected, "refused: ") || d.Cmd != "schedule" || !strings.Contains(d.Input, "sch."+method+"(") {
			return d.Expected
		}
		if p := draw(t, d.CmdArgs[0].Key, d.Input, method); p != nil && (best == nil || p.size() < best.size()) {
			best = p
		}
		return d.Expected
	})
	return best
}

// draw performs a script before and with the first call of the method.
func draw(t *testing.T, fn, input, method string) *picture {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(primData, "func", fn+".py"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := tvmscript.Parse(fn, string(text))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(input), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "sch."+method+"(") })
	if len(m.Funcs) != 1 {
		return nil
	}
	before, after := perform(m, lines[:at]), perform(m, lines[:at+1])
	gone, added := without(before, after), without(after, before)
	if len(gone)+len(added) == 0 || len(after) == 0 || strings.Contains(lines[at], `""`) {
		return nil // nothing to see, a call over several lines, or one about an empty name
	}
	return &picture{lines[at], strings.Join(gone, "\n"), strings.Join(added, "\n")}
}

// perform are the nests that lines of a script leave, none if they do not run.
func perform(m *tir.Module, lines []string) []string {
	s := schedule.New(m, nil)
	if err := script.Run(s, "", strings.Join(lines, "\n")); err != nil {
		return nil
	}
	return nests(s.Func())
}

// without is the part of list that other lacks.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(x string) bool { return slices.Contains(other, x) })
}

var label = regexp.MustCompile(`T\.evaluate\("(.*)"\)`)

// nests are the statements of a function without its blocks' frames.
func nests(f *tir.PrimFunc) []string {
	body := f.Body
	var out []string
	if root, ok := body.(*tir.BlockRealize); ok {
		body = root.Block.Body
		for _, b := range root.Block.Allocs {
			out = append(out, allocation(b))
		}
	}
	members := []tir.Stmt{body}
	if seq, ok := body.(*tir.Seq); ok {
		members = seq.Stmts
	}
	for _, s := range members {
		out = append(out, label.ReplaceAllString(tir.StmtString(flat(s)), "# $1"))
	}
	return out
}

func allocation(b *tir.Buffer) string {
	dims := make([]string, len(b.Shape))
	for i, n := range b.Shape {
		dims[i] = tir.ExprString(n)
	}
	return fmt.Sprintf("%s = alloc((%s), %q, scope=%q)", b.Name, strings.Join(dims, ", "), b.Type, b.Scope)
}

// flat replaces blocks by what they do, headed by their name.
func flat(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Seq:
		var out []tir.Stmt
		for _, x := range s.Stmts {
			out = append(out, flat(x))
		}
		return tir.NewSeq(out...)
	case *tir.For:
		l := *s
		l.Body = flat(s.Body)
		return &l
	case *tir.BlockRealize:
		return flatBlock(s)
	}
	return s
}

func flatBlock(s *tir.BlockRealize) tir.Stmt {
	sub := map[*tir.Var]tir.Expr{}
	for i, it := range s.Block.Iters {
		sub[it.Var] = s.Values[i]
	}
	values := make([]string, len(s.Values))
	for i, v := range s.Values {
		values[i] = tir.ExprString(v)
	}
	head := s.Block.Name + "(" + strings.Join(values, ", ") + ")"
	for _, a := range s.Block.Ann {
		head += ", " + a.Key + " = " + tir.ValueString(a.Value)
	}
	out := []tir.Stmt{note(head)}
	if s.Block.Init != nil {
		out = append(out, note("at the start of the reduction:"), flat(s.Block.Init))
	}
	body := tir.SubstituteStmt(tir.NewSeq(append(out, flat(s.Block.Body))...), sub)
	if !tir.IsConst(s.Predicate, 1) {
		return &tir.If{Cond: s.Predicate, Then: body}
	}
	return body
}

func note(text string) tir.Stmt { return &tir.Evaluate{Value: &tir.StringImm{Value: text}} }
