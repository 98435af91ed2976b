package tir

import (
	"encoding/binary"

	"hone/compiler/dtype"
)

func (h *hasher) exprs(es []Expr) {
	h.num(uint64(len(es)))
	for _, e := range es {
		h.expr(e)
	}
}

func (h *hasher) expr(e Expr) {
	switch e := e.(type) {
	case nil:
		h.tag('0')
	case *Var:
		h.variable(e)
	case *IntImm:
		h.tag('i')
		h.dtype(e.Type)
		if !h.loose || e.Type.Code == dtype.Bool {
			h.buf = binary.AppendVarint(h.buf, e.Value)
		}
	case *FloatImm:
		h.tag('f')
		h.dtype(e.Type)
		h.float(e.Value)
	case *StringImm:
		h.tag('s')
		h.text(e.Value)
	case *Binary:
		h.tag('2')
		h.tag(byte(e.Op))
		h.dtype(e.T)
		h.expr(e.A)
		h.expr(e.B)
	case *Load:
		h.tag('l')
		h.buffer(e.Buffer)
		h.exprs(e.Indices)
	case *Call:
		h.tag('c')
		h.text(e.Op)
		h.dtype(e.Type)
		h.exprs(e.Args)
	default:
		h.rareExpr(e)
	}
}

func (h *hasher) rareExpr(e Expr) {
	switch e := e.(type) {
	case *Not:
		h.tag('!')
		h.expr(e.A)
	case *Cast:
		h.tag('t')
		h.dtype(e.Type)
		h.expr(e.Value)
	case *Select:
		h.tag('?')
		h.expr(e.Cond)
		h.expr(e.Then)
		h.expr(e.Else)
	case *Let:
		h.tag('=')
		h.expr(e.Value)
		h.variable(e.Var)
		h.expr(e.Body)
	case *Ramp:
		h.tag('/')
		h.num(uint64(e.Lanes))
		h.expr(e.Base)
		h.expr(e.Stride)
	case *Broadcast:
		h.tag('*')
		h.num(uint64(e.Lanes))
		h.expr(e.Value)
	case *BufferRef:
		h.tag('&')
		h.buffer(e.Buffer)
	default:
		panic("BUG: unknown expression node")
	}
}

func (h *hasher) stmt(s Stmt) {
	switch s := s.(type) {
	case nil:
		h.tag('0')
	case *Store:
		h.tag('S')
		h.buffer(s.Buffer)
		h.expr(s.Value)
		h.exprs(s.Indices)
	case *Seq:
		h.tag('Q')
		h.num(uint64(len(s.Stmts)))
		for _, x := range s.Stmts {
			h.stmt(x)
		}
	case *For:
		h.loop(s)
	case *BlockRealize:
		h.tag('R')
		h.exprs(s.Values)
		h.expr(s.Predicate)
		h.block(s.Block)
	case *If:
		h.tag('I')
		h.expr(s.Cond)
		h.stmt(s.Then)
		h.stmt(s.Else)
	default:
		h.rareStmt(s)
	}
}

func (h *hasher) rareStmt(s Stmt) {
	switch s := s.(type) {
	case *Evaluate:
		h.tag('E')
		h.expr(s.Value)
	case *Bind:
		h.tag('=')
		h.expr(s.Value)
		h.variable(s.Var)
	case *AllocBuffer:
		h.tag('A')
		h.buffer(s.Buffer)
		h.annotations(s.Ann, "")
	case *DeclBuffer:
		h.tag('D')
		h.expr(s.Data)
		h.buffer(s.Buffer)
	case *AttrStmt:
		h.attr(s)
	case *While:
		h.tag('W')
		h.expr(s.Cond)
		h.stmt(s.Body)
	case *Assert:
		h.tag('X')
		h.expr(s.Cond)
		h.text(s.Kind)
		h.num(uint64(len(s.Parts)))
		for _, x := range s.Parts {
			h.text(x)
		}
	default:
		panic("BUG: unknown statement node")
	}
}

func (h *hasher) attr(s *AttrStmt) {
	h.tag('T')
	h.text(s.Key)
	switch n := s.Node.(type) {
	case *IterVar:
		h.tag('I')
		h.text(n.Tag)
		h.variable(n.Var)
	case *Reducer:
		h.tag('R')
		for _, vs := range [][]*Var{n.Lhs, n.Rhs} {
			h.num(uint64(len(vs)))
			for _, v := range vs {
				h.variable(v)
			}
		}
		h.exprs(n.Result)
		h.exprs(n.Identity)
	default:
		h.value(n)
	}
	h.value(s.Value)
	h.stmt(s.Body)
}

func (h *hasher) loop(s *For) {
	h.tag('F')
	h.tag(byte(s.Kind))
	h.variable(s.Var)
	h.expr(s.Min)
	h.expr(s.Extent)
	h.expr(s.Step)
	if s.Thread != nil {
		h.text(s.Thread.Tag)
		h.tag(byte(s.Thread.Kind))
	}
	h.annotations(s.Ann, "")
	h.stmt(s.Body)
}

func (h *hasher) block(b *Block) {
	h.num(uint64(len(b.Iters)))
	for _, it := range b.Iters {
		h.tag(byte(it.Kind))
		h.text(it.Tag)
		h.expr(it.Dom.Min)
		h.expr(it.Dom.Extent)
		h.variable(it.Var)
	}
	h.regions(b.Reads)
	h.regions(b.Writes)
	h.num(uint64(len(b.Allocs)))
	for _, x := range b.Allocs {
		h.buffer(x)
	}
	h.num(uint64(len(b.Matches)))
	for _, m := range b.Matches {
		h.buffer(m.Buffer)
		h.region(m.Source)
	}
	h.annotations(b.Ann, "")
	h.stmt(b.Init)
	h.stmt(b.Body)
}

func (h *hasher) regions(rs []Region) {
	h.num(uint64(len(rs)))
	for _, r := range rs {
		h.region(r)
	}
}

func (h *hasher) region(r Region) {
	h.buffer(r.Buffer)
	h.num(uint64(len(r.Ranges)))
	for _, x := range r.Ranges {
		h.expr(x.Min)
		h.expr(x.Extent)
	}
}
