package tvmscript

import (
	"fmt"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// arg is an evaluated argument.
type arg struct {
	at  pos
	val any
}

// call is a call whose arguments are evaluated. With shapes, quoted entries of
// the arguments that hold shapes are expressions; with strides, those of strides
// are variables.
type call struct {
	at      pos
	name    string
	args    []arg
	kw      map[string]arg
	shapes  bool
	strides bool
}

// shapeKeywords are the arguments that may hold quoted expressions.
var shapeKeywords = map[string]bool{"shape": true}

// arguments evaluates the arguments of n into c.
func (b *builder) arguments(c *call, n *callNode) {
	c.args = b.args.room(len(n.args))
	for i, a := range n.args {
		if st, ok := a.(*starNode); ok {
			for _, v := range b.spread(st) {
				c.args = append(c.args, arg{st.p, v})
			}
			continue
		}
		_, isList := a.(*listNode)
		if c.shapes && (isList || i == 0) {
			c.args = append(c.args, arg{a.at(), b.shapeValue(a)})
			continue
		}
		c.args = append(c.args, arg{a.at(), b.eval(a)})
	}
	if len(n.kw) > 0 {
		c.kw = make(map[string]arg, len(n.kw))
	}
	for _, k := range n.kw {
		if _, dup := c.kw[k.name]; dup {
			b.fail(k.p, "a second argument %s", k.name)
		}
		if (c.shapes || c.strides) && k.name == "strides" {
			c.kw[k.name] = arg{k.val.at(), b.strideValue(k.val)}
			continue
		}
		if c.shapes && shapeKeywords[k.name] {
			c.kw[k.name] = arg{k.val.at(), b.shapeValue(k.val)}
			continue
		}
		c.kw[k.name] = arg{k.val.at(), b.eval(k.val)}
	}
}

// evalCall calls a function of T.
func (b *builder) evalCall(n *callNode) any {
	if p, ok := n.fn.(*pathNode); ok {
		if v, isMethod := b.method(p, n); isMethod {
			return v
		}
	}
	path := dotted(n.fn)
	short, ok := cutT(path)
	if rest, has := strings.CutPrefix(path, b.className); has && b.className != "" && strings.HasPrefix(rest, ".") {
		return b.callMember(rest[1:], n)
	}
	if !ok {
		if f, known := pythonFuncs[path]; known {
			return b.callPython(f, path, n)
		}
		if path == "I.vdevice" || path == "I.dummy_global_info" {
			return b.globalInfo(path[len("I."):], n)
		}
		if mapMakers[path] {
			c := &call{at: n.p, name: path}
			b.arguments(c, n)
			return b.mapFromFunc(c)
		}
		b.fail(n.p, "only functions of T can be called here, not %s", path)
	}
	if short == "Let" {
		return b.let(n)
	}
	name := path
	if !strings.HasPrefix(path, "T.") {
		name = "T." + short
	}
	c := b.opened.put(call{at: n.p, name: name})
	b.arguments(c, n)
	if f, ok := functions[short]; ok {
		return f(b, c)
	}
	if t, ok := typeName(short); ok && t != dtype.VoidType && t.Lanes <= dtype.MaxLanes {
		return b.castCall(c, t)
	}
	if f, ok := b.mathCall(short, c); ok {
		return f
	}
	b.fail(n.p, "unknown function T.%s", short)
	return nil
}

// callMember calls another function of the module.
func (b *builder) callMember(id string, n *callNode) any {
	f, ok := b.member(id)
	if !ok {
		b.fail(n.p, "the module has no function %s", id)
	}
	c := &call{at: n.p, name: id}
	b.arguments(c, n)
	return &tir.Call{Op: "@" + id, Args: b.exprs(b.positional(c, 0, 1<<10)), Type: f.ret}
}

// method calls a method of a buffer or of the object of a script.
func (b *builder) method(p *pathNode, n *callNode) (any, bool) {
	dot := strings.LastIndexByte(p.path, '.')
	head, rest, _ := strings.Cut(p.path[:dot], ".")
	v, ok := b.lookup(head)
	if !ok {
		return nil, false
	}
	v, name := b.properties(v, rest, p.p), p.path[dot+1:]
	if o, ok := v.(Object); ok {
		return b.invoke(o, name, n), true
	}
	buf, ok := v.(*tir.Buffer)
	if !ok {
		return nil, false
	}
	c := &call{at: n.p, name: buf.Name + "." + name}
	b.arguments(c, n)
	switch name {
	case "scope":
		return buf.Scope, true
	case "vload":
		return b.vectorLoad(buf, c), true
	case "view":
		return b.view(buf, c), true
	case "access_ptr":
		return b.accessPtr(buf, c), true
	}
	b.fail(p.p, "a buffer has no method %s", name)
	return nil, true
}

// positional checks the number of arguments and returns their values; dtype is
// accepted as a keyword and ignored, as TVM does for intrinsics.
func (b *builder) positional(c *call, least, most int) []arg {
	for k, a := range c.kw {
		if k != "dtype" && k != "span" {
			b.fail(a.at, "%s has no argument %s", c.name, k)
		}
	}
	if len(c.args) < least || len(c.args) > most {
		want := fmt.Sprint(least)
		if most != least {
			want = fmt.Sprintf("%d to %d", least, most)
		}
		b.fail(c.at, "%s takes %s arguments, not %d", c.name, want, len(c.args))
	}
	return c.args
}

// named gives the arguments of c in the order of names, the first least of which
// must be there; keywords fill what positions leave open.
func (b *builder) named(c *call, names []string, least int) []arg {
	if len(c.args) > len(names) {
		b.fail(c.at, "%s takes %d arguments, not %d", c.name, len(names), len(c.args))
	}
	out := c.args
	for i := len(c.args); i < len(names); i++ {
		a, ok := c.kw[names[i]]
		if !ok {
			break
		}
		out = append(out, a)
		delete(c.kw, names[i])
	}
	for k, a := range c.kw {
		b.fail(a.at, "%s has no argument %s, or it is given twice", c.name, k)
	}
	if len(out) < least {
		b.fail(c.at, "%s needs the argument %s", c.name, names[len(out)])
	}
	return out
}

// castCall is T.int32(x): a variable without argument, else a cast that folds.
func (b *builder) castCall(c *call, t dtype.DType) any {
	args := b.positional(c, 0, 1)
	if len(args) == 0 {
		return tir.NewVar("", t)
	}
	if s, ok := args[0].val.(string); ok {
		return b.textNumber(s, t, args[0].at)
	}
	if f, ok := args[0].val.(float64); ok && t.IsFloat() && t.Lanes == 1 {
		return b.floatLiteral(f, t, args[0].at)
	}
	if i, ok := args[0].val.(bigInt); ok && t == dtype.UInt64 {
		return tir.IntOf(int64(i), t)
	}
	if i, ok := args[0].val.(int64); ok && (t.IsInt() || t.IsBool()) && t.Lanes == 1 {
		return b.intLiteral(i, t, c.at)
	}
	if r, ok := args[0].val.(tir.Region); ok && b.fn.old {
		args[0].val = b.regionLoad(r, args[0].at)
	}
	e := b.operand(args[0].val, args[0].at)
	if e.DType().Lanes != t.Lanes && e.DType().Lanes != 1 {
		b.fail(c.at, "a cast of %s to %s changes the number of lanes", e.DType(), t)
	}
	return b.cast(t, e, args[0].at)
}

// let is T.Let(body, where={x: value}): the keys are new names.
func (b *builder) let(n *callNode) any {
	if len(n.args) == 1 && len(n.kw) == 1 && n.kw[0].name == "where" {
		if d, ok := n.kw[0].val.(*dictNode); ok && len(d.entries) > 0 {
			vars, vals := make([]*tir.Var, len(d.entries)), make([]tir.Expr, len(d.entries))
			for i, e := range d.entries {
				vals[i] = b.expr(b.eval(e.val), e.val.at())
			}
			b.open()
			for i, e := range d.entries {
				id, ok := e.key.(*nameNode)
				if !ok {
					b.fail(e.key.at(), "T.Let binds names")
				}
				vars[i] = tir.NewVar(id.id, vals[i].DType())
				b.bind(id.id, vars[i])
			}
			body := b.expr(b.eval(n.args[0]), n.args[0].at())
			b.close()
			for i := len(vars) - 1; i >= 0; i-- {
				body = &tir.Let{Var: vars[i], Value: vals[i], Body: body}
			}
			return body
		}
	}
	b.fail(n.p, "T.Let is written T.Let(body, where={name: value})")
	return nil
}
