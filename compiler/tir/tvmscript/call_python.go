package tvmscript

import (
	"math"

	"hone/compiler/tir"
)

// pythonFuncs are the functions of Python itself that scripts use on constants
// and lists while they are read.
var pythonFuncs = map[string]func(b *builder, c *call, args []any) any{
	"len":   pyLen,
	"range": pyRange,
	"sum":   pySum,
	"min":   func(b *builder, c *call, args []any) any { return b.extremum(c, args, opLess) },
	"max":   func(b *builder, c *call, args []any) any { return b.extremum(c, args, opGreater) },
	"list":  pyList,
	"tuple": pyList,
	"abs":   pyAbs,
	"int":   pyInt,
	"float": pyFloat,
}

func (b *builder) callPython(f func(b *builder, c *call, args []any) any, name string, n *callNode) any {
	c := &call{at: n.p, name: name}
	b.arguments(c, n)
	if len(c.kw) > 0 || len(c.args) == 0 {
		b.fail(n.p, "%s takes positional arguments here", name)
	}
	args := make([]any, len(c.args))
	for i, a := range c.args {
		args[i] = a.val
	}
	return f(b, c, args)
}

func pyLen(b *builder, c *call, args []any) any {
	if l, ok := args[0].([]any); ok && len(args) == 1 {
		return int64(len(l))
	}
	b.fail(c.at, "len takes a list")
	return nil
}

func pyList(b *builder, c *call, args []any) any {
	if l, ok := args[0].([]any); ok && len(args) == 1 {
		return l
	}
	b.fail(c.at, "%s takes a list", c.name)
	return nil
}

func pyRange(b *builder, c *call, args []any) any {
	bounds := []int64{0, 0, 1}
	for i, a := range args {
		v, ok := a.(int64)
		if !ok || i > 2 {
			b.fail(c.at, "range takes constants here")
		}
		bounds[i] = v
	}
	if len(args) == 1 {
		bounds[0], bounds[1] = 0, bounds[0]
	}
	lo, hi, step := bounds[0], bounds[1], bounds[2]
	out := []any{}
	for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
		if len(out) > 1<<12 {
			b.fail(c.at, "range of more than %d", 1<<12)
		}
		out = append(out, i)
	}
	return out
}

func pySum(b *builder, c *call, args []any) any {
	l, ok := args[0].([]any)
	if !ok || len(args) > 1 {
		b.fail(c.at, "sum takes a list")
	}
	total := any(int64(0))
	for _, v := range l {
		total = b.evalBinary(opPlus, total, v, c.at)
	}
	return total
}

func (b *builder) extremum(c *call, args []any, op kind) any {
	if l, ok := args[0].([]any); ok && len(args) == 1 {
		args = l
	}
	if len(args) == 0 {
		b.fail(c.at, "%s of nothing", c.name)
	}
	best := args[0]
	for _, v := range args[1:] {
		less, ok := b.compare(op, v, best, c.at).(bool)
		if !ok {
			b.fail(c.at, "%s takes constants; T.%s takes expressions", c.name, c.name)
		}
		if less {
			best = v
		}
	}
	return best
}

func pyInt(b *builder, c *call, args []any) any {
	switch v := args[0].(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	case *tir.IntImm:
		return v.Value
	}
	b.fail(c.at, "int takes a constant")
	return nil
}

func pyAbs(b *builder, c *call, args []any) any {
	switch v := args[0].(type) {
	case int64:
		return max(v, -v)
	case float64:
		return math.Abs(v)
	}
	b.fail(c.at, "abs takes a constant; T.abs takes expressions")
	return nil
}

func pyFloat(b *builder, c *call, args []any) any {
	if v, ok := number(args[0]); ok {
		return v
	}
	if s, ok := args[0].(string); ok {
		if v, ok := floatNames[s]; ok {
			return v
		}
	}
	b.fail(c.at, "float takes a constant")
	return nil
}
