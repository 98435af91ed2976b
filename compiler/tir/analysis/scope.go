package analysis

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// Child is a block directly inside a scope, with the loops between the two,
// outermost first.
type Child struct {
	Realize *tir.BlockRealize
	Loops   []*tir.For
}

// Block is the child's block.
func (c *Child) Block() *tir.Block { return c.Realize.Block }

// LoopRanges are the child's loops as arith takes them.
func (c *Child) LoopRanges() []arith.Loop { return LoopRanges(c.Loops) }

// LoopRanges turns loops into their variables and ranges.
func LoopRanges(loops []*tir.For) []arith.Loop {
	out := make([]arith.Loop, len(loops))
	for i, l := range loops {
		out[i] = arith.Loop{Var: l.Var, Dom: tir.Range{Min: l.Min, Extent: l.Extent}}
	}
	return out
}

// Scope is a block seen as a sequence of child blocks: those that its body
// reaches without passing through another block, in order of execution.
type Scope struct {
	Block    *tir.Block
	Around   []*tir.For // the loops of the function around Block, outermost first
	Children []Child
	// Plain says that only loops and sequences stand between the block and its
	// children, and nothing else is executed.
	Plain bool

	readers, writers map[*tir.Buffer][]int
}

// NewScope lists the children of b's body; b's init does not count. around are
// the loops outside of b, those beyond further blocks included: region cover
// knows their ranges and asks whether they are threads.
func NewScope(b *tir.Block, around ...*tir.For) *Scope {
	s := &Scope{Block: b, Around: around, Plain: true}
	s.collect(b.Body, nil)
	s.index()
	return s
}

func (s *Scope) index() {
	s.readers, s.writers = map[*tir.Buffer][]int{}, map[*tir.Buffer][]int{}
	for i := range s.Children {
		for _, r := range s.Children[i].Block().Reads {
			s.readers[r.Buffer] = appendOnce(s.readers[r.Buffer], i)
		}
		for _, r := range s.Children[i].Block().Writes {
			s.writers[r.Buffer] = appendOnce(s.writers[r.Buffer], i)
		}
	}
}

func appendOnce(xs []int, x int) []int {
	if n := len(xs); n > 0 && xs[n-1] == x {
		return xs
	}
	return append(xs, x)
}

func (s *Scope) collect(st tir.Stmt, loops []*tir.For) {
	switch x := st.(type) {
	case nil:
	case *tir.Seq:
		for _, c := range x.Stmts {
			s.collect(c, loops)
		}
	case *tir.For:
		s.collect(x.Body, append(loops[:len(loops):len(loops)], x))
	case *tir.BlockRealize:
		s.Children = append(s.Children, Child{x, loops})
	case *tir.If:
		s.Plain = false
		s.collect(x.Then, loops)
		s.collect(x.Else, loops)
	case *tir.AttrStmt:
		s.Plain = false
		s.collect(x.Body, loops)
	case *tir.While:
		s.Plain = false
		s.collect(x.Body, loops)
	default:
		s.Plain = false
	}
}

// Find returns the index of the child that realises b, -1 when there is none.
func (s *Scope) Find(b *tir.Block) int {
	for i := range s.Children {
		if s.Children[i].Block() == b {
			return i
		}
	}
	return -1
}

// Writers are the children that write buf, in order; Readers those that read it.
func (s *Scope) Writers(buf *tir.Buffer) []int { return s.writers[buf] }

// Readers are the children that read buf, in order.
func (s *Scope) Readers(buf *tir.Buffer) []int { return s.readers[buf] }

// DepKind is the kind of a dependency between two children.
type DepKind uint8

// The kinds of dependencies: the later child reads what the earlier one writes,
// writes it again, writes what the earlier one reads.
const (
	RAW DepKind = iota
	WAW
	WAR
)

// String names the kind.
func (k DepKind) String() string { return [...]string{"RAW", "WAW", "WAR"}[k] }

// Dep says that child Dst depends on the earlier child Src.
type Dep struct {
	Src, Dst int
	Kind     DepKind
}

// Deps lists the dependencies by Dst, then kind, then buffer and Src. Two
// children may depend on each other through several buffers; each pair and kind
// is listed once.
func (s *Scope) Deps() []Dep {
	var out []Dep
	add := func(src, dst int, k DepKind) {
		if src >= dst {
			return
		}
		for i := len(out) - 1; i >= 0 && out[i].Dst == dst; i-- {
			if out[i] == (Dep{src, dst, k}) {
				return
			}
		}
		out = append(out, Dep{src, dst, k})
	}
	for i := range s.Children {
		b := s.Children[i].Block()
		for _, r := range b.Reads {
			for _, w := range s.writers[r.Buffer] {
				add(w, i, RAW)
			}
		}
		for _, r := range b.Writes {
			for _, w := range s.writers[r.Buffer] {
				add(w, i, WAW)
			}
		}
		for _, r := range b.Writes {
			for _, w := range s.readers[r.Buffer] {
				add(w, i, WAR)
			}
		}
	}
	return out
}

// Producers are the children whose output child i reads, Consumers those that
// read what it writes; both in order.
func (s *Scope) Producers(i int) []int {
	return s.related(i, s.Children[i].Block().Reads, s.writers, false)
}

// Consumers are the children that read what child i writes, in order.
func (s *Scope) Consumers(i int) []int {
	return s.related(i, s.Children[i].Block().Writes, s.readers, true)
}

func (s *Scope) related(i int, rs []tir.Region, by map[*tir.Buffer][]int, later bool) []int {
	seen := make([]bool, len(s.Children))
	for _, r := range rs {
		for _, j := range by[r.Buffer] {
			if (j > i) == later && j != i {
				seen[j] = true
			}
		}
	}
	var out []int
	for j, ok := range seen {
		if ok {
			out = append(out, j)
		}
	}
	return out
}

// IsOutput reports whether child i writes a buffer that outlives the scope: one
// that the scope's block does not allocate.
func (s *Scope) IsOutput(i int) bool {
	for _, w := range s.Children[i].Block().Writes {
		local := false
		for _, b := range s.Block.Allocs {
			local = local || b == w.Buffer
		}
		if !local {
			return true
		}
	}
	return false
}
