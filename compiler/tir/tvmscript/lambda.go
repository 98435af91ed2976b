package tvmscript

import (
	"fmt"
	"slices"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Lambda is a function that a text wrote as `lambda i, j: …`.
type Lambda struct {
	b      *builder
	n      *lamNode
	scopes []*scope
}

// Call evaluates the body. A variadic parameter takes what the others leave.
// The result is a value of the evaluator, see Exec.
func (l *Lambda) Call(args ...any) (out any, err error) {
	defer rescue(&err)
	return l.apply(args), nil
}

// Params names the parameters; nil when one of them is variadic.
func (l *Lambda) Params() []string {
	if l.variadic() >= 0 {
		return nil
	}
	return l.n.params
}

// IndexMap calls the lambda on fresh variables of type t. A variadic parameter
// stands for as many of them as rank asks for.
func (l *Lambda) IndexMap(rank int, t dtype.DType) (m *tir.IndexMap, err error) {
	defer rescue(&err)
	return l.indexMap(rank, t), nil
}

// variadic is the place of the parameter that is written with a star, -1
// without one.
func (l *Lambda) variadic() int {
	for i, p := range l.n.params {
		if strings.HasPrefix(p, "*") {
			return i
		}
	}
	return -1
}

func (l *Lambda) apply(args []any) any {
	b, names, star := l.b, l.n.params, l.variadic()
	if star < 0 && len(args) != len(names) || star >= 0 && len(args) < len(names)-1 {
		b.fail(l.n.p, "the lambda takes %d arguments, it is called with %d", len(names), len(args))
	}
	around, depth := b.scopes, b.depth
	defer func() { b.scopes, b.depth = around, depth }() // after a fault too: the object may go on
	b.scopes = slices.Clone(l.scopes)
	b.open()
	plain := make([]string, len(names))
	for i, id := range names {
		plain[i] = strings.TrimPrefix(id, "*")
	}
	b.bindTargets(plain, star, args, l.n.p)
	return b.eval(l.n.body)
}

func (l *Lambda) indexMap(rank int, t dtype.DType) *tir.IndexMap {
	m := &tir.IndexMap{}
	var args []any
	add := func(id string) {
		v := tir.NewVar(id, t)
		m.Initial, args = append(m.Initial, v), append(args, v)
	}
	for _, id := range l.n.params {
		rest, star := strings.CutPrefix(id, "*")
		if !star {
			add(id)
			continue
		}
		if rank < 0 {
			l.b.fail(l.n.p, "the parameters of this lambda have to be written out one by one")
		}
		for i := range rank - (len(l.n.params) - 1) {
			add(fmt.Sprintf("%s_%d", rest, i))
		}
	}
	at := l.n.body.at()
	list, ok := l.apply(args).([]any)
	if !ok {
		m.Final = []tir.Expr{l.b.expr(l.apply(args), at)}
		return m
	}
	for i, v := range list {
		e, ok := v.(tir.Expr)
		if !ok {
			l.b.fail(at, "result %d of the lambda is a plain %s, not an expression: write T.int32(…) or the like", i, describe(v))
		}
		m.Final = append(m.Final, e)
	}
	return m
}

// indexMap builds T.index_map(lambda i, j: …).
func (b *builder) indexMap(c *call) any {
	for k := range c.kw {
		if k != "inverse_index_map" && k != "index_dtype" {
			b.fail(c.at, "T.index_map has no argument %s", k)
		}
	}
	if len(c.args) == 0 {
		b.fail(c.at, "T.index_map needs a lambda")
	}
	t := dtype.Int64
	if a, ok := c.kw["index_dtype"]; ok {
		t = b.dtypeArg(a)
	}
	m := b.lambdaMap(c.args[0], t)
	if a, ok := c.kw["inverse_index_map"]; ok && a.val != nil {
		m.Inverse = b.lambdaMap(a, t)
	}
	return m
}

func (b *builder) lambdaMap(a arg, t dtype.DType) *tir.IndexMap {
	m := b.lambdaOf(a).indexMap(-1, t)
	for _, e := range m.Final {
		tir.Walk(e, func(x tir.Expr) bool {
			if v, ok := x.(*tir.Var); ok && !slices.Contains(m.Initial, v) && !b.bound(v) {
				b.fail(a.at, "the map uses a variable of %s that nothing declares", v.Type)
			}
			return true
		})
	}
	return m
}

func (b *builder) lambdaOf(a arg) *Lambda {
	l, ok := a.val.(*Lambda)
	if !ok {
		b.fail(a.at, "expected a lambda")
	}
	return l
}

// mapMakers are the spellings of the method that makes an index map of a lambda.
var mapMakers = map[string]bool{"tvm.tirx.IndexMap.from_func": true, "tvm.tir.IndexMap.from_func": true, "IndexMap.from_func": true}

// mapFromFunc builds IndexMap.from_func(lambda *i: …, ndim, inverse_index_map,
// index_dtype="int64").
func (b *builder) mapFromFunc(c *call) any {
	names := []string{"mapping_function", "ndim", "inverse_index_map", "index_dtype"}
	given := map[string]arg{}
	for i, a := range c.args {
		if i > 2 {
			b.fail(a.at, "%s takes 3 arguments by position", c.name)
		}
		given[names[i]] = a
	}
	for k, a := range c.kw {
		if !slices.Contains(names, k) {
			b.fail(c.at, "%s has no argument %s", c.name, k)
		}
		given[k] = a
	}
	f, ok := given[names[0]]
	if !ok {
		b.fail(c.at, "%s needs a lambda", c.name)
	}
	t, rank := dtype.Int64, -1
	if a, ok := given["index_dtype"]; ok {
		t = b.dtypeArg(a)
	}
	if a, ok := given["ndim"]; ok && a.val != nil {
		if rank = int(b.intArg(a)); rank < 0 || rank > 64 {
			b.fail(a.at, "ndim is %d, want 0 to 64", rank)
		}
	}
	m := b.lambdaOf(f).indexMap(rank, t)
	if a, ok := given["inverse_index_map"]; ok && a.val != nil {
		if m.Inverse, ok = a.val.(*tir.IndexMap); !ok {
			m.Inverse = b.lambdaMap(a, t)
		}
	}
	return m
}
