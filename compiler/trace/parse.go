package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"hone/compiler/schedule"
)

// Limits of what is read: a trace longer than that is no schedule.
const (
	maxInstructions = 1 << 14
	maxBytes        = 1 << 26
)

// Parse reads a trace, also one of an older release, and checks every
// instruction against its kind. It does not check that it can be replayed.
func Parse(data []byte) (Trace, error) {
	if len(data) > maxBytes {
		return Trace{}, fmt.Errorf("trace: %d bytes, at most %d are read", len(data), maxBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(escapesOnly(data)))
	dec.UseNumber()
	var top []any
	if err := dec.Decode(&top); err != nil {
		return Trace{}, fmt.Errorf("trace: %s", decodeFault(err, dec.InputOffset()))
	}
	if dec.More() {
		return Trace{}, errors.New("trace: text after its end")
	}
	if len(top) != 2 {
		return Trace{}, fmt.Errorf("trace: %d members, want instructions and decisions", len(top))
	}
	insts, ok1 := top[0].([]any)
	decisions, ok2 := top[1].([]any)
	if !ok1 || !ok2 || len(insts) > maxInstructions {
		return Trace{}, errors.New("trace: want a list of instructions and a list of decisions")
	}
	p := &parser{names: map[string]any{}, free: map[string]int32{}}
	t := Trace{make([]schedule.Instruction, len(insts)), make([]any, len(insts))}
	for i, v := range insts {
		inst, err := p.instruction(v)
		if err != nil {
			return Trace{}, fmt.Errorf("trace: instruction %d: %w", i, err)
		}
		t.Insts[i] = inst
	}
	for i, v := range decisions {
		if err := p.decision(t, v); err != nil {
			return Trace{}, fmt.Errorf("trace: decision %d: %w", i, err)
		}
	}
	return t, nil
}

// UnmarshalJSON is Parse.
func (t *Trace) UnmarshalJSON(data []byte) (err error) {
	*t, err = Parse(data)
	return err
}

// escapesOnly rewrites the escape \xHH, which MetaSchedule writes and JSON does
// not have.
func escapesOnly(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\x`)) {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' || i+1 >= len(data) {
			out = append(out, data[i])
			continue
		}
		if data[i+1] == 'x' {
			out = append(out, '\\', 'u', '0', '0')
		} else {
			out = append(out, '\\', data[i+1])
		}
		i++
	}
	return out
}

type parser struct {
	names map[string]any // results by name
	free  map[string]int32
	next  int32
}

func (p *parser) instruction(v any) (schedule.Instruction, error) {
	var inst schedule.Instruction
	parts, ok := v.([]any)
	if !ok || len(parts) != 4 {
		return inst, errors.New("want [kind, inputs, attributes, outputs]")
	}
	name, ok := parts[0].(string)
	if !ok {
		return inst, errors.New("the kind is no string")
	}
	var lists [3][]any
	for i := range lists {
		if lists[i], ok = parts[i+1].([]any); !ok {
			return inst, fmt.Errorf("%s: member %d is no list", name, i+1)
		}
	}
	name = rename(name)
	kind, err := schedule.LookupKind(name)
	if err != nil {
		return inst, err
	}
	inst.Kind = kind
	if inst.Inputs, err = p.all(lists[0], p.input); err == nil {
		inst.Attrs, err = p.all(lists[1], p.attr)
	}
	if err != nil {
		return inst, fmt.Errorf("%s: %w", name, err)
	}
	complete(&inst)
	inst.Attrs = kind.Normalise(inst.Attrs)
	if err := kind.Check(inst.Inputs, inst.Attrs); err != nil {
		return inst, err
	}
	inst.Outputs, err = p.outputs(lists[2])
	if err != nil {
		return inst, fmt.Errorf("%s: %w", name, err)
	}
	if err := kind.CheckOutputs(inst.Outputs); err != nil {
		return inst, err
	}
	return inst, nil
}

func (p *parser) all(vs []any, one func(any) (any, error)) ([]any, error) {
	if len(vs) == 0 {
		return nil, nil
	}
	out := make([]any, len(vs))
	for i, v := range vs {
		x, err := one(v)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

func (p *parser) input(v any) (any, error) {
	s, ok := v.(string)
	switch {
	case !ok:
		return p.plain(v, p.input)
	case s == "None":
		return nil, nil
	case len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"':
		return s[1 : len(s)-1], nil
	case len(s) >= 2 && s[0] == '{' && s[len(s)-1] == '}':
		return parseMap(s, p.free)
	}
	h, ok := p.names[s]
	if !ok {
		return nil, fmt.Errorf("%q is no result of an earlier instruction", s)
	}
	return h, nil
}

func (p *parser) attr(v any) (any, error) {
	if s, ok := v.(string); ok {
		if len(s) >= 2 && s[0] == '{' && s[len(s)-1] == '}' && strings.Contains(s, `"root_index"`) {
			return parseMap(s, p.free)
		}
		return s, nil
	}
	return p.plain(v, p.attr)
}

func (p *parser) plain(v any, one func(any) (any, error)) (any, error) {
	switch x := v.(type) {
	case nil, bool:
		return x, nil
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return n, nil
		}
		return x.Float64()
	case []any:
		out := make([]any, len(x))
		for i, y := range x {
			r, err := one(y)
			if err != nil {
				return nil, err
			}
			out[i] = r
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, y := range x {
			r, err := one(y)
			if err != nil {
				return nil, err
			}
			out[k] = r
		}
		return out, nil
	}
	return nil, fmt.Errorf("unexpected value %v", v)
}

// outputs numbers results; a name met before keeps its first meaning.
func (p *parser) outputs(vs []any) ([]any, error) {
	var out []any
	for _, v := range vs {
		name, ok := v.(string)
		if !ok || name == "" {
			return nil, fmt.Errorf("output %v is no name", v)
		}
		if name == "_" {
			out = append(out, schedule.Open)
			continue
		}
		p.next++
		h, err := schedule.Handle(name[0], p.next)
		if err != nil {
			return nil, err
		}
		out = append(out, h)
		if _, taken := p.names[name]; !taken && name != "None" {
			p.names[name] = h
			if _, ok := h.(schedule.ExprRV); ok {
				p.free[name] = p.next
			}
		}
	}
	return out, nil
}

func (p *parser) decision(t Trace, v any) error {
	pair, ok := v.([]any)
	if !ok || len(pair) != 2 {
		return errors.New("want [instruction, value]")
	}
	at, ok := pair[0].(json.Number)
	if !ok {
		return errors.New("the instruction is no number")
	}
	i, err := at.Int64()
	if err != nil || i < 0 || i >= int64(len(t.Insts)) {
		return fmt.Errorf("there is no instruction %s", at)
	}
	d, err := t.Insts[i].Kind.ParseDecision(pair[1])
	if err != nil {
		return fmt.Errorf("instruction %d: %w", i, err)
	}
	t.Decisions[i] = d
	return nil
}

// decodeFault says what is wrong with a text that is no JSON, or no list.
func decodeFault(err error, at int64) string {
	var typ *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &typ):
		return fmt.Sprintf("it is a JSON %s, want a list of instructions and a list of decisions", typ.Value)
	case errors.As(err, &syntax):
		return fmt.Sprintf("byte %d: %v", syntax.Offset, err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the text ends before the trace does"
	}
	return fmt.Sprintf("byte %d: %v", at, err)
}
