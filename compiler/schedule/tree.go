package schedule

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// nid is the number of a node in its function's arena.
type nid int32

const none nid = -1

type nodeKind uint8

const (
	kLoop  nodeKind = iota // one kid
	kBlock                 // one kid, or none when its body holds no blocks
	kSeq                   // two kids or more
	kOther                 // a leaf, or an if, attribute or while around kids
)

// node is one element of the tree. Kid lists are never edited in place, so that
// a fork may share them; every other field belongs to the one arena.
type node struct {
	kind   nodeKind
	affine fact   // of a block: its bindings are quasi-affine
	cover  fact   // of a block: its reads are produced in full inside the scope
	stages fact   // of a block: its children are a stage pipeline
	closed fact   // of a block: it uses no variable of the loops around it
	why    string // of a block: why a primitive set facts to no that it did not compute
	parent nid
	kids   []nid
	gone   string // the primitive that took the node away, "" while alive

	loop   tir.For // kLoop; Body is not used
	block  *tir.Block
	values []tir.Expr
	tidied *tir.Expr // the first of the bindings that rename brought to normal form
	pred   tir.Expr
	other  tir.Stmt

	made tir.Stmt // the node as a statement; nil when something changed since
}

// fact is a cached yes or no.
type fact uint8

const (
	unknown fact = iota
	yes
	no
)

func factOf(b bool) fact {
	if b {
		return yes
	}
	return no
}

// state is one function as a tree.
type state struct {
	fn    *tir.PrimFunc
	nodes []*node
	root  nid
	index int32 // of the function in its schedule

	scratch *arith.Analyzer
}

func (st *state) at(id nid) *node { return st.nodes[id] }

func (st *state) add(n node) nid {
	c := n
	st.nodes = append(st.nodes, &c)
	id := nid(len(st.nodes) - 1)
	for _, k := range n.kids {
		st.nodes[k].parent = id
	}
	return id
}

// newState loads a function of the schedulable dialect.
func newState(fn *tir.PrimFunc, index int32) (*state, *Error) {
	root, ok := fn.Root()
	if !ok {
		return nil, refuse(NotSchedulable, "function "+fn.Name, "its body is not a root block without iterators")
	}
	st := &state{fn: fn, index: index, nodes: make([]*node, 0, 64)}
	st.root = st.load(root)
	st.at(st.root).parent = none
	st.learn()
	return st, nil
}

// clone copies the arena. Kid lists, blocks and finished statements are shared.
func (st *state) clone() *state {
	c := *st
	c.scratch = nil
	chunk := make([]node, len(st.nodes))
	c.nodes = make([]*node, len(st.nodes), len(st.nodes)+48)
	for i, n := range st.nodes {
		chunk[i] = *n
		c.nodes[i] = &chunk[i]
	}
	return &c
}

// load adds the nodes of a statement and returns its top. Statements without
// blocks inside become leaves, loops included: no handle can reach them.
func (st *state) load(s tir.Stmt) nid {
	if !hasBlocks(s) {
		return st.add(node{kind: kOther, other: s, made: s})
	}
	switch x := s.(type) {
	case *tir.For:
		shell := *x
		shell.Body = nil
		return st.add(node{kind: kLoop, loop: shell, kids: []nid{st.load(x.Body)}, made: s})
	case *tir.BlockRealize:
		n := node{kind: kBlock, block: x.Block, values: x.Values, pred: x.Predicate, made: s}
		if hasBlocks(x.Block.Body) {
			n.kids = []nid{st.load(x.Block.Body)}
		}
		return st.add(n)
	case *tir.Seq:
		kids := make([]nid, len(x.Stmts))
		for i, k := range x.Stmts {
			kids[i] = st.load(k)
		}
		return st.add(node{kind: kSeq, kids: kids, made: s})
	case *tir.If:
		kids := []nid{st.load(x.Then)}
		if x.Else != nil {
			kids = append(kids, st.load(x.Else))
		}
		return st.add(node{kind: kOther, other: x, kids: kids, made: s})
	case *tir.AttrStmt:
		return st.add(node{kind: kOther, other: x, kids: []nid{st.load(x.Body)}, made: s})
	case *tir.While:
		return st.add(node{kind: kOther, other: x, kids: []nid{st.load(x.Body)}, made: s})
	}
	panic("BUG: a statement of unknown kind holds blocks")
}

// hasBlocks reports whether a block is realised in s, initialisers of blocks
// aside.
func hasBlocks(s tir.Stmt) bool {
	switch x := s.(type) {
	case *tir.BlockRealize:
		return true
	case *tir.For:
		return hasBlocks(x.Body)
	case *tir.Seq:
		for _, k := range x.Stmts {
			if hasBlocks(k) {
				return true
			}
		}
	case *tir.If:
		return hasBlocks(x.Then) || x.Else != nil && hasBlocks(x.Else)
	case *tir.AttrStmt:
		return hasBlocks(x.Body)
	case *tir.While:
		return hasBlocks(x.Body)
	}
	return false
}

// stmt writes a subtree back as a statement; what did not change since the last
// time is the same statement.
func (st *state) stmt(id nid) tir.Stmt {
	n := st.at(id)
	if n.made == nil {
		n.made = st.build(n)
	}
	return n.made
}

func (st *state) build(n *node) tir.Stmt {
	switch n.kind {
	case kLoop:
		f := n.loop
		f.Body = st.stmt(n.kids[0])
		return &f
	case kBlock:
		return &tir.BlockRealize{Values: n.values, Predicate: n.pred, Block: st.fullBlock(n)}
	case kSeq:
		out := make([]tir.Stmt, len(n.kids))
		for i, k := range n.kids {
			out[i] = st.stmt(k)
		}
		return &tir.Seq{Stmts: out}
	}
	if len(n.kids) == 0 {
		return n.other
	}
	body := st.stmt(n.kids[0])
	switch x := n.other.(type) {
	case *tir.If:
		c := &tir.If{Cond: x.Cond, Then: body}
		if len(n.kids) > 1 {
			c.Else = st.stmt(n.kids[1])
		}
		return c
	case *tir.AttrStmt:
		c := *x
		c.Body = body
		return &c
	case *tir.While:
		return &tir.While{Cond: x.Cond, Body: body}
	}
	panic("BUG: unknown statement around blocks")
}

// fullBlock is the block with the body that the tree says it has.
func (st *state) fullBlock(n *node) *tir.Block {
	if len(n.kids) == 0 {
		return n.block
	}
	body := st.stmt(n.kids[0])
	if body == n.block.Body {
		return n.block
	}
	c := *n.block
	c.Body = body
	return &c
}

// touch says that a node changed: the statements made of it and of everything
// around it are out of date. A node without statement has none around it.
func (st *state) touch(id nid) {
	for first := true; id != none; first = false {
		n := st.at(id)
		if n.made == nil && !first {
			return
		}
		n.made = nil
		id = n.parent
	}
}

// setKids replaces the kids of a node.
func (st *state) setKids(id nid, kids ...nid) {
	st.at(id).kids = kids
	for _, k := range kids {
		st.at(k).parent = id
	}
	st.touch(id)
}

// setBlock replaces the shell of a block; body and cached facts of the shell
// are the caller's business.
func (st *state) setBlock(id nid, b *tir.Block) {
	n := st.at(id)
	n.block, n.closed = b, unknown
	st.touch(id)
}

// where names a node for an error.
func (st *state) where(id nid) string {
	switch n := st.at(id); n.kind {
	case kLoop:
		return "loop " + n.loop.Var.Name
	case kBlock:
		return "block " + n.block.Name
	}
	return "function " + st.fn.Name
}
