package tvmscript

import (
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

func (b *builder) stmts(body []pyStmt) {
	for i, s := range body {
		if x, ok := s.(*exprStmt); ok && b.restAttr(x, body[i+1:]) {
			return
		}
		b.stmt(s)
	}
}

func (b *builder) stmt(s pyStmt) {
	switch s := s.(type) {
	case *assignStmt:
		b.assign(s)
	case *augStmt:
		b.augmented(s)
	case *annStmt:
		b.annotated(s)
	case *exprStmt:
		b.exprStmt(s)
	case *forStmt:
		b.forLoop(s)
	case *ifStmt:
		b.ifStmt(s)
	case *whileStmt:
		cond := b.boolExpr(b.eval(s.cond), s.cond.at())
		body := b.inside(&frame{kind: branchFrame, at: s.p}, s.body)
		b.emit(&tir.While{Cond: cond, Body: body})
	case *withStmt:
		b.with(s)
	case *assertStmt:
		b.assertion(s)
	case *passStmt:
	default:
		b.fail(s.at(), "this statement is not allowed in a function")
	}
}

func (b *builder) ifStmt(s *ifStmt) {
	cond := b.eval(s.cond)
	if c, ok := cond.(bool); ok { // decided while parsing
		body := s.then
		if !c {
			body = s.els
		}
		b.scopes = append(b.scopes, map[string]any{})
		b.stmts(body)
		b.scopes = b.scopes[:len(b.scopes)-1]
		return
	}
	out := &tir.If{Cond: b.boolExpr(cond, s.cond.at())}
	out.Then = b.inside(&frame{kind: branchFrame, at: s.p}, s.then)
	if s.els != nil {
		out.Else = b.inside(&frame{kind: branchFrame, at: s.p}, s.els)
	}
	b.emit(out)
}

func (b *builder) assertion(s *assertStmt) {
	out := &tir.Assert{Cond: b.boolExpr(b.eval(s.cond), s.cond.at())}
	if s.msg != nil {
		out.Message = assertText(b.eval(s.msg))
	}
	b.emit(out)
}

// assertText joins the parts of a message: a text, or ("RuntimeError", [parts]).
func assertText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		if len(v) == 2 {
			if parts, ok := v[1].([]any); ok {
				var b strings.Builder
				for _, p := range parts {
					if s, ok := p.(string); ok {
						b.WriteString(s)
					}
				}
				return b.String()
			}
		}
	}
	return ""
}

// exprStmt is a call of a block or function statement, or an expression that is
// evaluated.
func (b *builder) exprStmt(s *exprStmt) {
	if _, doc := s.x.(*textNode); doc {
		return
	}
	c, ok := s.x.(*callNode)
	if ok {
		if short, isT := cutT(dotted(c.fn)); isT {
			if f, ok := callStmts[short]; ok {
				f(b, c)
				return
			}
		}
	}
	v := b.eval(s.x)
	if l, ok := v.([]any); ok && len(l) == 0 {
		return
	}
	e := b.expr(v, s.p)
	b.emit(&tir.Evaluate{Value: e})
}

// callStmts are the functions of T that are statements.
var callStmts map[string]func(b *builder, n *callNode)

func init() {
	callStmts = map[string]func(b *builder, n *callNode){
		"func_attr":    (*builder).funcAttr,
		"evaluate":     (*builder).evaluate,
		"where":        (*builder).where,
		"reads":        func(b *builder, n *callNode) { b.accessRegions(n, true) },
		"writes":       func(b *builder, n *callNode) { b.accessRegions(n, false) },
		"sblock_attr":  (*builder).blockAttr,
		"block_attr":   (*builder).blockAttr,
		"match_buffer": func(b *builder, n *callNode) { b.fail(n.p, "T.match_buffer needs a name on its left") },
		"device_entry": func(b *builder, n *callNode) { b.fail(n.p, "T.device_entry is not supported") },
	}
}

func (b *builder) evaluate(n *callNode) {
	if len(n.args) != 1 || len(n.kw) > 0 {
		b.fail(n.p, "T.evaluate takes one expression")
	}
	v := b.eval(n.args[0])
	if r, ok := v.(tir.Region); ok {
		b.fail(n.p, "T.evaluate of the region %s; index the buffer", tir.RegionString(r))
	}
	b.emit(&tir.Evaluate{Value: b.expr(v, n.args[0].at())})
}

func (b *builder) funcAttr(n *callNode) {
	if b.top().kind != funcFrame || len(n.args) != 1 {
		b.fail(n.p, "T.func_attr takes a dict and stands at the top of a function")
	}
	f := b.fn.fn
	seen := map[string]bool{}
	for _, kv := range b.attributes(n.args[0]) {
		key := kv.Key
		if strings.HasPrefix(key, "tir.") { // releases up to 0.20
			key = "tirx." + key[len("tir."):]
		}
		_, dup := f.Attrs.Get(key)
		if seen[key] || dup && key != tir.AttrGlobalSymbol && key != tir.AttrSTIR {
			b.fail(n.p, "function attribute %q is given twice", kv.Key)
		}
		seen[key] = true
		f.Attrs = f.Attrs.With(key, kv.Value)
	}
}

// with opens a block, a reduction initialiser or an attribute.
func (b *builder) with(s *withStmt) {
	c, ok := s.item.(*callNode)
	short := ""
	if ok {
		short, _ = cutT(dotted(c.fn))
	}
	switch short {
	case "sblock", "block":
		b.block(s, c)
	case "init":
		blk := b.directBlock(s.p, "T.init")
		if blk.hasInit {
			b.fail(s.p, "a second T.init in block %q", blk.block.Name)
		}
		blk.hasInit = true
		blk.block.Init = b.inside(&frame{kind: initFrame, at: s.p}, s.body)
	case "attr":
		key, value := b.attrArgs(c)
		b.emit(&tir.AttrStmt{Key: key, Value: value, Body: b.inside(&frame{kind: branchFrame, at: s.p}, s.body)})
	default:
		b.fail(s.p, "expected T.sblock, T.init or T.attr after with")
	}
}

// attrArgs reads T.attr({"key": value}) or T.attr(0, "key", value).
func (b *builder) attrArgs(n *callNode) (string, any) {
	c := &call{at: n.p, name: "T.attr"}
	b.arguments(c, n)
	if len(c.args) == 1 {
		if a := b.annotations(c.args[0]); len(a) == 1 {
			return a[0].Key, a[0].Value
		}
	}
	if len(c.args) == 3 && c.args[0].val == any(int64(0)) {
		return b.stringArg(c.args[1]), b.plain(c.args[2].val, c.args[2].at)
	}
	b.fail(n.p, "T.attr is supported as T.attr({\"key\": value})")
	return "", nil
}

// restAttr reads a bare T.attr, which holds the rest of its body.
func (b *builder) restAttr(s *exprStmt, rest []pyStmt) bool {
	c, ok := s.x.(*callNode)
	if !ok || !isT(dotted(c.fn), "attr") {
		return false
	}
	key, value := b.attrArgs(c)
	b.emit(&tir.AttrStmt{Key: key, Value: value, Body: b.inside(&frame{kind: branchFrame, at: s.p}, rest)})
	return true
}

// stored converts what is stored to an element type; constants fold.
func (b *builder) stored(v any, t dtype.DType, at pos) tir.Expr {
	if f, ok := v.(float64); ok && t.IsFloat() && t.Lanes == 1 {
		return tir.Const(f, t)
	}
	e := b.expr(v, at)
	from := e.DType()
	if from.Code == dtype.Handle || from.Code == dtype.String || from.Code == dtype.Void {
		b.fail(at, "%s is %s, the store takes %s", tir.ExprString(e), from, t)
	}
	if from.Lanes != t.Lanes {
		b.fail(at, "the store takes %s, the value is %s", t, from)
	}
	return tir.NewCast(t, e)
}
