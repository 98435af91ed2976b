package tir

import (
	"sort"
	"strconv"
	"strings"
)

// value prints an annotation value as Python: map keys sorted, floats bare.
func (p *script) value(v any) string {
	switch v := PlainValue(v).(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return floatLiteral(v)
	case string:
		return quote(v)
	case []any:
		out := make([]string, len(v))
		for i, x := range v {
			out[i] = p.value(x)
		}
		return "[" + strings.Join(out, ", ") + "]"
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for i, k := range keys {
			keys[i] = quote(k) + ": " + p.value(v[k])
		}
		return "{" + strings.Join(keys, ", ") + "}"
	case Annotations:
		return p.value(attrMap(v, nil))
	case *IndexMap:
		return p.indexMap(v)
	case Expr:
		return p.expr(v)
	}
	panic("BUG: annotation value of an unknown type")
}

func (p *script) indexMap(m *IndexMap) string {
	p.push()
	defer p.pop()
	vars := make([]string, len(m.Initial))
	for i, v := range m.Initial {
		vars[i] = p.define(v)
	}
	final := make([]string, len(m.Final))
	for i, e := range m.Final {
		final[i] = p.expr(e)
	}
	return "T.index_map(lambda " + strings.Join(vars, ", ") + ": " + tuple(final) + ")"
}

// quote writes a Python text literal in double quotes.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c < 0x20 || c == 0x7f:
			const hex = "0123456789abcdef"
			b.WriteString(`\x`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
