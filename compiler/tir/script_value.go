package tir

import (
	"sort"
	"strconv"
	"strings"

	"hone/compiler/dtype"
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
	case GlobalInfo:
		args := p.value(v.Args)
		return "I." + v.Kind + "(" + args[1:len(args)-1] + ")"
	case Target:
		return "T.target(" + p.value(v.Config) + ")"
	case *Reducer:
		return p.reducer(v)
	case Expr:
		return p.expr(v)
	}
	panic("BUG: annotation value of an unknown type")
}

// typedValues prints the annotations of an allocation statement, whose numbers
// are constants with a type.
func (p *script) typedValues(a Annotations) string {
	out := make([]string, len(a))
	for i, x := range a {
		out[i] = quote(x.Key) + ": "
		switch v := x.Value.(type) {
		case bool:
			out[i] += p.expr(BoolImm(v))
		case int64:
			out[i] += p.expr(IntOf(v, dtype.Int32))
		case float64:
			out[i] += p.expr(&FloatImm{v, dtype.Float32})
		default:
			out[i] += p.value(v)
		}
	}
	return "{" + strings.Join(out, ", ") + "}"
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

func (p *script) reducer(r *Reducer) string {
	identity := p.list(r.Identity)
	p.push()
	defer p.pop()
	var vars []string
	for _, v := range r.Lhs {
		vars = append(vars, p.define(v))
	}
	for _, v := range r.Rhs {
		vars = append(vars, p.define(v))
	}
	result := p.list(r.Result)
	if len(r.Result) > 1 {
		result = "(" + result + ")"
	}
	return "T.comm_reducer(lambda " + strings.Join(vars, ", ") + ": " + result + ", [" + identity + "])"
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
