package script

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
)

// value brings an argument to the form of a slot.
func (c *call) value(s schedule.Slot, a tvmscript.Arg) (any, error) {
	v, err := c.convert(s, a)
	if err == nil && !s.Accepts(v) {
		err = a.Errorf("%s of %s is %s, this is %s", s.Name, c.kind.Method(), s.Kind, describe(a.Value))
	}
	return v, err
}

func (c *call) convert(s schedule.Slot, a tvmscript.Arg) (any, error) {
	switch {
	case c.kind.ParamOf(s) == "buffer":
		if s.Name == "buffer_index" {
			return c.index, nil
		}
		return c.direction, nil
	case s.Name == "buf_type" && s.Kind != schedule.SlotString:
		return c.directionOf(a)
	}
	switch s.Kind {
	case schedule.SlotInt, schedule.SlotBuffer, schedule.SlotFactor:
		return c.integer(s, a)
	case schedule.SlotFlag, schedule.SlotBool:
		v, ok := a.Value.(bool)
		switch {
		case !ok:
			return nil, a.Errorf("%s of %s is True or False, not %s", s.Name, c.kind.Method(), describe(a.Value))
		case s.Kind == schedule.SlotBool:
			return v, nil
		case v:
			return int64(1), nil
		}
		return int64(0), nil
	case schedule.SlotString:
		if a.Value == nil && c.optional(s) {
			return "", nil
		}
		return a.Value, nil
	case schedule.SlotBlocks, schedule.SlotInts, schedule.SlotNumbers:
		if a.Value == nil && c.optional(s) {
			return []any{}, nil
		}
		return c.plain(a)
	case schedule.SlotMap, schedule.SlotMaybeMap:
		return c.indexMap(s, a)
	case schedule.SlotValue:
		if !annotates(a.Value) {
			return nil, a.Errorf("%s of %s is a number, a text, a list of these or a dict of these, not %s", s.Name, c.kind.Method(), describe(a.Value))
		}
		return c.plain(a)
	}
	return a.Value, nil
}

// annotates reports whether a value may be that of an annotation: dicts hold no
// dicts, lists are flat and not empty.
func annotates(v any) bool {
	dict, ok := v.(map[string]any)
	if !ok {
		return isFlat(v)
	}
	for _, y := range dict {
		if !isFlat(y) {
			return false
		}
	}
	return true
}

// isFlat reports whether a value is a number, a text, or a list of these.
func isFlat(v any) bool {
	switch x := v.(type) {
	case int64, float64, bool, string, tir.Expr:
		return true
	case []any:
		nested := func(y any) bool { _, list := y.([]any); return list || !isFlat(y) }
		return len(x) > 0 && !slices.ContainsFunc(x, nested)
	}
	return false
}

// optional reports whether the parameter of a slot may be left out.
func (c *call) optional(s schedule.Slot) bool {
	return slices.ContainsFunc(c.kind.Parameters(), func(p schedule.Param) bool { return p.Name == s.Name && p.Optional })
}

// integer is an integer, or the index of a buffer that is given by name.
func (c *call) integer(s schedule.Slot, a tvmscript.Arg) (any, error) {
	if s.Kind == schedule.SlotFactor {
		return c.factor(s, a)
	}
	switch v := a.Value.(type) {
	case int64:
		return v, nil
	case bool:
		return int64(b2i(v)), nil
	case string:
		if s.Kind == schedule.SlotBuffer {
			return c.bufferIndex(v, bufferSlots[s.Name])
		}
	}
	return nil, a.Errorf("%s of %s is %s, this is %s", s.Name, c.kind.Method(), s.Kind, describe(a.Value))
}

// factor is an integer, the result of sampling, or None.
func (c *call) factor(s schedule.Slot, a tvmscript.Arg) (any, error) {
	if n, ok := integer(a.Value); ok {
		return n, nil
	}
	switch v := a.Value.(type) {
	case nil:
		return nil, nil
	case *tir.Var:
		if e, ok := c.s.Sampled(v); ok {
			return e, nil
		}
	case tir.Expr:
		return nil, a.Errorf("%s of %s: arithmetic on results of sampling cannot be recorded, pass a result itself", s.Name, c.kind.Method())
	}
	return nil, a.Errorf("%s of %s is %s, this is %s", s.Name, c.kind.Method(), s.Kind, describe(a.Value))
}

// integer reads a plain integer or a constant of an integer type.
func integer(v any) (int64, bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case *tir.IntImm:
		return x.Value, x.Type.IsInt()
	}
	return 0, false
}

// plain replaces the variables that stand for results of sampling by them and
// constants by numbers, in lists and dicts too.
func (c *call) plain(a tvmscript.Arg) (any, error) {
	var err error
	var walk func(v any) any
	walk = func(v any) any {
		switch x := v.(type) {
		case []any:
			out := make([]any, len(x))
			for i, y := range x {
				out[i] = walk(y)
			}
			return out
		case map[string]any:
			out := make(map[string]any, len(x))
			for k, y := range x {
				out[k] = walk(y)
			}
			return out
		case *tir.Var:
			if e, ok := c.s.Sampled(x); ok {
				return e
			}
		case tir.Expr:
			if p := tir.PlainValue(x); p != any(x) {
				return p
			}
			err = a.Errorf("%s is no plain value", tir.ExprString(x))
		}
		return v
	}
	return walk(a.Value), err
}

// indexMap makes a map of a lambda, and for an optional one, which gives the
// value of padding, of a number too.
func (c *call) indexMap(s schedule.Slot, a tvmscript.Arg) (any, error) {
	pad := s.Kind == schedule.SlotMaybeMap
	rank := -1
	switch {
	case pad:
		rank = c.rank
	case c.buffer != nil:
		rank = len(c.buffer.Shape)
	}
	var m *tir.IndexMap
	var err error
	switch v := a.Value.(type) {
	case nil:
		if pad {
			return nil, nil
		}
	case *tir.IndexMap:
		m = v
	case *tvmscript.Lambda:
		if s.Name == "gen_new_ranges" {
			return c.ranges(v, a)
		}
		m, err = v.IndexMap(rank, c.indexType())
	default:
		e := c.padValue(v)
		if n, ok := v.(int64); ok && pad {
			if x, ok := e.(*tir.IntImm); ok && x.Value != n {
				return nil, a.Errorf("%d is no %s", n, x.Type)
			}
		}
		if pad && e != nil {
			m = &tir.IndexMap{Final: []tir.Expr{e}}
			for i := range rank {
				m.Initial = append(m.Initial, tir.NewVar(fmt.Sprintf("indices_%d", i), c.indexType()))
			}
		}
	}
	if m == nil && err == nil {
		err = a.Errorf("%s of %s is a lambda, this is %s", s.Name, c.kind.Method(), describe(a.Value))
	}
	if err == nil && !pad {
		c.rank = len(m.Final)
	}
	return m, err
}

// padValue is a number as an element of the buffer: integers of an integer one,
// floats of a float one, others as they are.
func (c *call) padValue(v any) tir.Expr {
	t := dtype.Float32
	if c.buffer != nil {
		t = c.buffer.Type
	}
	switch x := v.(type) {
	case tir.Expr:
		return x
	case bool:
		if t.IsInt() {
			return tir.Const(float64(b2i(x)), t)
		}
		return tir.BoolImm(x)
	case int64:
		if t.IsInt() {
			return tir.IntOf(x, t)
		}
		return tir.Int(x)
	case float64:
		if t.IsFloat() {
			return tir.Const(x, t)
		}
		return tir.F32(x)
	}
	return nil
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// ranges is a map of the block's iterators to the begin and the end of every
// dimension, one after the other; a single point p is p to p + 1.
func (c *call) ranges(l *tvmscript.Lambda, a tvmscript.Arg) (any, error) {
	m := &tir.IndexMap{}
	var args []any
	names := l.Params()
	for i, it := range c.block.Iters {
		v := tir.NewVar(it.Var.Name, it.Var.Type)
		if i < len(names) {
			v.Name = names[i]
		}
		m.Initial, args = append(m.Initial, v), append(args, v)
	}
	out, err := l.Call(args...)
	if err != nil {
		return nil, err
	}
	list, ok := out.([]any)
	if !ok || len(list) != len(args) {
		return nil, a.Errorf("the lambda has to give one range or point per iterator, of which the block has %d", len(args))
	}
	for i, v := range list {
		switch x := v.(type) {
		case []any:
			if len(x) != 2 {
				return nil, a.Errorf("range %d has %d members, want its begin and its end", i, len(x))
			}
			for _, y := range x {
				e := c.padValue(y)
				if e == nil || !e.DType().IsInt() {
					return nil, a.Errorf("range %d is of %s, not of integers", i, describe(y))
				}
				m.Final = append(m.Final, e)
			}
		case tir.Expr:
			m.Final = append(m.Final, x, tir.Add(x, tir.Int(1)))
		default:
			return nil, a.Errorf("range %d is %s, want a pair or an expression", i, describe(v))
		}
	}
	return m, nil
}

// describe names a value for messages.
func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case bool:
		if x {
			return "True"
		}
		return "False"
	case int64, float64:
		return fmt.Sprint(x)
	case string:
		return fmt.Sprintf("the text %q", x)
	case []any:
		return "a list"
	case map[string]any:
		return "a dict"
	case *tvmscript.Lambda:
		return "a lambda"
	case *tir.IndexMap:
		return "an index map"
	case schedule.BlockRV:
		return "a block"
	case schedule.LoopRV:
		return "a loop"
	case *tir.Var:
		if _, ok := schedule.FreeID(x); ok {
			return "a result of sampling"
		}
	case tir.Expr:
		return "the expression " + tir.ExprString(x)
	}
	return fmt.Sprintf("a value of type %T", v)
}
