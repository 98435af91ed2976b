package tvmscript

// node is a Python expression.
type node interface{ at() pos }

type (
	nameNode struct {
		p  pos
		id string
	}
	intNode struct {
		p   pos
		val int64
	}
	bigNode struct { // from 2^63 on
		p   pos
		val bigInt
	}
	floatNode struct {
		p   pos
		val float64
	}
	textNode struct {
		p   pos
		val string
	}
	pathNode struct { // a.b.c
		p    pos
		path string
	}
	attrNode struct { // of anything but a name
		p    pos
		x    node
		name string
	}
	callNode struct {
		p    pos
		fn   node
		args []node
		kw   []keyword
	}
	indexNode struct {
		p     pos
		x     node
		items []node
	}
	sliceNode struct {
		p            pos
		lo, hi, step node
	} // parts may be nil
	listNode struct {
		p     pos
		items []node
		tuple bool
	}
	dictNode struct {
		p       pos
		entries []entry
	}
	unaryNode struct {
		p  pos
		op kind
		x  node
	}
	binNode struct {
		p    pos
		op   kind
		a, b node
	}
	cmpNode struct {
		p     pos
		ops   []kind
		items []node
	}
	logicNode struct {
		p     pos
		op    kind
		items []node
	} // "and" or "or"
	ifNode struct {
		p               pos
		cond, then, els node
	}
	lamNode struct {
		p      pos
		params []string
		body   node
	}
	starNode struct {
		p pos
		x node
	}
	compNode struct { // [item for target in iter if cond …]
		p                  pos
		item, target, iter node
		conds              []node
	}
)

type entry struct{ key, val node }

type keyword struct {
	p    pos
	name string
	val  node
}

func (n *nameNode) at() pos  { return n.p }
func (n *intNode) at() pos   { return n.p }
func (n *bigNode) at() pos   { return n.p }
func (n *floatNode) at() pos { return n.p }
func (n *textNode) at() pos  { return n.p }
func (n *pathNode) at() pos  { return n.p }
func (n *attrNode) at() pos  { return n.p }
func (n *callNode) at() pos  { return n.p }
func (n *indexNode) at() pos { return n.p }
func (n *sliceNode) at() pos { return n.p }
func (n *listNode) at() pos  { return n.p }
func (n *dictNode) at() pos  { return n.p }
func (n *unaryNode) at() pos { return n.p }
func (n *binNode) at() pos   { return n.p }
func (n *cmpNode) at() pos   { return n.p }
func (n *logicNode) at() pos { return n.p }
func (n *ifNode) at() pos    { return n.p }
func (n *lamNode) at() pos   { return n.p }
func (n *starNode) at() pos  { return n.p }
func (n *compNode) at() pos  { return n.p }

// pyStmt is a Python statement.
type pyStmt interface{ at() pos }

type (
	assignStmt struct {
		p             pos
		target, value node
	}
	augStmt struct {
		p             pos
		op            kind
		target, value node
	}
	annStmt struct {
		p                  pos
		target, ann, value node
	} // value may be nil
	exprStmt struct {
		p pos
		x node
	}
	forStmt struct {
		p            pos
		target, iter node
		body         []pyStmt
	}
	ifStmt struct {
		p         pos
		cond      node
		then, els []pyStmt
	}
	whileStmt struct {
		p    pos
		cond node
		body []pyStmt
	}
	withStmt struct {
		p        pos
		item, as node
		body     []pyStmt
	}
	assertStmt struct {
		p         pos
		cond, msg node
	}
	passStmt struct{ p pos }
	jumpStmt struct {
		p     pos
		word  string // break, continue or return
		value node   // of return
	}
	funcStmt struct {
		p          pos
		decorators []node
		name       string
		typeParams []string
		params     []param
		returns    node
		body       []pyStmt
		size       int  // of its text, in bytes
		old        bool // uses the spellings of releases up to 0.20
	}
	classStmt struct { // the parser's member reads its body
		p          pos
		decorators []node
		name       string
	}
)

type param struct {
	p    pos
	name string
	ann  node
}

func (s *assignStmt) at() pos { return s.p }
func (s *augStmt) at() pos    { return s.p }
func (s *annStmt) at() pos    { return s.p }
func (s *exprStmt) at() pos   { return s.p }
func (s *forStmt) at() pos    { return s.p }
func (s *ifStmt) at() pos     { return s.p }
func (s *whileStmt) at() pos  { return s.p }
func (s *withStmt) at() pos   { return s.p }
func (s *assertStmt) at() pos { return s.p }
func (s *passStmt) at() pos   { return s.p }
func (s *jumpStmt) at() pos   { return s.p }
func (s *funcStmt) at() pos   { return s.p }
func (s *classStmt) at() pos  { return s.p }
