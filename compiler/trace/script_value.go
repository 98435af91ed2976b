package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// leaf is a value without parts as Python spells it.
func (p *printer) leaf(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case schedule.ExprRV:
		return x.String()
	case bool:
		if x {
			return "True"
		}
		return "False"
	case string:
		return pythonText(x)
	case float64:
		text := strconv.FormatFloat(x, 'g', -1, 64)
		if !strings.ContainsAny(text, ".eIN") {
			text += ".0"
		}
		return text
	case *tir.IndexMap:
		return p.indexMap(x)
	}
	return fmt.Sprint(v)
}

// pythonText quotes a text with the escapes that Python has.
func pythonText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// indexMap is a lambda. A bare one takes the type of its variables from the block
// that it is used on.
func (p *printer) indexMap(m *tir.IndexMap) string {
	vars, final := p.lambda(m)
	for i, e := range m.Final {
		if c, ok := e.(*tir.IntImm); ok && c.Type == dtype.Int32 && len(final) > 1 {
			final[i] = "T.int32(" + final[i] + ")" // a lambda returns expressions
		}
	}
	text := strings.Join(final, ", ")
	if len(final) != 1 {
		text = "(" + text + ")"
	}
	text = "lambda " + vars + ": " + text
	if slices.ContainsFunc(m.Initial, func(v *tir.Var) bool { return v.Type != dtype.Int32 }) {
		return fmt.Sprintf("T.index_map(%s, index_dtype=%q)", text, m.Initial[0].Type)
	}
	return text
}

// ranges is the lambda of a map to the begin and the end of each dimension.
func (p *printer) ranges(m *tir.IndexMap) string {
	vars, final := p.lambda(m)
	pairs := make([]string, 0, len(final)/2)
	for i := 0; i+1 < len(final); i += 2 {
		pairs = append(pairs, "("+final[i]+", "+final[i+1]+")")
	}
	return "lambda " + vars + ": [" + strings.Join(pairs, ", ") + "]"
}

// lambda spells the parameters of a map and its results. Variables get names of
// their own where theirs are no names, repeated, or those of a result.
func (p *printer) lambda(m *tir.IndexMap) (vars string, final []string) {
	taken := map[string]bool{"sch": true, "T": true}
	for _, n := range p.names.of {
		taken[n] = true
	}
	for _, w := range strings.Fields("and as assert break class continue def elif else for from if import in is lambda not or pass range return while with None True False") {
		taken[w] = true
	}
	sub := map[*tir.Var]tir.Expr{}
	names := make([]string, len(m.Initial))
	for i, v := range m.Initial {
		names[i] = freeName(v.Name, taken)
		taken[names[i]] = true
		if names[i] != v.Name {
			sub[v] = tir.NewVar(names[i], v.Type)
		}
	}
	named := schedule.MapFree(m, func(v *tir.Var) tir.Expr {
		n, _ := schedule.FreeID(v)
		return tir.NewVar(p.names.of[n], v.Type)
	})
	final = make([]string, len(m.Final))
	for i, e := range named.Final {
		final[i] = tir.ExprString(tir.Substitute(e, sub))
	}
	return strings.Join(names, ", "), final
}

func freeName(hint string, taken map[string]bool) string {
	base := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, hint)
	if base == "" || base[0] >= '0' && base[0] <= '9' {
		base = "i" + base
	}
	name := base
	for n := 0; taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	return name
}
