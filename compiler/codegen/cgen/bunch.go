package cgen

import (
	"fmt"
	"regexp"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// bunch emits the bindings that stmts begin with whose values are calls of one function
// of the table, as one call whose statements take turns. It returns how many they are,
// 0 where there are no two or the function has no such form.
func (f *fn) bunch(stmts []tir.Stmt) int {
	var run []*tir.Bind
	for _, s := range stmts {
		b, ok := s.(*tir.Bind)
		if !ok || !f.bunchable(b, run) {
			break
		}
		run = append(run, b)
	}
	if len(run) < 2 {
		return 0
	}
	op, n := run[0].Value.(*tir.Call).Op, int(run[0].Var.Type.Lanes)
	helper := f.k.u.mathBunch(op, f32, n, len(run))
	if helper == "" {
		return 0
	}
	var names, places, args []string
	for _, b := range run {
		name := f.k.names.fresh(b.Var.Name)
		names, places = append(names, name), append(places, "&"+name)
		c := b.Value.(*tir.Call)
		for i := range c.Args {
			args = append(args, f.operand(c, i, 0, n).text)
		}
	}
	f.line(f.k.u.vec(f32, n) + " " + strings.Join(names, ", ") + ";")
	f.line(fmt.Sprintf("%s(%s, %s);", helper, strings.Join(places, ", "), strings.Join(args, ", ")))
	depth := f.nextSegment()
	for i, b := range run {
		f.k.vars[b.Var] = &variable{bounds: everything, parts: pieces(n, f.k.width), names: names[i : i+1], depth: depth}
	}
	return len(run)
}

// bunchable reports whether a binding can go on with those of run.
func (f *fn) bunchable(b *tir.Bind, run []*tir.Bind) bool {
	c, ok := b.Value.(*tir.Call)
	if !ok || c.Type != b.Var.Type || c.Type.Element() != dtype.Float32 || mathTable[c.Op].args != len(c.Args) {
		return false
	}
	if n := int(c.Type.Lanes); n*f32.bits < 128 || len(pieces(n, f.k.width)) != 1 {
		return false
	}
	if len(run) > 0 && (run[0].Value.(*tir.Call).Op != c.Op || run[0].Var.Type != b.Var.Type) {
		return false
	}
	return !tir.UsesVar(c, func(v *tir.Var) bool {
		for _, r := range run {
			if r.Var == v {
				return true
			}
		}
		return false
	})
}

// mathBunch is the helper that computes a function on k vectors, whose chains of
// instructions compilers would leave one after another; "" where the function is no
// list of plain statements.
func (u *unit) mathBunch(op string, e elem, n, k int) string {
	template, direct := mathTemplate(op, e)
	if !direct {
		return ""
	}
	name := fmt.Sprintf("hone_%s_%s_by%d", op, u.vec(e, n), k)
	if u.have[name] {
		return name
	}
	list, ok := plainStatements(u.instantiate(template, name, e, n))
	if !ok {
		return ""
	}
	vt := u.vec(e, n)
	return u.add(name, func() string {
		var out, in, body []string
		locals := list.locals
		for i := range k {
			out = append(out, fmt.Sprintf("%s *out_%d", vt, i))
			for a := range mathTable[op].args {
				locals = append(locals, string(rune('x'+a)))
				in = append(in, fmt.Sprintf("%s %c_%d", vt, 'x'+a, i))
			}
		}
		for _, s := range list.stmts {
			for i := range k {
				body = append(body, "  "+renamed(s, locals, i)+";\n")
			}
		}
		return fmt.Sprintf("%svoid %s(%s, %s) {\n%s}\n", inline, name, strings.Join(out, ", "), strings.Join(in, ", "), strings.Join(body, ""))
	})
}

// statements are those of a function without branches, one variable each, and the names
// of what they declare. The result is stored through the variable out.
type statements struct{ stmts, locals []string }

var (
	declaration = regexp.MustCompile(`^([a-z]+[0-9]+x[0-9]+) (\w+ = .*)$`)
	word        = regexp.MustCompile(`[A-Za-z_]\w*|[0-9][\w.]*(?:[ep][+-]?\w+)?`)
)

func plainStatements(function string) (list statements, ok bool) {
	open, end := strings.Index(function, "{"), strings.LastIndex(function, "}")
	body := function[open+1 : end]
	if strings.ContainsAny(body, "{}") || strings.Contains(body, "/*") {
		return list, false
	}
	for _, s := range strings.Split(body, ";") {
		s = strings.Join(strings.Fields(s), " ")
		m := declaration.FindStringSubmatch(s)
		switch {
		case s == "":
		case m != nil:
			for _, d := range topLevel(m[2]) {
				name, _, _ := strings.Cut(d, " = ")
				list.stmts, list.locals = append(list.stmts, m[1]+" "+d), append(list.locals, name)
			}
		case strings.HasPrefix(s, "return "):
			list.stmts, list.locals = append(list.stmts, "*out = "+s[len("return "):]), append(list.locals, "out")
		default:
			list.stmts = append(list.stmts, s)
		}
	}
	return list, true
}

// topLevel splits declarators at the commas outside of brackets.
func topLevel(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range s {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out, from = append(out, s[from:i]), i+2
		}
	}
	return append(out, s[from:])
}

// renamed gives the variables of a statement the names of copy i.
func renamed(s string, locals []string, i int) string {
	return word.ReplaceAllStringFunc(s, func(w string) string {
		for _, l := range locals {
			if l == w {
				return fmt.Sprintf("%s_%d", w, i)
			}
		}
		return w
	})
}
