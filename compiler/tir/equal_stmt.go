package tir

import (
	"fmt"
	"slices"
)

func (d *differ) stmt(a, b Stmt) bool {
	switch x := a.(type) {
	case nil:
		if b == nil {
			return true
		}
	case *Store:
		if y, ok := b.(*Store); ok {
			return d.inside("the store to "+x.Buffer.Name, func() bool {
				return d.buffer(x.Buffer, y.Buffer) && d.expr(x.Value, y.Value) && d.indices(x.Indices, y.Indices)
			})
		}
	case *Seq:
		if y, ok := b.(*Seq); ok {
			return d.seq(x, y)
		}
	case *For:
		if y, ok := b.(*For); ok {
			return d.inside("loop "+x.Var.Name, func() bool { return d.loop(x, y) })
		}
	case *BlockRealize:
		if y, ok := b.(*BlockRealize); ok {
			return d.inside(fmt.Sprintf("block %q", x.Block.Name), func() bool {
				return d.position(func() bool {
					return d.exprs("bindings", x.Values, y.Values) && d.expr(x.Predicate, y.Predicate)
				}) && d.block(x.Block, y.Block)
			})
		}
	case *If:
		if y, ok := b.(*If); ok {
			return d.expr(x.Cond, y.Cond) && d.stmt(x.Then, y.Then) && d.stmt(x.Else, y.Else)
		}
	default:
		return d.rareStmt(a, b)
	}
	return d.fail("%s and %s", stmtKind(a), stmtKind(b))
}

func (d *differ) seq(x, y *Seq) bool {
	for i := range min(len(x.Stmts), len(y.Stmts)) {
		if !d.stmt(x.Stmts[i], y.Stmts[i]) {
			return false
		}
	}
	return len(x.Stmts) == len(y.Stmts) || d.fail("%d and %d statements", len(x.Stmts), len(y.Stmts))
}

func (d *differ) rareStmt(a, b Stmt) bool {
	switch x := a.(type) {
	case *Evaluate:
		if y, ok := b.(*Evaluate); ok {
			return d.expr(x.Value, y.Value)
		}
	case *Bind:
		if y, ok := b.(*Bind); ok {
			return d.expr(x.Value, y.Value) && d.defineLet(x.Var, y.Var, x.Value)
		}
	case *AllocBuffer:
		if y, ok := b.(*AllocBuffer); ok {
			return d.buffer(x.Buffer, y.Buffer) && d.annotations("allocation annotations", x.Ann, y.Ann)
		}
	case *DeclBuffer:
		if y, ok := b.(*DeclBuffer); ok {
			return d.expr(x.Data, y.Data) && d.buffer(x.Buffer, y.Buffer)
		}
	case *AttrStmt:
		if y, ok := b.(*AttrStmt); ok && x.Key == y.Key && d.about(x.Node, y.Node) && d.value(x.Value, y.Value) {
			return d.stmt(x.Body, y.Body)
		}
	case *While:
		if y, ok := b.(*While); ok {
			return d.expr(x.Cond, y.Cond) && d.stmt(x.Body, y.Body)
		}
	case *Assert:
		if y, ok := b.(*Assert); ok && x.Kind == y.Kind && slices.Equal(x.Parts, y.Parts) {
			return d.expr(x.Cond, y.Cond)
		}
	}
	return d.fail("%s and %s", stmtKind(a), stmtKind(b))
}

// about compares what attributes are about.
func (d *differ) about(a, b any) bool {
	switch x := a.(type) {
	case *IterVar:
		y, ok := b.(*IterVar)
		return ok && x.Kind == y.Kind && x.Tag == y.Tag && d.defineVar(x.Var, y.Var)
	case *Reducer:
		y, ok := b.(*Reducer)
		return ok && d.reducer(x, y)
	}
	return d.value(a, b)
}

func (d *differ) reducer(a, b *Reducer) bool {
	for _, v := range [][2][]*Var{{a.Lhs, b.Lhs}, {a.Rhs, b.Rhs}} {
		if len(v[0]) != len(v[1]) {
			return d.fail("reducers of %d and %d variables", len(v[0]), len(v[1]))
		}
		for i := range v[0] {
			if !d.defineVar(v[0][i], v[1][i]) {
				return false
			}
		}
	}
	return d.exprs("results", a.Result, b.Result) && d.exprs("identities", a.Identity, b.Identity)
}

func stmtKind(s Stmt) string {
	switch s := s.(type) {
	case nil:
		return "nothing"
	case *For:
		return "loop " + s.Var.Name
	case *BlockRealize:
		return fmt.Sprintf("block %q", s.Block.Name)
	case *Store:
		return "a store to " + s.Buffer.Name
	case *Seq:
		return fmt.Sprintf("a sequence of %d statements", len(s.Stmts))
	}
	return fmt.Sprintf("a statement %.60q", StmtString(s))
}

func (d *differ) loop(a, b *For) bool {
	if a.Kind != b.Kind {
		return d.fail("loop kinds %s and %s", loopMakers[a.Kind], loopMakers[b.Kind])
	}
	if !d.defineVar(a.Var, b.Var) || !d.ranges(Range{a.Min, a.Extent}, Range{b.Min, b.Extent}) || !d.expr(a.Step, b.Step) {
		return false
	}
	d.domain(a.Var, Range{a.Min, a.Extent})
	if (a.Thread == nil) != (b.Thread == nil) || a.Thread != nil && (a.Thread.Tag != b.Thread.Tag || a.Thread.Kind != b.Thread.Kind) {
		return d.fail("thread bindings")
	}
	return d.annotations("loop annotations", a.Ann, b.Ann) && d.stmt(a.Body, b.Body)
}

func (d *differ) block(a, b *Block) bool {
	if len(a.Iters) != len(b.Iters) {
		return d.fail("%d and %d iterators", len(a.Iters), len(b.Iters))
	}
	for i, x := range a.Iters {
		y := b.Iters[i]
		if x.Kind != y.Kind || x.Tag != y.Tag {
			return d.fail("iterators %s and %s are of different kinds", x.Var.Name, y.Var.Name)
		}
		if !d.ranges(x.Dom, y.Dom) || !d.defineVar(x.Var, y.Var) {
			return false
		}
		d.domain(x.Var, x.Dom)
	}
	if !d.regions("reads", a.Reads, b.Reads) || !d.regions("writes", a.Writes, b.Writes) {
		return false
	}
	return d.storage(a, b) && d.annotations("block annotations", a.Ann, b.Ann) &&
		d.inside("init", func() bool { return d.stmt(a.Init, b.Init) }) && d.stmt(a.Body, b.Body)
}

// storage compares allocations and match buffers, in order.
func (d *differ) storage(a, b *Block) bool {
	if len(a.Allocs) != len(b.Allocs) {
		return d.fail("%d and %d allocations", len(a.Allocs), len(b.Allocs))
	}
	for i := range a.Allocs {
		if !d.buffer(a.Allocs[i], b.Allocs[i]) {
			return false
		}
	}
	if len(a.Matches) != len(b.Matches) {
		return d.fail("%d and %d match buffers", len(a.Matches), len(b.Matches))
	}
	for i, m := range a.Matches {
		if !d.buffer(m.Buffer, b.Matches[i].Buffer) || !d.region(m.Source, b.Matches[i].Source) {
			return false
		}
	}
	return true
}

func (d *differ) regions(what string, a, b []Region) bool {
	return d.inside(what, func() bool {
		for i := range min(len(a), len(b)) {
			if !d.region(a[i], b[i]) {
				return false
			}
		}
		return len(a) == len(b) || d.fail("%d and %d regions", len(a), len(b))
	})
}

func (d *differ) region(a, b Region) bool {
	if !d.buffer(a.Buffer, b.Buffer) {
		return false
	}
	if len(a.Ranges) != len(b.Ranges) {
		return d.fail("regions of %d and %d dimensions", len(a.Ranges), len(b.Ranges))
	}
	for i, x := range a.Ranges {
		if !d.ranges(x, b.Ranges[i]) {
			return false
		}
	}
	return true
}

func (d *differ) ranges(a, b Range) bool {
	return d.position(func() bool { return d.expr(a.Min, b.Min) && d.expr(a.Extent, b.Extent) })
}
