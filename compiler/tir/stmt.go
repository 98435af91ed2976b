package tir

import "strings"

// Stmt is a statement. Like expressions, statements are immutable to everyone
// but the schedule that owns them (see For.Owner).
type Stmt interface{ isStmt() }

// Owner is the token of a schedule: nodes that carry it may be edited in place
// by that schedule and by nobody else. Equality, hash and printer ignore it.
type Owner struct{ _ byte }

// Store writes Value to one element of Buffer, or to a vector of elements when
// the last index is a vector.
type Store struct {
	Buffer  *Buffer
	Value   Expr
	Indices []Expr
}

// Seq runs statements in order. Sequences are flat and have two or more
// members; build them with NewSeq.
type Seq struct{ Stmts []Stmt }

// If runs one branch; Else may be nil.
type If struct {
	Cond       Expr
	Then, Else Stmt
}

// Evaluate computes Value for its effect.
type Evaluate struct{ Value Expr }

// Bind gives Var an immutable value for the statements that follow it in the
// same sequence.
type Bind struct {
	Var   *Var
	Value Expr
}

// AllocBuffer creates Buffer for the statements that follow it in the same
// sequence. Schedulable functions allocate in blocks instead.
type AllocBuffer struct {
	Buffer *Buffer
	Ann    Annotations
}

// DeclBuffer makes Buffer another view of the memory that Data points to, for
// the statements that follow it in the same sequence; used by lowered code only.
type DeclBuffer struct {
	Buffer *Buffer
	Data   Expr
}

// AttrStmt attaches a key to Body; used by lowered code only. Node is what the
// key is about: nil (nothing), a text, an expression, a list of these, the
// *IterVar that a thread launch defines, or a *Reducer.
type AttrStmt struct {
	Node  any
	Key   string
	Value any // as in Annotation, or an expression
	Body  Stmt
}

// Reducer is a commutative operation on tuples: Result combines Lhs and Rhs, and
// Identity changes nothing.
type Reducer struct {
	Lhs, Rhs         []*Var
	Result, Identity []Expr
}

// While repeats Body as long as Cond holds.
type While struct {
	Cond Expr
	Body Stmt
}

// Assert stops with an error of Kind ("" is RuntimeError) unless Cond holds;
// its message is stored in parts.
type Assert struct {
	Cond  Expr
	Kind  string
	Parts []string
}

// Message is the message in one piece.
func (s *Assert) Message() string { return strings.Join(s.Parts, "") }

// LoopKind says how the iterations of a loop run.
type LoopKind uint8

// The loop kinds of TVMScript: range, T.parallel, T.vectorized, T.unroll and
// T.thread_binding.
const (
	Serial LoopKind = iota
	Parallel
	Vectorized
	Unrolled
	ThreadBinding
)

// For is a loop of Var over [Min, Min+Extent), by Step (nil means 1).
type For struct {
	Var         *Var
	Min, Extent Expr
	Step        Expr
	Kind        LoopKind
	Thread      *IterVar // of a ThreadBinding loop: tag and variable
	Ann         Annotations
	Body        Stmt

	Owner *Owner
}

// IterKind is what a block iterator stands for.
type IterKind uint8

// The iterator kinds; the numbers are those of MetaSchedule's node graphs.
const (
	Spatial IterKind = iota
	Thread
	Reduce
	Ordered
	Opaque
)

// IterVar is a block iterator: a variable, its domain and its kind. Dom is the
// zero Range on thread iterators.
type IterVar struct {
	Var  *Var
	Dom  Range
	Kind IterKind
	Tag  string // thread tag, else ""
}

// Block is a unit of computation over its iterators: reads and writes are its
// declared regions, Init runs when all reduce iterators are at their start.
type Block struct {
	Name    string
	Iters   []*IterVar
	Reads   []Region
	Writes  []Region
	Allocs  []*Buffer
	Matches []MatchRegion
	Ann     Annotations
	Init    Stmt // nil when absent
	Body    Stmt
}

// BlockRealize runs Block with its iterators bound to Values wherever
// Predicate holds.
type BlockRealize struct {
	Values    []Expr
	Predicate Expr
	Block     *Block

	Owner *Owner
}

func (*Store) isStmt()        {}
func (*Seq) isStmt()          {}
func (*If) isStmt()           {}
func (*Evaluate) isStmt()     {}
func (*Bind) isStmt()         {}
func (*AllocBuffer) isStmt()  {}
func (*DeclBuffer) isStmt()   {}
func (*AttrStmt) isStmt()     {}
func (*While) isStmt()        {}
func (*Assert) isStmt()       {}
func (*For) isStmt()          {}
func (*BlockRealize) isStmt() {}

// IsNoOp reports whether a statement evaluates an integer constant of value 0.
func IsNoOp(s Stmt) bool {
	e, ok := s.(*Evaluate)
	return ok && IsConst(e.Value, 0)
}

// NewSeq makes one statement of many: members that are nil or do nothing are
// dropped, and a sequence of one is that statement. None gives nil. The members of
// a nested sequence join as they are: NewSeq has made that one too.
func NewSeq(stmts ...Stmt) Stmt {
	if len(stmts) == 1 {
		if _, nested := stmts[0].(*Seq); !nested {
			return stmts[0]
		}
	}
	out := make([]Stmt, 0, len(stmts))
	var idle Stmt
	for _, s := range stmts {
		switch s := s.(type) {
		case nil:
		case *Seq:
			out = append(out, s.Stmts...)
		default:
			if IsNoOp(s) {
				idle = &Evaluate{Value: Int(0)}
				continue
			}
			out = append(out, s)
		}
	}
	switch len(out) {
	case 0:
		return idle
	case 1:
		return out[0]
	}
	return &Seq{out}
}
