package schedule

import "hone/compiler/tir"

// stmt copies a statement with what it defines.
func (c *copier) stmt(s tir.Stmt) tir.Stmt {
	switch x := s.(type) {
	case *tir.Store:
		return &tir.Store{Buffer: c.buffer(x.Buffer), Value: c.expr(x.Value), Indices: c.places(x.Indices)}
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, k := range x.Stmts {
			out[i] = c.stmt(k)
		}
		return &tir.Seq{Stmts: out}
	case *tir.If:
		return &tir.If{Cond: c.expr(x.Cond), Then: c.stmt(x.Then), Else: c.stmt(x.Else)}
	case *tir.Evaluate:
		return &tir.Evaluate{Value: c.expr(x.Value)}
	case *tir.Bind:
		return &tir.Bind{Var: c.define(x.Var), Value: c.expr(x.Value)}
	case *tir.AllocBuffer:
		return &tir.AllocBuffer{Buffer: c.buffer(x.Buffer), Ann: x.Ann}
	case *tir.AttrStmt:
		return c.attr(x)
	case *tir.While:
		return &tir.While{Cond: c.expr(x.Cond), Body: c.stmt(x.Body)}
	case *tir.Assert:
		return &tir.Assert{Cond: c.expr(x.Cond), Kind: x.Kind, Parts: x.Parts}
	case *tir.DeclBuffer:
		return &tir.DeclBuffer{Buffer: c.buffer(x.Buffer), Data: c.expr(x.Data)}
	case *tir.For:
		return c.loop(x)
	case *tir.BlockRealize:
		return &tir.BlockRealize{Values: c.places(x.Values), Predicate: c.expr(x.Predicate), Block: c.block(x.Block)}
	}
	return nil
}

func (c *copier) attr(x *tir.AttrStmt) tir.Stmt {
	a := *x
	if e, ok := x.Value.(tir.Expr); ok {
		a.Value = c.expr(e)
	}
	switch n := x.Node.(type) {
	case tir.Expr:
		a.Node = c.expr(n)
	case *tir.IterVar:
		it := *n
		it.Var = c.define(n.Var)
		a.Node = &it
	}
	a.Body = c.stmt(x.Body)
	return &a
}

func (c *copier) loop(x *tir.For) tir.Stmt {
	f := *x
	f.Owner = nil
	f.Min, f.Extent, f.Var = c.place(x.Min), c.place(x.Extent), c.define(x.Var)
	if x.Step != nil {
		f.Step = c.place(x.Step)
	}
	if x.Thread != nil {
		t := *x.Thread
		t.Var = c.define(t.Var)
		f.Thread = &t
	}
	f.Body = c.stmt(x.Body)
	return &f
}

func (c *copier) block(x *tir.Block) *tir.Block {
	b := &tir.Block{Name: x.Name, Ann: x.Ann}
	for _, it := range x.Iters {
		dom := tir.Range{Min: c.place(it.Dom.Min), Extent: c.place(it.Dom.Extent)}
		b.Iters = append(b.Iters, &tir.IterVar{Var: c.define(it.Var), Dom: dom, Kind: it.Kind, Tag: it.Tag})
	}
	for _, a := range x.Allocs {
		b.Allocs = append(b.Allocs, c.buffer(a))
	}
	for _, m := range x.Matches {
		b.Matches = append(b.Matches, tir.MatchRegion{Source: c.region(m.Source), Buffer: c.buffer(m.Buffer)})
	}
	b.Reads, b.Writes = c.regions(x.Reads), c.regions(x.Writes)
	b.Init, b.Body = c.stmt(x.Init), c.stmt(x.Body)
	return b
}

func (c *copier) regions(rs []tir.Region) []tir.Region {
	out := make([]tir.Region, len(rs))
	for i, r := range rs {
		out[i] = c.region(r)
	}
	return out
}

func (c *copier) region(r tir.Region) tir.Region {
	out := tir.Region{Buffer: c.buffer(r.Buffer)}
	for _, x := range r.Ranges {
		out.Ranges = append(out.Ranges, tir.Range{Min: c.place(x.Min), Extent: c.place(x.Extent)})
	}
	return out
}
