package tir

import "hone/compiler/dtype"

func (v *verifier) stmt(s Stmt) {
	if v.err != nil {
		return
	}
	switch s := s.(type) {
	case *Store:
		v.store(s)
	case *Seq:
		v.seq(s)
	case *For:
		v.loop(s)
	case *BlockRealize:
		v.block(s)
	case *If:
		v.truth("if", s.Cond)
		v.scope(func() { v.stmt(s.Then) })
		if s.Else != nil {
			v.scope(func() { v.stmt(s.Else) })
		}
	case *Bind:
		v.expr(s.Value)
		if s.Var.Type != s.Value.DType() {
			v.fail("%s: the variable is %s, the value %s", firstLine(s), s.Var.Type, s.Value.DType())
		}
		v.defineVar(s.Var, anyBlock)
	case *AllocBuffer:
		v.buffer(s.Buffer, false)
		v.defineBuffer(s.Buffer)
	case *DeclBuffer:
		v.expr(s.Data)
		if t := s.Data.DType(); t.Code != dtype.Handle {
			v.fail("buffer %s lies over %s, which is no pointer", s.Buffer.Name, t)
		}
		v.buffer(s.Buffer, false)
		v.defineBuffer(s.Buffer)
	case *AttrStmt:
		valueExprs(s.Node, v.expr)
		valueExprs(s.Value, v.expr)
		v.scope(func() {
			switch n := s.Node.(type) {
			case *IterVar:
				v.launch(n)
			case *Reducer:
				v.reducer(n)
			}
			v.stmt(s.Body)
		})
	case *While:
		v.truth("while", s.Cond)
		v.scope(func() { v.stmt(s.Body) })
	case *Assert:
		v.condition("assert", s.Cond)
	case *Evaluate:
		v.expr(s.Value)
	case nil:
		v.fail("a missing statement")
	}
}

// launch defines the variable of a thread; threads of one tag may share it.
func (v *verifier) launch(it *IterVar) {
	if depth, ok := v.vars[it.Var]; ok && depth != ended {
		return
	}
	v.again(it.Var)
	v.defineVar(it.Var, v.inIters)
}

func (v *verifier) reducer(r *Reducer) {
	for _, e := range r.Identity {
		v.expr(e)
	}
	v.scope(func() {
		for _, x := range append(append([]*Var(nil), r.Lhs...), r.Rhs...) {
			v.again(x)
			v.defineVar(x, anyBlock)
		}
		for _, e := range r.Result {
			v.expr(e)
		}
	})
}

func (v *verifier) seq(s *Seq) {
	if len(s.Stmts) < 2 {
		v.fail("a sequence of %d statements; NewSeq makes none", len(s.Stmts))
	}
	for _, x := range s.Stmts {
		if _, ok := x.(*Seq); ok {
			v.fail("a sequence directly inside a sequence: %s", firstLine(x))
		}
		v.stmt(x)
	}
}

func (v *verifier) store(s *Store) {
	if !v.access(s.Buffer, s.Indices) {
		return
	}
	v.expr(s.Value)
	if want := accessType(s.Buffer, s.Indices); v.err == nil && s.Value.DType() != want {
		v.fail("%s: the store takes %s, the value is %s", firstLine(s), want, s.Value.DType())
	}
}

// access checks a buffer and its indices; it returns false after a fault.
func (v *verifier) access(b *Buffer, indices []Expr) bool {
	if !v.buffers[b] {
		return v.fail("buffer %s is not defined here", b.Name)
	}
	text := func() string { return ExprString(&Load{b, indices}) }
	if len(indices) != len(b.Shape) {
		return v.fail("%s: %d indices for a buffer of %d dimensions", text(), len(indices), len(b.Shape))
	}
	for i, e := range indices {
		t := e.DType()
		if !isIndex(t) {
			return v.fail("%s: index %s is %s, not a number", text(), ExprString(e), t)
		}
		if t.Lanes != 1 && i < len(indices)-1 {
			return v.fail("%s: only the last index may be a vector", text())
		}
		v.expr(e)
	}
	return v.err == nil
}

func (v *verifier) loop(s *For) {
	id := s.Var.Name
	v.integer("loop", id, s.Min)
	v.integer("loop", id, s.Extent)
	if s.Step != nil {
		v.integer("loop", id, s.Step)
	}
	if v.err != nil {
		return
	}
	if t := s.Var.Type; s.Min.DType() != t || s.Extent.DType() != t {
		v.fail("loop %s is %s, its min %s and extent %s", id, t, s.Min.DType(), s.Extent.DType())
	}
	if s.Kind == ThreadBinding && (s.Thread == nil || s.Thread.Tag == "") {
		v.fail("loop %s is bound to a thread without tag", id)
	}
	v.scope(func() {
		v.defineVar(s.Var, v.inIters)
		v.stmt(s.Body)
	})
}

func (v *verifier) block(s *BlockRealize) {
	b := s.Block
	if len(s.Values) != len(b.Iters) {
		v.fail("block %q has %d iterators and %d bindings", b.Name, len(b.Iters), len(s.Values))
		return
	}
	for _, e := range s.Values {
		v.integer("a binding of block", b.Name, e)
	}
	if s.Predicate != Expr(True) {
		v.condition("the predicate of block "+b.Name, s.Predicate)
	}
	v.blocks = append(v.blocks, b.Name)
	v.scope(func() {
		for _, it := range b.Iters {
			v.iterator(it)
		}
		if len(b.Iters) > 0 {
			v.inIters++
			defer func() { v.inIters-- }()
		}
		v.blockParts(b)
	})
	v.blocks = v.blocks[:len(v.blocks)-1]
}

func (v *verifier) iterator(it *IterVar) {
	v.integer("the domain of", it.Var.Name, it.Dom.Min)
	v.integer("the domain of", it.Var.Name, it.Dom.Extent)
	if t := it.Var.Type; !t.IsInt() || t.Lanes != 1 {
		v.fail("iterator %s is %s, not an integer", it.Var.Name, t)
	}
	v.defineVar(it.Var, anyBlock)
}

func (v *verifier) blockParts(b *Block) {
	for _, r := range b.Reads {
		v.region("read of", r)
	}
	for _, r := range b.Writes {
		v.region("write of", r)
	}
	for _, x := range b.Allocs {
		v.buffer(x, false)
		v.defineBuffer(x)
	}
	for _, m := range b.Matches {
		v.match(m)
	}
	if b.Init != nil {
		v.scope(func() { v.stmt(b.Init) })
	}
	v.scope(func() { v.stmt(b.Body) })
}

func (v *verifier) match(m MatchRegion) {
	v.region("match of", m.Source)
	src := m.Source.Buffer
	switch {
	case m.Buffer.Type != src.Type:
		v.fail("match buffer %s is %s, its source %s is %s", m.Buffer.Name, m.Buffer.Type, src.Name, src.Type)
	case scopeOf(m.Buffer) != scopeOf(src):
		v.fail("match buffer %s is in scope %s, its source %s in %s", m.Buffer.Name, scopeOf(m.Buffer), src.Name, scopeOf(src))
	case len(m.Buffer.Shape) > len(src.Shape):
		v.fail("match buffer %s has %d dimensions, its source %s only %d", m.Buffer.Name, len(m.Buffer.Shape), src.Name, len(src.Shape))
	}
	v.buffer(m.Buffer, true)
	v.defineBuffer(m.Buffer)
}

// expr checks one expression and what is inside it.
func (v *verifier) expr(e Expr) {
	if v.err != nil {
		return
	}
	switch e := e.(type) {
	case nil:
		v.fail("a missing expression")
	case *Var:
		v.variable(e)
	case *Binary:
		v.expr(e.A)
		v.expr(e.B)
		v.binary(e)
	case *Load:
		v.access(e.Buffer, e.Indices)
	case *BufferRef:
		if !v.buffers[e.Buffer] {
			v.fail("buffer %s is not defined here", e.Buffer.Name)
		}
	case *Call:
		for _, a := range e.Args {
			v.expr(a)
		}
		if e.Op == "if_then_else" && v.err == nil {
			v.choice(e, e.Args)
		}
	default:
		v.rareExpr(e)
	}
}

// variable checks a use: inside a block with iterators only those may be used,
// not the variables of loops around it.
func (v *verifier) variable(x *Var) {
	depth, ok := v.vars[x]
	switch {
	case !ok, depth == ended:
		v.fail("variable %s is not defined here", x.Name)
	case depth < v.inIters:
		v.fail("loop variable %s is used inside a block with iterators", x.Name)
	}
}

func (v *verifier) rareExpr(e Expr) {
	switch e := e.(type) {
	case *Not:
		v.expr(e.A)
		if v.err == nil && !e.A.DType().IsBool() {
			v.fail("%s: the operand is %s, not a bool", ExprString(e), e.A.DType())
		}
	case *Cast:
		v.expr(e.Value)
		if v.err == nil && e.Type.Lanes != e.Value.DType().Lanes {
			v.fail("%s changes the number of lanes", ExprString(e))
		}
	case *Select:
		v.expr(e.Cond)
		v.expr(e.Then)
		v.expr(e.Else)
		if v.err == nil {
			v.choice(e, []Expr{e.Cond, e.Then, e.Else})
		}
	case *Let:
		v.expr(e.Value)
		v.scope(func() {
			v.again(e.Var) // an expression may occur more than once
			v.defineVar(e.Var, anyBlock)
			v.expr(e.Body)
		})
	case *Ramp:
		v.expr(e.Base)
		v.expr(e.Stride)
		if b, s := e.Base.DType(), e.Stride.DType(); v.err == nil && (b != s || b.Lanes != 1 || e.Lanes < 2) {
			v.fail("%s: base %s, stride %s, %d lanes", ExprString(e), b, s, e.Lanes)
		}
	case *Broadcast:
		v.expr(e.Value)
		if v.err == nil && (e.Value.DType().Lanes != 1 || e.Lanes < 2) {
			v.fail("%s: %d lanes of %s", ExprString(e), e.Lanes, e.Value.DType())
		}
	}
}

func (v *verifier) binary(e *Binary) {
	if v.err != nil {
		return
	}
	a, b := e.A.DType(), e.B.DType()
	switch {
	case a != b:
		v.fail("%s: operands are %s and %s", ExprString(e), a, b)
	case e.Op.IsLogic() && !a.IsBool():
		v.fail("%s: operands are %s, not bools", ExprString(e), a)
	case e.T != e.Op.of(a):
		v.fail("%s is marked %s", ExprString(e), e.T)
	}
}

// choice checks the operands of Select and if_then_else.
func (v *verifier) choice(e Expr, ops []Expr) {
	if len(ops) != 3 {
		v.fail("%s: %d operands, not 3", ExprString(e), len(ops))
		return
	}
	c, a, b := ops[0].DType(), ops[1].DType(), ops[2].DType()
	if !c.IsBool() || a != b || c.Lanes != 1 && c.Lanes != a.Lanes {
		v.fail("%s: condition %s, branches %s and %s", ExprString(e), c, a, b)
	}
}
