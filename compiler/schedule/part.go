package schedule

import (
	"slices"

	"hone/compiler/tir"
)

// part copies the body of a loop for one piece of its range: the blocks and loops
// inside become new ones. The first block with an iterator that is bound to the
// loop gets the piece as that iterator's domain, and declares that it accesses
// the buffers which it indexes by iterators alone over the domains of these.
type part struct {
	v      *tir.Var // the loop of the piece
	lo, hi int64
	at     int // the iterator bound to the loop in a block ahead, or -1
	err    *Error
}

func (p *part) stmt(s tir.Stmt) tir.Stmt {
	switch x := s.(type) {
	case *tir.BlockRealize:
		for i, v := range x.Values {
			if v == tir.Expr(p.v) {
				p.at = i
				break
			}
		}
		return &tir.BlockRealize{Values: x.Values, Predicate: x.Predicate, Block: p.block(x.Block)}
	case *tir.For:
		c := *x
		c.Var = tir.NewVar(x.Var.Name, x.Var.Type)
		c.Body = tir.SubstituteStmt(p.stmt(x.Body), map[*tir.Var]tir.Expr{x.Var: c.Var})
		return &c
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, k := range x.Stmts {
			out[i] = p.stmt(k)
		}
		return tir.NewSeq(out...)
	case *tir.If:
		c := &tir.If{Cond: x.Cond, Then: p.stmt(x.Then)}
		if x.Else != nil {
			c.Else = p.stmt(x.Else)
		}
		return c
	case *tir.AttrStmt:
		return &tir.AttrStmt{Key: x.Key, Value: x.Value, Body: p.stmt(x.Body)}
	case *tir.While:
		return &tir.While{Cond: x.Cond, Body: p.stmt(x.Body)}
	}
	return s
}

func (p *part) block(old *tir.Block) *tir.Block {
	b := *old
	b.Name += "_" + p.v.Name
	if p.at >= 0 && (hasBlocks(old.Body) || old.Init != nil && hasBlocks(old.Init)) {
		p.err = refuse(BodyForm, "block "+old.Name, "it holds blocks, and an iterator of it is bound to the loop")
	}
	if old.Init != nil {
		b.Init = p.stmt(old.Init)
	}
	b.Body = p.stmt(old.Body)
	sub := map[*tir.Var]tir.Expr{}
	doms := map[*tir.Var]tir.Range{}
	cut := p.at
	p.at = -1
	b.Iters = slices.Clone(old.Iters)
	for i, it := range old.Iters {
		c := *it
		c.Var = tir.NewVar(it.Var.Name, it.Var.Type)
		if i == cut {
			c.Dom = tir.Range{Min: tir.IntOf(p.lo, c.Var.Type), Extent: tir.IntOf(p.hi-p.lo, c.Var.Type)}
		}
		sub[it.Var], doms[it.Var] = c.Var, c.Dom
		b.Iters[i] = &c
	}
	if cut >= 0 && cut < len(b.Iters) {
		if b.Init != nil && b.Iters[cut].Kind == tir.Reduce {
			p.err = refuse(HasInit, "block "+old.Name, "every part of the loop, which is bound to its reduce iterator %s, would start anew", b.Iters[cut].Var.Name)
		}
		at := plainIndices(b.Body)
		b.Reads, b.Writes = p.widen(b.Reads, at, doms), p.widen(b.Writes, at, doms)
	}
	var out tir.Stmt = &tir.BlockRealize{Predicate: tir.True, Block: &b}
	return freshBuffers(tir.SubstituteStmt(out, sub)).Block
}

// freshBuffers gives a block buffers of its own for those that it defines.
func freshBuffers(s tir.Stmt) *tir.BlockRealize {
	r := s.(*tir.BlockRealize)
	fresh := map[*tir.Buffer]*tir.Buffer{}
	for _, b := range r.Block.Allocs {
		c := *b
		fresh[b] = &c
	}
	for _, m := range r.Block.Matches {
		c := *m.Buffer
		fresh[m.Buffer] = &c
	}
	if len(fresh) == 0 {
		return r
	}
	return tir.ReplaceBuffers(s, func(b *tir.Buffer) *tir.Buffer {
		if c := fresh[b]; c != nil {
			return c
		}
		return b
	}).(*tir.BlockRealize)
}

// widen replaces the regions of buffers whose indices are known by the domains of
// the iterators there.
func (p *part) widen(rs []tir.Region, at map[*tir.Buffer][]*tir.Var, doms map[*tir.Var]tir.Range) []tir.Region {
	out := slices.Clone(rs)
	for i, r := range rs {
		vars, ok := at[r.Buffer]
		if !ok {
			continue
		}
		out[i].Ranges = make([]tir.Range, len(vars))
		for d, v := range vars {
			dom, ok := doms[v]
			if !ok {
				p.err = refuse(IndexForm, "buffer "+r.Buffer.Name, "it is accessed at the variable %s, which is no iterator of the block", v.Name)
			}
			out[i].Ranges[d] = dom
		}
	}
	return out
}

// plainIndices finds, for every buffer that a statement accesses at variables
// alone, the first such indices; a store comes before the loads in its value.
func plainIndices(s tir.Stmt) map[*tir.Buffer][]*tir.Var {
	at := map[*tir.Buffer][]*tir.Var{}
	see := func(b *tir.Buffer, idx []tir.Expr) {
		vars := make([]*tir.Var, len(idx))
		for i, e := range idx {
			v, ok := e.(*tir.Var)
			if !ok {
				return
			}
			vars[i] = v
		}
		if _, known := at[b]; !known {
			at[b] = vars
		}
	}
	loads := func(e tir.Expr) {
		tir.Walk(e, func(e tir.Expr) bool {
			if x, ok := e.(*tir.Load); ok {
				see(x.Buffer, x.Indices)
			}
			return true
		})
	}
	tir.WalkStmt(s, func(s tir.Stmt) bool {
		if x, ok := s.(*tir.Store); ok {
			see(x.Buffer, x.Indices)
		}
		tir.StmtExprs(s, loads)
		return true
	})
	return at
}
