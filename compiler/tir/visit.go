package tir

// Walk visits e and its operands in pre-order, operands left to right; f
// returns false to skip the operands of a node. Indices of loads are visited.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	switch e := e.(type) {
	case *Binary:
		Walk(e.A, f)
		Walk(e.B, f)
	case *Not:
		Walk(e.A, f)
	case *Cast:
		Walk(e.Value, f)
	case *Select:
		Walk(e.Cond, f)
		Walk(e.Then, f)
		Walk(e.Else, f)
	case *Let:
		Walk(e.Value, f)
		Walk(e.Body, f)
	case *Ramp:
		Walk(e.Base, f)
		Walk(e.Stride, f)
	case *Broadcast:
		Walk(e.Value, f)
	case *Load:
		for _, i := range e.Indices {
			Walk(i, f)
		}
	case *Call:
		for _, a := range e.Args {
			Walk(a, f)
		}
	}
}

// WalkStmt visits s and the statements inside it in pre-order, block inits
// before bodies; f returns false to skip what is inside.
func WalkStmt(s Stmt, f func(Stmt) bool) {
	if s == nil || !f(s) {
		return
	}
	switch s := s.(type) {
	case *Seq:
		for _, x := range s.Stmts {
			WalkStmt(x, f)
		}
	case *If:
		WalkStmt(s.Then, f)
		WalkStmt(s.Else, f)
	case *AttrStmt:
		WalkStmt(s.Body, f)
	case *While:
		WalkStmt(s.Body, f)
	case *For:
		WalkStmt(s.Body, f)
	case *BlockRealize:
		WalkStmt(s.Block.Init, f)
		WalkStmt(s.Block.Body, f)
	}
}

// StmtExprs calls f on every expression that s holds itself, not those of
// statements inside it: values and indices, bounds, bindings, predicates,
// iterator domains, regions and shapes of allocations.
func StmtExprs(s Stmt, f func(Expr)) {
	switch s := s.(type) {
	case *Store:
		f(s.Value)
		for _, i := range s.Indices {
			f(i)
		}
	case *If:
		f(s.Cond)
	case *Evaluate:
		f(s.Value)
	case *Bind:
		f(s.Value)
	case *AllocBuffer:
		bufferExprs(s.Buffer, f)
	case *DeclBuffer:
		bufferExprs(s.Buffer, f)
		f(s.Data)
	case *AttrStmt:
		valueExprs(s.Node, f)
		valueExprs(s.Value, f)
	case *While:
		f(s.Cond)
	case *Assert:
		f(s.Cond)
	case *For:
		f(s.Min)
		f(s.Extent)
		if s.Step != nil {
			f(s.Step)
		}
	case *BlockRealize:
		realizeExprs(s, f)
	}
}

func realizeExprs(s *BlockRealize, f func(Expr)) {
	for _, v := range s.Values {
		f(v)
	}
	f(s.Predicate)
	for _, it := range s.Block.Iters {
		f(it.Dom.Min)
		f(it.Dom.Extent)
	}
	for _, rs := range [][]Region{s.Block.Reads, s.Block.Writes} {
		for _, r := range rs {
			regionExprs(r, f)
		}
	}
	for _, m := range s.Block.Matches {
		regionExprs(m.Source, f)
		bufferExprs(m.Buffer, f)
	}
	for _, b := range s.Block.Allocs {
		bufferExprs(b, f)
	}
}

// valueExprs calls f on the expressions in what an attribute is about.
func valueExprs(v any, f func(Expr)) {
	switch v := v.(type) {
	case Expr:
		f(v)
	case []any:
		for _, x := range v {
			valueExprs(x, f)
		}
	}
}

func regionExprs(r Region, f func(Expr)) {
	for _, x := range r.Ranges {
		f(x.Min)
		f(x.Extent)
	}
}

func bufferExprs(b *Buffer, f func(Expr)) {
	for _, e := range b.Shape {
		f(e)
	}
	for _, e := range b.Strides {
		f(e)
	}
	if b.ElemOffset != nil {
		f(b.ElemOffset)
	}
}

// WalkExprs visits every expression of s and of the statements inside it, in
// pre-order with their operands.
func WalkExprs(s Stmt, f func(Expr) bool) {
	WalkStmt(s, func(x Stmt) bool {
		StmtExprs(x, func(e Expr) { Walk(e, f) })
		return true
	})
}

// UsesVar reports whether any of vars occurs in e.
func UsesVar(e Expr, is func(*Var) bool) bool {
	switch e := e.(type) {
	case *Var:
		return is(e)
	case *IntImm, *FloatImm:
		return false
	case *Binary: // indices are mostly these: no walk for them
		return UsesVar(e.A, is) || UsesVar(e.B, is)
	}
	found := false
	Walk(e, func(x Expr) bool {
		if v, ok := x.(*Var); ok && is(v) {
			found = true
		}
		return !found
	})
	return found
}

// LoadsFrom reports whether e loads from b.
func LoadsFrom(e Expr, b *Buffer) bool { return loads(e, func(x *Buffer) bool { return x == b }) }

// HasLoad reports whether e loads from any buffer, whose contents a statement
// in between may change.
func HasLoad(e Expr) bool { return loads(e, func(*Buffer) bool { return true }) }

func loads(e Expr, is func(*Buffer) bool) bool {
	found := false
	Walk(e, func(x Expr) bool {
		if l, ok := x.(*Load); ok && is(l.Buffer) {
			found = true
		}
		return !found
	})
	return found
}
