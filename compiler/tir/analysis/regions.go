package analysis

import (
	"fmt"

	"hone/compiler/tir"
)

// InferRegions returns f with the omitted (nil) reads and writes of its blocks
// filled in; declared lists, empty ones included, stay. Blocks that are inside no
// other block, as the root is, get empty lists. Inner blocks are done before
// outer ones. A block that passes a buffer's pointer on must declare its regions:
// the error names it.
func InferRegions(f *tir.PrimFunc) (*tir.PrimFunc, error) {
	in := inferer{}
	body := in.stmt(f.Body)
	if in.err != nil {
		return nil, fmt.Errorf("function %s: %w", f.Name, in.err)
	}
	return f.WithBody(body), nil
}

type inferer struct {
	depth int
	err   error
}

// stmt rebuilds the path to every block that changes, and nothing else.
func (in *inferer) stmt(s tir.Stmt) tir.Stmt {
	switch x := s.(type) {
	case nil:
		return nil
	case *tir.Seq:
		var out []tir.Stmt
		for i, c := range x.Stmts {
			n := in.stmt(c)
			if n != c && out == nil {
				out = append([]tir.Stmt(nil), x.Stmts...)
			}
			if out != nil {
				out[i] = n
			}
		}
		if out != nil {
			return &tir.Seq{Stmts: out}
		}
	case *tir.If:
		if a, b := in.stmt(x.Then), in.stmt(x.Else); a != x.Then || b != x.Else {
			return &tir.If{Cond: x.Cond, Then: a, Else: b}
		}
	case *tir.For:
		if b := in.stmt(x.Body); b != x.Body {
			c := *x
			c.Body = b
			return &c
		}
	case *tir.While:
		if b := in.stmt(x.Body); b != x.Body {
			return &tir.While{Cond: x.Cond, Body: b}
		}
	case *tir.AttrStmt:
		if b := in.stmt(x.Body); b != x.Body {
			c := *x
			c.Body = b
			return &c
		}
	case *tir.BlockRealize:
		if b := in.block(x.Block); b != x.Block {
			c := *x
			c.Block = b
			return &c
		}
	}
	return s
}

func (in *inferer) block(b *tir.Block) *tir.Block {
	in.depth++
	init, body := in.stmt(b.Init), in.stmt(b.Body)
	in.depth--
	if init == b.Init && body == b.Body && b.Reads != nil && b.Writes != nil {
		return b
	}
	c := *b
	c.Init, c.Body = init, body
	if c.Reads != nil && c.Writes != nil {
		return &c
	}
	if in.depth == 0 {
		fill(&c, []tir.Region{}, []tir.Region{})
		return &c
	}
	a := BlockAccess(&c)
	if len(a.Opaque) > 0 {
		if in.err == nil {
			in.err = fmt.Errorf("block %q uses the pointer of buffer %q: declare its T.reads and T.writes", b.Name, a.Opaque[0].Name)
		}
		return b
	}
	fill(&c, a.Reads, a.Writes)
	return &c
}

func fill(b *tir.Block, reads, writes []tir.Region) {
	if b.Reads == nil {
		b.Reads = reads
	}
	if b.Writes == nil {
		b.Writes = writes
	}
}

// Access is what the body of a block touches. Reads and Writes are never nil
// and stand in order of first appearance; Opaque are buffers used by pointer.
type Access struct {
	Reads, Writes []tir.Region
	Opaque        []*tir.Buffer
}

// BlockRegions returns the regions that a block reads and writes, from its init
// and body and the declared regions of blocks inside. Of its own declarations
// only the loads in them count, which come first. Buffers used by pointer stand in full at the end of both lists.
func BlockRegions(b *tir.Block) (reads, writes []tir.Region) {
	a := BlockAccess(b)
	for _, buf := range a.Opaque {
		r := FullRegion(buf)
		a.Reads, a.Writes = appendMissing(a.Reads, r), appendMissing(a.Writes, r)
	}
	return a.Reads, a.Writes
}

// FullRegion is all of a buffer.
func FullRegion(b *tir.Buffer) tir.Region {
	r := tir.Region{Buffer: b, Ranges: make([]tir.Range, len(b.Shape))}
	for i, n := range b.Shape {
		r.Ranges[i] = tir.Range{Min: tir.IntOf(0, n.DType()), Extent: n}
	}
	return r
}

func appendMissing(rs []tir.Region, r tir.Region) []tir.Region {
	for _, x := range rs {
		if x.Buffer == r.Buffer {
			return rs
		}
	}
	return append(rs, r)
}

// BlockAccess is BlockRegions with the buffers used by pointer kept apart.
func BlockAccess(b *tir.Block) Access {
	d := detector{block: b}
	d.declarations()
	d.stmt(b.Init)
	d.stmt(b.Body)
	a := Access{Reads: d.regions(d.reads), Writes: d.regions(d.writes), Opaque: d.opaque}
	if b.Init != nil {
		// A reduction reads its output only to update it.
		kept := a.Reads[:0]
		for _, r := range a.Reads {
			if !touches(a.Writes, r.Buffer) {
				kept = append(kept, r)
			}
		}
		a.Reads = kept
	}
	return a
}

func touches(rs []tir.Region, b *tir.Buffer) bool {
	for i := range rs {
		if rs[i].Buffer == b {
			return true
		}
	}
	return false
}
