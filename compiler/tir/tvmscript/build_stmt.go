package tvmscript

import (
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

func (b *builder) stmts(body []pyStmt) {
	for _, s := range body {
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
		cond := b.truth(b.eval(s.cond), s.cond.at())
		body := b.inside(&frame{kind: branchFrame, at: s.p}, s.body)
		b.emit(&tir.While{Cond: cond, Body: body})
	case *withStmt:
		b.with(s)
	case *assertStmt:
		b.assertion(s)
	case *passStmt:
	case *jumpStmt:
		b.jump(s)
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
		b.stmts(body) // in the scope around, as in Python
		return
	}
	out := &tir.If{Cond: b.truth(cond, s.cond.at())}
	out.Then = b.inside(&frame{kind: branchFrame, at: s.p}, s.then)
	if s.els != nil {
		out.Else = b.inside(&frame{kind: branchFrame, at: s.p}, s.els)
	}
	b.emit(out)
}

func (b *builder) assertion(s *assertStmt) {
	out := &tir.Assert{Cond: b.boolExpr(b.eval(s.cond), s.cond.at())}
	if s.msg == nil {
		b.fail(s.p, "assert needs a message")
	}
	msg := b.eval(s.msg)
	if pair, ok := msg.([]any); ok { // ("ValueError", ["parts of ", "the message"])
		if len(pair) != 2 {
			b.fail(s.msg.at(), "the message of assert is a text, or a kind of error and a list of texts")
		}
		out.Kind = b.stringArg(arg{s.msg.at(), pair[0]})
		if out.Kind == "RuntimeError" {
			out.Kind = ""
		}
		msg = pair[1]
	}
	parts, ok := msg.([]any)
	if !ok {
		parts = []any{msg}
	}
	for _, p := range parts {
		out.Parts = append(out.Parts, b.stringArg(arg{s.msg.at(), p}))
	}
	b.emit(out)
}

// jump reads break, continue and return.
func (b *builder) jump(s *jumpStmt) {
	if s.value == nil {
		if s.word == "return" {
			b.fail(s.p, "return needs a value here")
		}
		b.emit(&tir.Evaluate{Value: &tir.Call{Op: s.word + "_loop", Type: dtype.VoidType}})
		return
	}
	v := b.expr(b.eval(s.value), s.value.at())
	b.emit(&tir.Evaluate{Value: &tir.Call{Op: "ret", Args: []tir.Expr{v}, Type: dtype.VoidType}})
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
			if strings.HasPrefix(short, "axis.") {
				if _, ok := b.maker("", c); ok {
					return
				}
			}
		}
	}
	switch v := b.eval(s.x).(type) {
	case nil, string, *tir.Var, *tir.Buffer:
	case float64, []any, map[string]any:
		b.fail(s.p, "a %s is no statement", describe(v))
	default:
		b.emit(&tir.Evaluate{Value: b.expr(v, s.p)})
	}
}

// callStmts are the functions of T that are statements.
var callStmts map[string]func(b *builder, n *callNode)

func init() {
	callStmts = map[string]func(b *builder, n *callNode){
		"func_attr":     (*builder).funcAttr,
		"evaluate":      (*builder).evaluate,
		"buffer_store":  (*builder).bufferStore,
		"where":         (*builder).where,
		"reads":         func(b *builder, n *callNode) { b.accessRegions(n, true) },
		"writes":        func(b *builder, n *callNode) { b.accessRegions(n, false) },
		"sblock_attr":   (*builder).blockAttr,
		"block_attr":    (*builder).blockAttr,
		"match_buffer":  func(b *builder, n *callNode) { b.matchBuffer("", n) },
		"attr":          (*builder).bareAttr,
		"launch_thread": func(b *builder, n *callNode) { b.bareLaunch(n) },
		"device_entry":  func(b *builder, n *callNode) { b.fail(n.p, "T.device_entry is not supported") },
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
		if _, public := f.Attrs.Get(tir.AttrGlobalSymbol); key == tir.AttrGlobalSymbol && !public {
			b.fail(n.p, "a private function has no global_symbol")
		}
		if seen[key] || dup && key != tir.AttrGlobalSymbol && key != tir.AttrSTIR {
			b.fail(n.p, "function attribute %q is given twice", kv.Key)
		}
		seen[key] = true
		f.Attrs = f.Attrs.With(key, kv.Value)
	}
}

// with opens a block, a reduction initialiser, an attribute or a thread.
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
		blk.block.Init = b.inside(b.scratch.frames.put(frame{kind: initFrame, at: s.p}), s.body)
	case "attr":
		wrap := b.attr(c)
		b.emit(wrap(b.inside(&frame{kind: branchFrame, at: s.p}, s.body)))
	case "launch_thread":
		b.withLaunch(s, c)
	default:
		b.fail(s.item.at(), "expected T.sblock, T.init, T.attr or T.launch_thread after with")
	}
}

// stored converts what is stored to an element type; constants fold.
func (b *builder) stored(v any, t dtype.DType, at pos) tir.Expr {
	if f, ok := v.(float64); ok && t == dtype.Float64 {
		return tir.FloatOf(f, t)
	}
	e := b.expr(v, at)
	from := e.DType()
	if from.Code == dtype.Handle || from.Code == dtype.String || from.Code == dtype.Void {
		b.fail(at, "%s is %s, the store takes %s", tir.ExprString(e), from, t)
	}
	if from.Lanes != t.Lanes {
		b.fail(at, "the store takes %s, the value is %s", t, from)
	}
	return b.cast(t, e, at)
}
