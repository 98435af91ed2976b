package trace

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"unicode/utf8"

	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// MarshalJSON writes the trace as [instructions, decisions] in MetaSchedule's
// dialect: no spaces, results named by kind and running number, floats with 20
// significant digits. Text beyond ASCII stays UTF-8.
func (t Trace) MarshalJSON() ([]byte, error) {
	w := &writer{names: newNames(), buf: make([]byte, 0, 64*len(t.Insts)+16)}
	w.raw("[[")
	for i := range t.Insts {
		if i > 0 {
			w.raw(",")
		}
		w.instruction(&t.Insts[i])
		if w.err != nil {
			return nil, &Error{i, t.Insts[i].Kind.Name, w.err}
		}
	}
	w.raw("],[")
	first := true
	for i, d := range t.Decisions {
		if d == nil {
			continue
		}
		if !first {
			w.raw(",")
		}
		first = false
		w.raw("[" + strconv.Itoa(i) + ",")
		w.decision(d)
		w.raw("]")
	}
	w.raw("]]")
	return w.buf, w.err
}

type writer struct {
	buf   []byte
	names names
	err   error
}

func (w *writer) raw(s string) { w.buf = append(w.buf, s...) }

func (w *writer) instruction(inst *schedule.Instruction) {
	w.raw("[")
	w.text(inst.Kind.Name)
	w.raw(",")
	w.list(inst.Inputs, w.input)
	w.raw(",")
	w.list(inst.Attrs, w.attr)
	w.raw(",")
	w.list(inst.Outputs, w.output)
	w.raw("]")
}

func (w *writer) list(vs []any, one func(any)) {
	w.raw("[")
	for i, v := range vs {
		if i > 0 {
			w.raw(",")
		}
		one(v)
	}
	w.raw("]")
}

func (w *writer) output(v any) { w.text(w.names.define(v)) }

// input writes results bare, other strings in a second pair of quotes.
func (w *writer) input(v any) {
	if n, ok := id(v); ok {
		name, known := w.names.of[n]
		if !known {
			w.err = errUnbound
		}
		w.text(name)
		return
	}
	switch x := v.(type) {
	case nil:
		w.text("None")
	case schedule.ExprRV:
		if x.IsOpen() {
			w.text("None")
		} else {
			w.raw(strconv.FormatInt(x.Value(), 10))
		}
	case string:
		w.text(`"` + x + `"`)
	case []any:
		w.list(x, w.input)
	case map[string]any:
		w.dict(x, w.input)
	case *tir.IndexMap:
		w.indexMap(x)
	default:
		w.number(v)
	}
}

func (w *writer) indexMap(m *tir.IndexMap) {
	s, err := marshalMap(m, w.names.of)
	if err != nil {
		w.err = err
	}
	w.text(s)
}

func (w *writer) attr(v any) {
	switch x := v.(type) {
	case nil:
		w.raw("null")
	case string:
		w.text(x)
	case bool:
		w.raw(strconv.FormatBool(x))
	case []any:
		w.list(x, w.attr)
	case map[string]any:
		w.dict(x, w.attr)
	case *tir.IndexMap:
		w.indexMap(x)
	default:
		w.number(v)
	}
}

func (w *writer) dict(m map[string]any, one func(any)) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	w.raw("{")
	for i, k := range keys {
		if i > 0 {
			w.raw(",")
		}
		w.text(k)
		w.raw(":")
		one(m[k])
	}
	w.raw("}")
}

// number writes integers, raw flags as 0 and 1, and floats so that they read
// back equal.
func (w *writer) number(v any) {
	switch x := v.(type) {
	case int64:
		w.buf = strconv.AppendInt(w.buf, x, 10)
	case bool:
		n := int64(0)
		if x {
			n = 1
		}
		w.buf = strconv.AppendInt(w.buf, n, 10)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			w.err = errors.New("a float that is not finite has no text form")
			return
		}
		w.buf = strconv.AppendFloat(w.buf, x, 'g', 20, 64)
	default:
		w.err = fmt.Errorf("a value of type %T has no text form", v)
	}
}

func (w *writer) decision(d any) {
	switch x := d.(type) {
	case int64:
		w.buf = strconv.AppendInt(w.buf, x, 10)
	case []int64:
		w.raw("[")
		for i, n := range x {
			if i > 0 {
				w.raw(",")
			}
			w.buf = strconv.AppendInt(w.buf, n, 10)
		}
		w.raw("]")
	default:
		w.err = fmt.Errorf("a decision of type %T has no text form", d)
	}
}

const hex = "0123456789abcdef"

func (w *writer) text(s string) {
	if !utf8.ValidString(s) {
		w.err = fmt.Errorf("the text %q is not UTF-8", s)
		return
	}
	w.buf = append(w.buf, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			w.buf = append(w.buf, '\\', c)
		case c == '\n':
			w.raw(`\n`)
		case c == '\t':
			w.raw(`\t`)
		case c == '\r':
			w.raw(`\r`)
		case c < 0x20 || c == 0x7f:
			w.buf = append(w.buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			w.buf = append(w.buf, c)
		}
	}
	w.buf = append(w.buf, '"')
}
