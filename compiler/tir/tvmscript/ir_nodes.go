package tvmscript

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// irNodes hands out what functions are made of most. The nodes of one function
// live and die together, those of two need not: every function has its own.
type irNodes struct {
	vars     supply[tir.Var]
	loads    supply[tir.Load]
	loops    supply[tir.For]
	stores   supply[tir.Store]
	buffers  supply[tir.Buffer]
	blocks   supply[tir.Block]
	realizes supply[tir.BlockRealize]
	iters    supply[tir.IterVar]
	iterVars supply[*tir.IterVar]
	regions  supply[tir.Region]
	ranges   supply[tir.Range]
	exprs    supply[tir.Expr]

	size int // of the text of the function, in bytes
}

// begin makes ready for a function whose text has size bytes: one that is as long
// as the function before takes as many nodes.
func (n *irNodes) begin(size int) {
	old := n.size
	n.size = max(size, 1)
	n.vars.begin(n.size, old)
	n.loads.begin(n.size, old)
	n.loops.begin(n.size, old)
	n.stores.begin(n.size, old)
	n.buffers.begin(n.size, old)
	n.blocks.begin(n.size, old)
	n.realizes.begin(n.size, old)
	n.iters.begin(n.size, old)
	n.iterVars.begin(n.size, old)
	n.regions.begin(n.size, old)
	n.ranges.begin(n.size, old)
	n.exprs.begin(n.size, old)
}

func (n *irNodes) newVar(name string, t dtype.DType) *tir.Var {
	return n.vars.put(tir.Var{Name: name, Type: t})
}

func (n *irNodes) load(buf *tir.Buffer, indices []tir.Expr) *tir.Load {
	return n.loads.put(tir.Load{Buffer: buf, Indices: indices})
}

// supply hands out values that outlive the text, from blocks that serve once.
type supply[T any] struct {
	free  []T
	next  int // values in the next block
	given int
}

// begin forgets the present blocks; the next one has room for as many values as
// were given since the last time, when a text of old bytes took them, and there are
// size bytes now.
func (s *supply[T]) begin(size, old int) {
	s.next = minBlock
	if old > 0 {
		s.next = min(int(int64(s.given)*int64(size)/int64(old)), maxBlock)
	}
	s.free, s.given = nil, 0
}

// put stores v.
func (s *supply[T]) put(v T) *T {
	s.need(1)
	p := &s.free[0]
	*p = v
	s.free = s.free[1:]
	return p
}

// room is an empty list, never nil, that n values can be appended to.
func (s *supply[T]) room(n int) []T {
	if n == 0 || n > maxBlock {
		return make([]T, 0, n)
	}
	s.need(n)
	out := s.free[:0:n]
	s.free = s.free[n:]
	return out
}

// need makes sure of n free values.
func (s *supply[T]) need(n int) {
	if len(s.free) < n {
		s.free = make([]T, max(s.next, n))
		s.next = min(max(s.given/2, minBlock), maxBlock)
	}
	s.given += n
}
