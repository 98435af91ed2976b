package tvmscript

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Values of the evaluator are: int64, float64, bool, string and nil for Python's
// own constants; tir.Expr; *tir.Buffer; tir.Region for a sliced buffer; []any
// for tuples and lists; map[string]any for dicts; ref for a name of the T module;
// *Lambda; in a script (exec.go) also what its object returns.
type ref string

// bigInt is an integer from 2^63 to 2^64-1. Only T.uint64 takes it, and a minus
// the first of them.
type bigInt uint64

// modules are the names that scripts import.
var modules = map[string]bool{"T": true, "tir": true, "tirx": true, "I": true, "tvm": true}

// expr converts a value to an expression.
func (b *builder) expr(v any, at pos) tir.Expr {
	switch v := v.(type) {
	case tir.Expr:
		return v
	case int64:
		if v < math.MinInt32 || v > math.MaxInt32 {
			return tir.IntOf(v, dtype.Int64)
		}
		return tir.Int(v)
	case float64:
		return b.floatLiteral(v, dtype.Float32, at)
	case bool:
		return tir.BoolImm(v)
	case string:
		return &tir.StringImm{Value: v}
	case *tir.Buffer:
		b.fail(at, "buffer %s is no expression; index it", v.Name)
	case tir.Region:
		if b.fn.old { // there a slice is a vector
			return b.regionLoad(v, at)
		}
		b.fail(at, "the region %s is no expression; give its elements as an index, T.Ramp(%s, 1, …)", tir.RegionString(v), tir.ExprString(v.Ranges[len(v.Ranges)-1].Min))
	case bigInt:
		b.fail(at, "%d is not an integer of 64 bits; T.uint64(%d) is one without sign", uint64(v), uint64(v))
	case ref:
		b.fail(at, "%s is no expression", string(v))
	case nil:
		b.fail(at, "None is no expression")
	}
	b.fail(at, "a %s is no expression", describe(v))
	return nil
}

func describe(v any) string {
	switch v.(type) {
	case bigInt:
		return "number beyond 64 bits"
	case []any:
		return "tuple or list"
	case map[string]any:
		return "dict"
	case *Lambda:
		return "lambda"
	case string:
		return "text"
	case *tir.Buffer:
		return "buffer"
	case tir.Region:
		return "region"
	}
	return "value"
}

func oneElement(x *tir.Buffer) bool { return len(x.Shape) == 1 && tir.IsConst(x.Shape[0], 1) }

// regionLoad makes a region an expression: a load, of a vector when its last
// dimension is a slice.
func (b *builder) regionLoad(r tir.Region, at pos) tir.Expr {
	idx := make([]tir.Expr, len(r.Ranges))
	for i, x := range r.Ranges {
		idx[i] = x.Min
		if tir.IsConst(x.Extent, 1) {
			continue
		}
		lanes, ok := lanesOf(x.Extent)
		if !ok || i < len(r.Ranges)-1 {
			b.fail(at, "the region %s is no expression", tir.RegionString(r))
		}
		idx[i] = &tir.Ramp{Base: x.Min, Stride: tir.IntOf(1, x.Min.DType()), Lanes: lanes}
	}
	return &tir.Load{Buffer: r.Buffer, Indices: idx}
}

// indexExpr converts a value to an integer expression.
func (b *builder) indexExpr(v any, at pos) tir.Expr {
	e := b.expr(v, at)
	if t := e.DType(); !t.IsInt() {
		b.fail(at, "%s is %s where an integer is wanted", tir.ExprString(e), t)
	}
	return e
}

// indexOf converts a value to the index of a dimension. TVM takes bools and
// floats too, and says nothing of what they mean.
func (b *builder) indexOf(v any, at pos) tir.Expr {
	e := b.expr(v, at)
	if t := e.DType(); !t.IsInt() && !t.IsBool() && !t.IsFloat() {
		b.fail(at, "%s is %s where an index is wanted", tir.ExprString(e), t)
	}
	return e
}

// asRegion takes what T.reads accepts: a region, an element, a whole buffer.
func (b *builder) asRegion(v any) (tir.Region, bool) {
	switch v := v.(type) {
	case tir.Region:
		return v, true
	case *tir.Buffer:
		r := tir.Region{Buffer: v, Ranges: b.ir.ranges.room(len(v.Shape))}
		for _, n := range v.Shape {
			r.Ranges = append(r.Ranges, tir.Range{Min: tir.IntOf(0, n.DType()), Extent: n})
		}
		return r, true
	case *tir.Load:
		r := tir.Region{Buffer: v.Buffer, Ranges: b.ir.ranges.room(len(v.Indices))}
		for _, x := range v.Indices {
			if x.DType().Lanes != 1 {
				return tir.Region{}, false
			}
			r.Ranges = append(r.Ranges, point(x))
		}
		return r, true
	}
	return tir.Region{}, false
}

// plain converts a value to an annotation value.
func (b *builder) plain(v any, at pos) any {
	switch v := v.(type) {
	case nil, int64, float64, bool, string, *tir.IndexMap, tir.Target, tir.GlobalInfo:
		return v
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = b.plain(x, at)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = b.plain(x, at)
		}
		return out
	case tir.Expr:
		if p := tir.PlainValue(v); p != any(v) {
			return p
		}
		b.fail(at, "%s is no constant; annotations hold plain values", tir.ExprString(v))
	}
	b.fail(at, "a %s is no annotation value", describe(v))
	return nil
}

// annotations converts a dict argument.
func (b *builder) annotations(a arg) tir.Annotations {
	m, ok := a.val.(map[string]any)
	if !ok {
		b.fail(a.at, "annotations must be a dict with text keys")
	}
	out := tir.Annotations{}
	for k, v := range m {
		out = out.With(k, b.plain(v, a.at))
	}
	return out
}

// attributes reads a dict literal as annotations.
func (b *builder) attributes(n node) tir.Annotations {
	if b.scopes == nil {
		b.open()
	}
	return b.annotations(arg{n.at(), b.eval(n)})
}

func (b *builder) stringArg(a arg) string {
	s, ok := a.val.(string)
	if !ok {
		b.fail(a.at, "expected a text, found a %s", describe(a.val))
	}
	return s
}

func (b *builder) intArg(a arg) int64 {
	switch v := a.val.(type) {
	case int64:
		return v
	case *tir.IntImm:
		return v.Value
	}
	b.fail(a.at, "expected an integer constant")
	return 0
}

func (b *builder) dtypeArg(a arg) dtype.DType {
	if r, ok := a.val.(ref); ok {
		if short, ok := cutT(string(r)); ok {
			if t, ok := typeAliases[short]; ok {
				return t
			}
			a.val = short
		}
	}
	s := b.stringArg(a)
	t, err := dtype.Parse(s)
	if err != nil {
		b.fail(a.at, "%v", err)
	}
	return t
}
