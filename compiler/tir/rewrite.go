package tir

// RewriteExpr rebuilds e bottom-up: operands first, then f on the node with its
// new operands. Unchanged nodes keep their address. Arithmetic is rebuilt with
// NewBinary, so nothing folds unless f folds it.
func RewriteExpr(e Expr, f func(Expr) Expr) Expr {
	if e == nil {
		return nil
	}
	return f(MapOperands(e, func(x Expr) Expr { return RewriteExpr(x, f) }))
}

// MapOperands rebuilds one node with f applied to its operands; an unchanged node
// keeps its address.
func MapOperands(e Expr, f func(Expr) Expr) Expr {
	switch x := e.(type) {
	case *Binary:
		if a, b := f(x.A), f(x.B); a != x.A || b != x.B {
			return NewBinary(x.Op, a, b)
		}
	case *Not:
		if a := f(x.A); a != x.A {
			return &Not{a}
		}
	case *Cast:
		if a := f(x.Value); a != x.Value {
			return &Cast{x.Type, a}
		}
	case *Select:
		c, a, b := f(x.Cond), f(x.Then), f(x.Else)
		if c != x.Cond || a != x.Then || b != x.Else {
			return &Select{c, a, b}
		}
	case *Let:
		if v, b := f(x.Value), f(x.Body); v != x.Value || b != x.Body {
			return &Let{x.Var, v, b}
		}
	case *Ramp:
		if a, b := f(x.Base), f(x.Stride); a != x.Base || b != x.Stride {
			return &Ramp{a, b, x.Lanes}
		}
	case *Broadcast:
		if a := f(x.Value); a != x.Value {
			return &Broadcast{a, x.Lanes}
		}
	case *Load:
		if idx, changed := mapExprs(x.Indices, f); changed {
			return &Load{x.Buffer, idx}
		}
	case *Call:
		if args, changed := mapExprs(x.Args, f); changed {
			return &Call{x.Op, args, x.Type}
		}
	}
	return e
}

// RewriteExprs applies RewriteExpr to a list and says whether any changed; the
// list itself is returned when none did.
func RewriteExprs(es []Expr, f func(Expr) Expr) ([]Expr, bool) {
	return mapExprs(es, func(e Expr) Expr { return RewriteExpr(e, f) })
}

func mapExprs(es []Expr, f func(Expr) Expr) ([]Expr, bool) {
	out := es
	for i, e := range es {
		n := f(e)
		if n == e {
			continue
		}
		if &out[0] == &es[0] {
			out = append([]Expr(nil), es...)
		}
		out[i] = n
	}
	return out, len(es) > 0 && &out[0] != &es[0]
}

// Substitute replaces variables by expressions, folding the arithmetic above
// each replacement.
func Substitute(e Expr, sub map[*Var]Expr) Expr {
	return SubstituteFunc(e, func(v *Var) Expr { return sub[v] })
}

// SubstituteAll is Substitute on a list.
func SubstituteAll(es []Expr, sub map[*Var]Expr) []Expr {
	out := make([]Expr, len(es))
	for i, e := range es {
		out[i] = Substitute(e, sub)
	}
	return out
}

// SubstituteFunc replaces every variable for which f returns non-nil. Binary
// nodes that contain a replacement are rebuilt with folding.
func SubstituteFunc(e Expr, f func(*Var) Expr) Expr {
	switch x := e.(type) {
	case *Var:
		if r := f(x); r != nil {
			return r
		}
		return e
	case *IntImm, *FloatImm:
		return e
	case *Binary:
		a, b := SubstituteFunc(x.A, f), SubstituteFunc(x.B, f)
		if a == x.A && b == x.B {
			return e
		}
		return Rebuild(x.Op, a, b)
	}
	return substituteRare(e, f)
}

func substituteRare(e Expr, f func(*Var) Expr) Expr {
	list := func(es []Expr) ([]Expr, bool) {
		out, changed := make([]Expr, len(es)), false
		for i, x := range es {
			out[i] = SubstituteFunc(x, f)
			changed = changed || out[i] != x
		}
		return out, changed
	}
	switch x := e.(type) {
	case *Not:
		if a := SubstituteFunc(x.A, f); a != x.A {
			return NewNot(a)
		}
	case *Cast:
		if a := SubstituteFunc(x.Value, f); a != x.Value {
			return NewCast(x.Type, a)
		}
	case *Select:
		if s, changed := list([]Expr{x.Cond, x.Then, x.Else}); changed {
			return &Select{s[0], s[1], s[2]}
		}
	case *Let:
		if s, changed := list([]Expr{x.Value, x.Body}); changed {
			return &Let{x.Var, s[0], s[1]}
		}
	case *Ramp:
		if s, changed := list([]Expr{x.Base, x.Stride}); changed {
			return &Ramp{s[0], s[1], x.Lanes}
		}
	case *Broadcast:
		if a := SubstituteFunc(x.Value, f); a != x.Value {
			return &Broadcast{a, x.Lanes}
		}
	case *Load:
		if s, changed := list(x.Indices); changed {
			return &Load{x.Buffer, s}
		}
	case *Call:
		if s, changed := list(x.Args); changed {
			return &Call{x.Op, s, x.Type}
		}
	}
	return e
}

// Rebuild makes a binary node of any kind with folding.
func Rebuild(op BinOp, a, b Expr) Expr {
	switch {
	case op == OpAnd:
		return And(a, b)
	case op == OpOr:
		return Or(a, b)
	case op.IsCompare():
		return CompareFold(op, a, b)
	}
	return Arith(op, a, b)
}

// StmtRewriter changes statements bottom-up. Expr is applied to every
// expression a statement holds (whole expressions, not their operands); Stmt to
// every statement after its parts; Buffer maps the buffers of stores,
// allocations, regions and matches. Each may be nil. Loads are expressions: an
// Expr function that renames buffers handles them.
type StmtRewriter struct {
	Expr   func(Expr) Expr
	Stmt   func(Stmt) Stmt
	Buffer func(*Buffer) *Buffer
}

// Rewrite applies the rewriter to s; unchanged statements keep their address.
// Stmt may return nil to delete a statement.
func (w *StmtRewriter) Rewrite(s Stmt) Stmt {
	if s == nil {
		return nil
	}
	s = w.parts(s)
	if w.Stmt != nil {
		s = w.Stmt(s)
	}
	return s
}

func (w *StmtRewriter) expr(e Expr) Expr {
	if w.Expr == nil || e == nil {
		return e
	}
	return w.Expr(e)
}

func (w *StmtRewriter) buffer(b *Buffer) *Buffer {
	if w.Buffer == nil {
		return b
	}
	return w.Buffer(b)
}

func (w *StmtRewriter) exprs(es []Expr) ([]Expr, bool) {
	if w.Expr == nil {
		return es, false
	}
	out, changed := make([]Expr, len(es)), false
	for i, e := range es {
		out[i] = w.Expr(e)
		changed = changed || out[i] != e
	}
	if !changed {
		return es, false
	}
	return out, true
}

func (w *StmtRewriter) parts(s Stmt) Stmt {
	switch x := s.(type) {
	case *Store:
		b, v := w.buffer(x.Buffer), w.expr(x.Value)
		if idx, changed := w.exprs(x.Indices); changed || b != x.Buffer || v != x.Value {
			return &Store{b, v, idx}
		}
	case *Seq:
		return w.seq(x)
	case *If:
		c, a, b := w.expr(x.Cond), w.Rewrite(x.Then), w.Rewrite(x.Else)
		if a == nil && b == nil {
			return nil
		}
		if c != x.Cond || a != x.Then || b != x.Else {
			if a == nil {
				return &If{NewNot(c), b, nil}
			}
			return &If{c, a, b}
		}
	case *Evaluate:
		if v := w.expr(x.Value); v != x.Value {
			return &Evaluate{v}
		}
	case *Bind:
		if v := w.expr(x.Value); v != x.Value {
			return &Bind{x.Var, v}
		}
	case *AllocBuffer:
		if b := w.buffer(x.Buffer); b != x.Buffer {
			return &AllocBuffer{b, x.Ann}
		}
	case *DeclBuffer:
		if b, data := w.buffer(x.Buffer), w.expr(x.Data); b != x.Buffer || data != x.Data {
			return &DeclBuffer{b, data}
		}
	case *AttrStmt:
		return w.attr(x)
	case *While:
		if c, b := w.expr(x.Cond), w.Rewrite(x.Body); c != x.Cond || b != x.Body {
			return &While{c, b}
		}
	case *Assert:
		if c := w.expr(x.Cond); c != x.Cond {
			return &Assert{c, x.Kind, x.Parts}
		}
	case *For:
		return w.loop(x)
	case *BlockRealize:
		return w.realize(x)
	}
	return s
}

func (w *StmtRewriter) attr(x *AttrStmt) Stmt {
	n, changedNode := rewriteValue(x.Node, w.expr)
	v, changedValue := rewriteValue(x.Value, w.expr)
	b := w.Rewrite(x.Body)
	switch {
	case b == nil:
		return nil
	case b == x.Body && !changedNode && !changedValue:
		return x
	}
	return &AttrStmt{n, x.Key, v, b}
}

// rewriteValue applies f to the expressions in what an attribute is about.
func rewriteValue(v any, f func(Expr) Expr) (out any, changed bool) {
	switch v := v.(type) {
	case Expr:
		e := f(v)
		return e, e != v
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			y, c := rewriteValue(x, f)
			list[i], changed = y, changed || c
		}
		return list, changed
	}
	return v, false
}

func (w *StmtRewriter) seq(x *Seq) Stmt {
	out, changed := make([]Stmt, len(x.Stmts)), false
	for i, s := range x.Stmts {
		out[i] = w.Rewrite(s)
		changed = changed || out[i] != s
	}
	if !changed {
		return x
	}
	return NewSeq(out...)
}

func (w *StmtRewriter) loop(x *For) Stmt {
	lo, n, step, body := w.expr(x.Min), w.expr(x.Extent), w.expr(x.Step), w.Rewrite(x.Body)
	if body == nil {
		return nil
	}
	if lo == x.Min && n == x.Extent && step == x.Step && body == x.Body {
		return x
	}
	c := *x
	c.Min, c.Extent, c.Step, c.Body, c.Owner = lo, n, step, body, nil
	return &c
}

func (w *StmtRewriter) realize(x *BlockRealize) Stmt {
	values, changed := w.exprs(x.Values)
	pred, block := w.expr(x.Predicate), w.block(x.Block)
	if !changed && pred == x.Predicate && block == x.Block {
		return x
	}
	return &BlockRealize{Values: values, Predicate: pred, Block: block}
}

func (w *StmtRewriter) block(x *Block) *Block {
	c := *x
	changed := false
	c.Iters = make([]*IterVar, len(x.Iters))
	for i, it := range x.Iters {
		c.Iters[i] = it
		if lo, n := w.expr(it.Dom.Min), w.expr(it.Dom.Extent); lo != it.Dom.Min || n != it.Dom.Extent {
			c.Iters[i] = &IterVar{it.Var, Range{lo, n}, it.Kind, it.Tag}
			changed = true
		}
	}
	c.Reads = w.regions(x.Reads, &changed)
	c.Writes = w.regions(x.Writes, &changed)
	c.Allocs = make([]*Buffer, len(x.Allocs))
	for i, b := range x.Allocs {
		c.Allocs[i] = w.buffer(b)
		changed = changed || c.Allocs[i] != b
	}
	c.Matches = make([]MatchRegion, len(x.Matches))
	for i, m := range x.Matches {
		src := w.regions([]Region{m.Source}, &changed)
		c.Matches[i] = MatchRegion{w.buffer(m.Buffer), src[0]}
		changed = changed || c.Matches[i].Buffer != m.Buffer
	}
	c.Init, c.Body = w.Rewrite(x.Init), w.Rewrite(x.Body)
	if !changed && c.Init == x.Init && c.Body == x.Body {
		return x
	}
	return &c
}

func (w *StmtRewriter) regions(rs []Region, changed *bool) []Region {
	out := make([]Region, len(rs))
	for i, r := range rs {
		out[i] = Region{w.buffer(r.Buffer), make([]Range, len(r.Ranges))}
		*changed = *changed || out[i].Buffer != r.Buffer
		for j, x := range r.Ranges {
			y := Range{w.expr(x.Min), w.expr(x.Extent)}
			out[i].Ranges[j] = y
			*changed = *changed || y != x
		}
	}
	return out
}

// SubstituteStmt replaces variables in every expression of s.
func SubstituteStmt(s Stmt, sub map[*Var]Expr) Stmt {
	w := StmtRewriter{Expr: func(e Expr) Expr { return Substitute(e, sub) }}
	return w.Rewrite(s)
}

// ReplaceBuffers renames buffers everywhere in s, loads included.
func ReplaceBuffers(s Stmt, f func(*Buffer) *Buffer) Stmt {
	onLoad := func(e Expr) Expr {
		switch x := e.(type) {
		case *Load:
			if b := f(x.Buffer); b != x.Buffer {
				return &Load{b, x.Indices}
			}
		case *BufferRef:
			if b := f(x.Buffer); b != x.Buffer {
				return &BufferRef{b}
			}
		}
		return e
	}
	w := StmtRewriter{Buffer: f, Expr: func(e Expr) Expr { return RewriteExpr(e, onLoad) }}
	return w.Rewrite(s)
}
