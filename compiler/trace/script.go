package trace

import (
	"fmt"
	"strconv"
	"strings"

	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// String writes the trace as calls, one a line, for people:
//
//	l4, l5 = split(l1, None, 16, preserve_unit_iters=1, disable_predication=0)
func (t Trace) String() string {
	p := printer{names: newNames()}
	for i := range t.Insts {
		p.line(&t.Insts[i], t.Decisions[i])
	}
	return p.String()
}

type printer struct {
	strings.Builder
	names names
}

func (p *printer) line(inst *schedule.Instruction, decision any) {
	var args []string
	for _, v := range inst.Inputs {
		args = append(args, p.value(v))
	}
	for i, v := range inst.Attrs {
		name := inst.Kind.Attrs[min(i, len(inst.Kind.Attrs)-1)].Name
		args = append(args, name+"="+p.value(v))
	}
	if decision != nil {
		args = append(args, fmt.Sprintf("decision=%v", decision))
	}
	outs := make([]string, len(inst.Outputs))
	for i, o := range inst.Outputs {
		outs[i] = p.names.define(o)
	}
	if len(outs) > 0 {
		p.WriteString(strings.Join(outs, ", ") + " = ")
	}
	p.WriteString(inst.Kind.Method() + "(" + strings.Join(args, ", ") + ")\n")
}

func (p *printer) value(v any) string {
	if n, ok := id(v); ok {
		return p.names.of[n]
	}
	switch x := v.(type) {
	case nil:
		return "None"
	case string:
		return strconv.Quote(x)
	case []any:
		parts := make([]string, len(x))
		for i, y := range x {
			parts[i] = p.value(y)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *tir.IndexMap:
		return p.indexMap(x)
	}
	return fmt.Sprint(v)
}

func (p *printer) indexMap(m *tir.IndexMap) string {
	vars := make([]string, len(m.Initial))
	for i, v := range m.Initial {
		vars[i] = v.Name
	}
	final := make([]string, len(m.Final))
	for i, e := range m.Final {
		final[i] = tir.ExprString(e)
	}
	return "lambda " + strings.Join(vars, ", ") + ": (" + strings.Join(final, ", ") + ")"
}
