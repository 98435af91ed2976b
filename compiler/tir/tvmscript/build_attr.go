package tvmscript

import (
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// attr reads T.attr(node, "key", value), or T.attr({"key": value, …}) about
// nothing. The result puts the attributes around a body.
func (b *builder) attr(n *callNode) func(tir.Stmt) tir.Stmt {
	var attrs []*tir.AttrStmt
	if d, ok := soleDict(n); ok {
		m := b.evalDict(d).(map[string]any)
		for _, e := range d.entries {
			key := b.stringArg(arg{e.key.at(), b.eval(e.key)})
			attrs = append(attrs, &tir.AttrStmt{Key: key, Value: b.attrValue(arg{n.p, m[key]})})
		}
	} else {
		c := &call{at: n.p, name: "T.attr"}
		b.arguments(c, n)
		args := b.named(c, []string{"node_or_dict", "attr_key", "value"}, 3)
		a := &tir.AttrStmt{Node: b.attrNode(args[0]), Key: b.stringArg(args[1])}
		if it, ok := a.Node.(*tir.IterVar); !ok {
			a.Value = b.attrValue(args[2])
		} else if a.Value = b.scalarInt(args[2]); a.Key != launchKey(it.Tag) {
			b.fail(args[1].at, "the thread %s is launched by the attribute %s", it.Tag, launchKey(it.Tag))
		}
		attrs = append(attrs, a)
	}
	return func(body tir.Stmt) tir.Stmt {
		for i := len(attrs) - 1; i >= 0; i-- {
			attrs[i].Body = body
			body = attrs[i]
		}
		return body
	}
}

func soleDict(n *callNode) (*dictNode, bool) {
	if len(n.args) != 1 || len(n.kw) > 0 {
		return nil, false
	}
	d, ok := n.args[0].(*dictNode)
	return d, ok && len(d.entries) > 0
}

func (b *builder) bareAttr(n *callNode) { b.holdRest(n.p, b.attr(n)) }

// attrNode is what an attribute is about; the number 0 stands for nothing.
func (b *builder) attrNode(a arg) any {
	switch v := a.val.(type) {
	case int64:
		if v == 0 {
			return nil
		}
		return v
	case string, *tir.Reducer, tir.Target, *tir.IterVar:
		return v
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = b.attrNode(arg{a.at, x})
		}
		return out
	case *tir.Buffer:
		return &tir.BufferRef{Buffer: v}
	}
	return b.expr(a.val, a.at)
}

func (b *builder) attrValue(a arg) any {
	switch v := a.val.(type) {
	case string, int64:
		return v
	}
	return b.expr(a.val, a.at)
}

// iterVar is T.iter_var(var, None, "ThreadIndex", "threadIdx.x"), the thread of
// an attribute.
func iterVar(b *builder, c *call) any {
	a := b.named(c, []string{"var", "dom", "iter_type", "thread_tag"}, 4)
	v, ok := a[0].val.(*tir.Var)
	switch {
	case !ok:
		b.fail(a[0].at, "T.iter_var is about a variable")
	case a[1].val != nil || b.stringArg(a[2]) != "ThreadIndex":
		b.fail(c.at, "only threads without a domain have a T.iter_var here")
	}
	return &tir.IterVar{Var: v, Kind: tir.Thread, Tag: b.stringArg(a[3])}
}

// thread is a thread variable with the extent it was launched with.
type thread struct {
	iter   *tir.IterVar
	extent tir.Expr
}

// envThread reads T.env_thread("threadIdx.x").
func (b *builder) envThread(name string, n *callNode) *tir.Var {
	c := &call{at: n.p, name: "T.env_thread"}
	b.arguments(c, n)
	args := b.named(c, []string{"thread_tag", "dtype"}, 1)
	t := dtype.Int32
	if len(args) > 1 {
		t = b.dtypeArg(args[1])
	}
	return b.newThread(name, b.stringArg(args[0]), t).iter.Var
}

func (b *builder) newThread(name, tag string, t dtype.DType) *thread {
	v := tir.NewVar(name, t)
	out := &thread{iter: &tir.IterVar{Var: v, Kind: tir.Thread, Tag: tag}}
	if b.fn.threads == nil {
		b.fn.threads = map[*tir.Var]*thread{}
	}
	b.fn.threads[v] = out
	return out
}

// launch reads T.launch_thread of a tag, which makes a variable, or of a
// variable of T.env_thread.
func (b *builder) launch(name string, n *callNode) *tir.AttrStmt {
	c := &call{at: n.p, name: "T.launch_thread"}
	b.arguments(c, n)
	args := b.named(c, []string{"thread", "extent"}, 2)
	extent := b.scalarInt(args[1])
	var th *thread
	switch v := args[0].val.(type) {
	case string:
		th = b.newThread(name, v, extent.DType())
	case *tir.Var:
		th = b.fn.threads[v]
	}
	switch {
	case th == nil:
		b.fail(args[0].at, "expected the tag of a thread or a variable of T.env_thread")
	case th.extent != nil && !tir.EqualExpr(th.extent, extent):
		b.fail(n.p, "%s is launched with the extents %s and %s", th.iter.Tag, tir.ExprString(th.extent), tir.ExprString(extent))
	}
	th.extent = extent
	return &tir.AttrStmt{Node: th.iter, Key: launchKey(th.iter.Tag), Value: extent}
}

// launchKey is the attribute that launches threads of an axis.
func launchKey(tag string) string {
	if tag == "vthread" || strings.HasPrefix(tag, "vthread.") {
		return "virtual_thread"
	}
	return "thread_extent"
}

// bareLaunch launches a thread for the rest of the body.
func (b *builder) bareLaunch(n *callNode) *tir.Var { return b.launchRest("", n) }

func (b *builder) launchRest(name string, n *callNode) *tir.Var {
	a := b.launch(name, n)
	b.holdRest(n.p, func(body tir.Stmt) tir.Stmt {
		a.Body = body
		return a
	})
	return a.Node.(*tir.IterVar).Var
}

// withLaunch reads `with T.launch_thread("threadIdx.x", 32) as tx:`.
func (b *builder) withLaunch(s *withStmt, n *callNode) {
	name := ""
	if s.as != nil {
		t, ok := s.as.(*nameNode)
		if !ok {
			b.fail(s.as.at(), "a thread has one name")
		}
		name = t.id
	}
	a := b.launch(name, n)
	b.open()
	if name != "" {
		b.bind(name, a.Node.(*tir.IterVar).Var)
	}
	a.Body = b.inside(&frame{kind: branchFrame, at: s.p}, s.body)
	b.close()
	b.emit(a)
}

// reducer reads T.comm_reducer(lambda x, y: x + y, [identity]).
func reducer(b *builder, c *call) any {
	args := b.named(c, []string{"combiner", "identity"}, 2)
	l, ok := args[0].val.(*Lambda)
	list, ok2 := args[1].val.([]any)
	if !ok || !ok2 || len(l.n.params) != 2*len(list) || len(list) == 0 {
		b.fail(c.at, "T.comm_reducer takes a lambda of two variables for each identity")
	}
	r := &tir.Reducer{}
	for _, v := range list {
		r.Identity = append(r.Identity, b.expr(v, args[1].at))
	}
	vars := make([]any, len(l.n.params))
	for i, id := range l.n.params {
		v := tir.NewVar(id, r.Identity[i%len(list)].DType())
		vars[i] = v
		if i < len(list) {
			r.Lhs = append(r.Lhs, v)
		} else {
			r.Rhs = append(r.Rhs, v)
		}
	}
	out := l.apply(vars)
	results, ok := out.([]any)
	if !ok {
		results = []any{out}
	}
	for _, v := range results {
		r.Result = append(r.Result, b.expr(v, l.n.at()))
	}
	if len(r.Result) != len(list) {
		b.fail(c.at, "T.comm_reducer: %d results for %d identities", len(r.Result), len(list))
	}
	return r
}
