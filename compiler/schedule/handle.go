package schedule

import "strconv"

// BlockRV is a handle to a block, LoopRV to a loop. They are numbers that a
// schedule and all its forks share; the zero value is no handle.
type (
	BlockRV int32
	LoopRV  int32
)

// ExprRV is an integer operand of a primitive: the result of a sampling
// instruction, a literal, or Open. Its value is always known.
type ExprRV struct {
	id   int32 // of the instruction output, 0 for a literal
	open bool
	val  int64
}

// Int is a literal operand.
func Int(v int64) ExprRV { return ExprRV{val: v} }

// Ints makes literal operands.
func Ints(vs ...int64) []ExprRV {
	out := make([]ExprRV, len(vs))
	for i, v := range vs {
		out[i] = Int(v)
	}
	return out
}

// Open is the factor that split infers.
var Open = ExprRV{open: true}

// Value is the integer; 0 for Open.
func (e ExprRV) Value() int64 { return e.val }

// IsOpen reports whether e leaves its value to the primitive.
func (e ExprRV) IsOpen() bool { return e.open }

// ID is the number of the instruction output that e is, 0 for a literal.
func (e ExprRV) ID() int32 { return e.id }

// String is the value, or None for Open.
func (e ExprRV) String() string {
	if e.open {
		return "None"
	}
	return strconv.FormatInt(e.val, 10)
}

// ref is what a handle stands for. Marks are loops that only compute_at and
// reverse_compute_at understand.
type ref struct {
	kind refKind
	fn   int32
	node nid
	val  int64
}

type refKind uint8

const (
	refNone refKind = iota
	refBlock
	refLoop
	refExpr
	refInline // the loop handle that means "inline"
	refRoot   // the loop handle that means "leave at the root"
)

func (s *Schedule) addRef(r ref) int32 {
	s.refs = append(s.refs, r)
	return int32(len(s.refs) - 1)
}

func (s *Schedule) newBlock(fn int32, n nid) BlockRV {
	return BlockRV(s.addRef(ref{kind: refBlock, fn: fn, node: n}))
}

func (s *Schedule) newLoop(fn int32, n nid) LoopRV {
	return LoopRV(s.addRef(ref{kind: refLoop, fn: fn, node: n}))
}

func (s *Schedule) newExpr(v int64) ExprRV {
	return ExprRV{id: s.addRef(ref{kind: refExpr, val: v}), val: v}
}

// block resolves a handle to the function that holds it and the live node.
func (s *Schedule) block(b BlockRV) (*state, nid, *Error) {
	return s.resolve(int32(b), refBlock, "block")
}

// loop resolves a handle to a real loop; the marks are refused.
func (s *Schedule) loop(l LoopRV) (*state, nid, *Error) {
	if i := int(l); i > 0 && i < len(s.refs) && s.refs[i].kind >= refInline {
		return nil, none, refuse(BadHandle, "", "this handle marks a compute location, not a loop")
	}
	return s.resolve(int32(l), refLoop, "loop")
}

func (s *Schedule) resolve(i int32, kind refKind, what string) (*state, nid, *Error) {
	if i <= 0 || int(i) >= len(s.refs) || s.refs[i].kind != kind {
		return nil, none, refuse(BadHandle, "", "%d is no %s handle of this schedule", i, what)
	}
	r := s.refs[i]
	st := s.fns[r.fn]
	if n := st.at(r.node); n.gone != "" {
		return nil, none, refuse(StaleHandle, st.where(r.node), "%s took this %s away", n.gone, what)
	}
	return st, r.node, nil
}

// loops resolves a list of loop handles of one function.
func (s *Schedule) loops(ls []LoopRV) (*state, []nid, *Error) {
	if len(ls) == 0 {
		return nil, nil, refuse(BadArgument, "", "no loop given")
	}
	var st *state
	out := make([]nid, len(ls))
	for i, l := range ls {
		f, n, err := s.loop(l)
		if err != nil {
			return nil, nil, err
		}
		if st != nil && f != st {
			return nil, nil, refuse(NotOneScope, f.where(n), "the loops belong to different functions")
		}
		st, out[i] = f, n
	}
	return st, out, nil
}
