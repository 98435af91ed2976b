package trace

import (
	"fmt"
	"slices"
	"strings"

	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// String writes the trace as a schedule script, one call a line; package script
// reads it back:
//
//	l4, l5 = sch.split(l1, [None, 16])
//
// Optional arguments that have their default value are left out.
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
	for _, q := range inst.Kind.Parameters() {
		args = append(args, p.argument(q, inst, decision)...)
	}
	outs := make([]string, len(inst.Outputs))
	for i, o := range inst.Outputs {
		outs[i] = p.names.define(o)
	}
	switch list := inst.Kind.Out == schedule.OutBlocks || inst.Kind.Out == schedule.OutLoops || inst.Kind.Out == schedule.OutExprs; {
	case len(outs) == 1 && list:
		p.WriteString(outs[0] + ", = ")
	case len(outs) > 0:
		p.WriteString(strings.Join(outs, ", ") + " = ")
	}
	p.WriteString("sch." + inst.Kind.Method() + "(" + strings.Join(args, ", ") + ")\n")
}

// argument is the text of one parameter's value, nothing for a default and one
// text per value for a variadic parameter.
func (p *printer) argument(q schedule.Param, inst *schedule.Instruction, decision any) []string {
	vals, many := slotValues(q, inst)
	switch {
	case q.Variadic:
		out := make([]string, len(vals))
		for i, v := range vals {
			out[i] = p.value(v)
		}
		return out
	case q.Name == "decision":
		if decision == nil {
			return nil
		}
		vals = []any{decision}
	}
	text := p.list(vals, "[", "]")
	switch {
	case q.Name == "buffer" && len(vals) == 2:
		text = p.list([]any{directions[vals[1] == int64(1)], vals[0]}, "(", ")")
	case !many && len(vals) == 1:
		text = p.value(vals[0])
		switch v := vals[0].(type) {
		case *tir.IndexMap:
			if q.Name == "gen_new_ranges" {
				text = p.ranges(v)
			}
		case int64:
			if q.Name == "buf_type" {
				text = p.value(directions[v == 1])
			}
		}
	}
	if !q.Optional {
		return []string{text}
	}
	if text == p.value(q.Default) || q.Default == nil && text == "[]" {
		return nil
	}
	return []string{q.Name + "=" + text}
}

var directions = map[bool]string{false: "read", true: "write"}

// slotValues are the values that a parameter gave to the slots of a call; many
// says that its slot takes any number of them.
func slotValues(q schedule.Param, inst *schedule.Instruction) (vals []any, many bool) {
	take := func(slots []schedule.Slot, list []any) {
		for i, s := range slots {
			if inst.Kind.ParamOf(s) != q.Name {
				continue
			}
			if s.Many {
				vals, many = list[i:], true
				continue
			}
			v := list[i]
			if n, ok := v.(int64); ok && s.Kind == schedule.SlotFlag && s.Name != "buffer_index_type" {
				v = n != 0
			}
			vals = append(vals, v)
		}
	}
	take(inst.Kind.In, inst.Inputs)
	take(inst.Kind.Attrs, inst.Attrs)
	return vals, many
}

func (p *printer) list(vals []any, open, end string) string {
	parts := make([]string, len(vals))
	for i, v := range vals {
		parts[i] = p.value(v)
	}
	return open + strings.Join(parts, ", ") + end
}

// value is a value as Python spells it.
func (p *printer) value(v any) string {
	if n, ok := id(v); ok {
		return p.names.of[n]
	}
	switch x := v.(type) {
	case []any:
		return p.list(x, "[", "]")
	case []int64:
		return strings.ReplaceAll(fmt.Sprint(x), " ", ", ")
	case map[string]any:
		parts := make([]string, 0, len(x))
		for k, y := range x {
			parts = append(parts, pythonText(k)+": "+p.value(y))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return p.leaf(v)
}
