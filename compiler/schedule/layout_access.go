package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/arith"
)

// relayout makes every access of a buffer one of its new layout.
type relayout struct {
	*layout
	accessContext
	st *state
}

func (r *relayout) visit(id nid, conds []tir.Expr) {
	st, n := r.st, r.st.at(id)
	switch n.kind {
	case kLoop:
		r.addIter(n.loop.Var, tir.Range{Min: n.loop.Min, Extent: n.loop.Extent})
	case kBlock:
		r.realize(id, conds)
		for _, it := range n.block.Iters {
			r.addIter(it.Var, it.Dom)
		}
		if st.mentions(id, r.old) {
			st.mapShell(id, func(s tir.Stmt) tir.Stmt { return r.rewrite(s, conds) })
		}
	case kOther:
		if x, ok := n.other.(*tir.If); ok && len(n.kids) > 0 {
			r.visit(n.kids[0], r.under(x.Cond, conds))
			for _, k := range n.kids[1:] {
				r.visit(k, conds)
			}
			return
		}
		if len(n.kids) == 0 && namesBuffer(n.other, r.old) {
			st.mapShell(id, func(s tir.Stmt) tir.Stmt { return r.rewrite(s, conds) })
		}
	}
	for _, k := range n.kids {
		r.visit(k, conds)
	}
	if n.kind == kBlock {
		r.finish(id)
	}
}

// realize rewrites what stands outside of a block: bindings and predicate.
func (r *relayout) realize(id nid, conds []tir.Expr) {
	n := r.st.at(id)
	if !slices.ContainsFunc(append(slices.Clone(n.values), n.pred), func(e tir.Expr) bool { return tir.LoadsFrom(e, r.old) }) {
		return
	}
	values := make([]tir.Expr, len(n.values))
	for i, v := range n.values {
		values[i] = r.expr(v, conds)
	}
	n.values, n.pred = values, r.expr(n.pred, conds)
	r.st.touch(id)
}

// finish gives a block its new regions and allocations.
func (r *relayout) finish(id nid) {
	n := r.st.at(id)
	b := *n.block
	i := slices.Index(b.Allocs, r.old)
	accessed := reads(&b, r.old) || writes(&b, r.old)
	if i < 0 && !accessed {
		return
	}
	if i >= 0 {
		b.Allocs = slices.Clone(b.Allocs)
		b.Allocs[i] = r.new
	}
	if accessed {
		r.access(&b, r.st.fullBlock(n))
	}
	n.block = &b
	r.st.touch(id)
}

// access gives b, whose statements are those of full, its new regions.
func (r *relayout) access(b, full *tir.Block) {
	rs, ws := analysis.BlockRegions(full)
	b.Reads, b.Writes = r.regions(b.Reads, rs), r.regions(b.Writes, ws)
}

// regions replaces the regions of the old buffer by what the block accesses of
// the new one.
func (r *relayout) regions(declared, found []tir.Region) []tir.Region {
	out := slices.Clone(declared)
	for i := range out {
		if out[i].Buffer != r.old {
			continue
		}
		if now := region(found, r.new); now != nil {
			out[i] = *now
		} else {
			out[i] = analysis.FullRegion(r.new)
		}
	}
	return out
}

// rewrite maps the accesses in a statement without nested nodes. An initialiser in
// it may hold blocks; one whose body is not in the statement waits for finish.
func (r *relayout) rewrite(s tir.Stmt, conds []tir.Expr) tir.Stmt {
	r.noteStmt(s, conds)
	w := tir.StmtRewriter{
		Expr: r.loads,
		Stmt: func(s tir.Stmt) tir.Stmt {
			switch x := s.(type) {
			case *tir.Store:
				if x.Buffer == r.old {
					return &tir.Store{Buffer: r.new, Value: x.Value, Indices: r.indices(x.Indices)}
				}
			case *tir.BlockRealize:
				if x.Block.Body != nil && (reads(x.Block, r.old) || writes(x.Block, r.old)) {
					b := *x.Block
					r.access(&b, x.Block)
					return &tir.BlockRealize{Values: x.Values, Predicate: x.Predicate, Block: &b}
				}
			}
			return s
		},
	}
	return w.Rewrite(s)
}

func (r *relayout) expr(e tir.Expr, conds []tir.Expr) tir.Expr {
	r.noteExpr(e, conds)
	return r.loads(e)
}

func (r *relayout) loads(e tir.Expr) tir.Expr {
	return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.Load); ok && l.Buffer == r.old {
			return &tir.Load{Buffer: r.new, Indices: r.indices(l.Indices)}
		}
		return e
	})
}

// indices maps and simplifies one access.
func (r *relayout) indices(idx []tir.Expr) []tir.Expr {
	a := arith.NewAnalyzer()
	out := r.m.Apply(idx)
	for i := range out {
		out[i] = a.Simplify(out[i])
	}
	return r.simplify(out, r.around(idx))
}
