package tir

func (d *differ) exprs(what string, a, b []Expr) bool {
	if len(a) != len(b) {
		return d.fail("%d and %d %s", len(a), len(b), what)
	}
	for i := range a {
		if !d.expr(a[i], b[i]) {
			return false
		}
	}
	return true
}

// expr compares two expressions; the types of all nodes count. Of an integer
// expression the whole is reported. The parts are compared first: what agrees
// part by part needs no sampling.
func (d *differ) expr(a, b Expr) bool {
	mark := len(d.log)
	if d.node(a, b) {
		return true
	}
	if a == nil || b == nil || !isIndexType(a) || !isIndexType(b) {
		return false
	}
	d.rollback(mark)
	d.report = ""
	return d.loose != nil && a.DType() == b.DType() && d.loose.agree(a, b) || d.failExpr(a, b)
}

// indices compares the indices of an access.
func (d *differ) indices(a, b []Expr) bool {
	return d.position(func() bool { return d.exprs("indices", a, b) })
}

// node compares the nodes at the top and then their parts.
func (d *differ) node(a, b Expr) bool {
	same := true
	switch x := a.(type) {
	case *Var:
		if y, ok := b.(*Var); ok {
			return d.useVar(x, y)
		}
		same = false
	case *IntImm:
		y, ok := b.(*IntImm)
		same = ok && *x == *y
	case *FloatImm:
		y, ok := b.(*FloatImm)
		same = ok && x.Type == y.Type && sameFloat(x.Value, y.Value)
	case *StringImm:
		y, ok := b.(*StringImm)
		same = ok && x.Value == y.Value
	case *Binary:
		if y, ok := b.(*Binary); ok && x.Op == y.Op && x.T == y.T {
			return d.expr(x.A, y.A) && d.expr(x.B, y.B)
		}
		same = false
	case *Load:
		if y, ok := b.(*Load); ok {
			return d.buffer(x.Buffer, y.Buffer) && d.indices(x.Indices, y.Indices)
		}
		same = false
	case *Call:
		if y, ok := b.(*Call); ok && x.Op == y.Op && x.Type == y.Type {
			return d.exprs("arguments of "+x.Op, x.Args, y.Args)
		}
		same = false
	default:
		return d.rareExpr(a, b)
	}
	return same || d.failExpr(a, b)
}

func (d *differ) failExpr(a, b Expr) bool {
	if d.report != "" {
		return false
	}
	return d.fail("%s and %s", typed(a), typed(b))
}

func typed(e Expr) string {
	if e == nil {
		return "nothing"
	}
	return ExprString(e) + " (" + e.DType().String() + ")"
}

func (d *differ) rareExpr(a, b Expr) bool {
	switch x := a.(type) {
	case *Not:
		if y, ok := b.(*Not); ok {
			return d.expr(x.A, y.A)
		}
	case *Cast:
		if y, ok := b.(*Cast); ok && x.Type == y.Type {
			return d.expr(x.Value, y.Value)
		}
	case *Select:
		if y, ok := b.(*Select); ok {
			return d.expr(x.Cond, y.Cond) && d.expr(x.Then, y.Then) && d.expr(x.Else, y.Else)
		}
	case *Let:
		if y, ok := b.(*Let); ok {
			return d.expr(x.Value, y.Value) && d.defineLet(x.Var, y.Var, x.Value) && d.expr(x.Body, y.Body)
		}
	case *Ramp:
		if y, ok := b.(*Ramp); ok && x.Lanes == y.Lanes {
			return d.expr(x.Base, y.Base) && d.expr(x.Stride, y.Stride)
		}
	case *Broadcast:
		if y, ok := b.(*Broadcast); ok && x.Lanes == y.Lanes {
			return d.expr(x.Value, y.Value)
		}
	case *BufferRef:
		if y, ok := b.(*BufferRef); ok {
			return d.buffer(x.Buffer, y.Buffer)
		}
	case nil:
		if b == nil {
			return true
		}
	}
	return d.failExpr(a, b)
}

// annotations compares maps by key; values are plain.
func (d *differ) annotations(what string, a, b Annotations) bool {
	for _, x := range a {
		y, ok := b.Get(x.Key)
		if !ok {
			return d.fail("%s: only the first has %q", what, x.Key)
		}
		if !d.value(x.Value, y) {
			return d.fail("%s: %q is %s and %s", what, x.Key, ValueString(x.Value), ValueString(y))
		}
	}
	for _, y := range b {
		if _, ok := a.Get(y.Key); !ok {
			return d.fail("%s: only the second has %q", what, y.Key)
		}
	}
	return true
}

func (d *differ) value(a, b any) bool {
	a, b = PlainValue(a), PlainValue(b)
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && sameFloat(x, y)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !d.value(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			if w, ok := y[k]; !ok || !d.value(v, w) {
				return false
			}
		}
		return true
	case GlobalInfo:
		y, ok := b.(GlobalInfo)
		if ok && x.Kind == y.Kind {
			return d.value(x.Args, y.Args)
		}
	case Target:
		y, ok := b.(Target)
		return ok && d.value(x.Config, y.Config)
	case *IndexMap:
		y, ok := b.(*IndexMap)
		return ok && d.indexMap(x, y)
	case Expr:
		y, ok := b.(Expr)
		return ok && d.expr(x, y)
	}
	return a == b
}

func (d *differ) indexMap(a, b *IndexMap) bool {
	if len(a.Initial) != len(b.Initial) {
		return false
	}
	for i := range a.Initial {
		if !d.defineVar(a.Initial[i], b.Initial[i]) {
			return false
		}
	}
	return d.indices(a.Final, b.Final)
}

// EqualIndexMaps compares index maps up to the names of their variables; stated
// inverses do not count.
func EqualIndexMaps(a, b *IndexMap) bool { return newDiffer().indexMap(a, b) }
