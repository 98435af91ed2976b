package tir

import "hone/compiler/dtype"

// Expr is a pure scalar or vector expression. Nodes are immutable: build new
// ones with the functions of fold.go and never write to a node after that.
type Expr interface {
	// DType is the type of the value, lanes included.
	DType() dtype.DType
	isExpr()
}

// Var is a scalar variable: a loop, iter, let or shape variable. Its identity
// is its address; the name is a hint for the printer.
type Var struct {
	Name string
	Type dtype.DType
	Ptr  *Pointer // what a handle points to, nil when that is not said
}

// Pointer says what a handle points to.
type Pointer struct {
	Elem  dtype.DType
	Scope string
}

// IntImm is an integer or bool constant.
type IntImm struct {
	Value int64
	Type  dtype.DType
}

// FloatImm is a floating-point constant, already rounded to its type.
type FloatImm struct {
	Value float64
	Type  dtype.DType
}

// StringImm is a text constant, an argument of calls only.
type StringImm struct{ Value string }

// Binary applies Op to two operands of equal type. Comparisons and logic give
// bool. Build it with NewBinary, which sets T.
type Binary struct {
	Op   BinOp
	A, B Expr
	T    dtype.DType
}

// Not is logical negation of a bool.
type Not struct{ A Expr }

// Cast converts Value to Type. NewCast folds; this node never does.
type Cast struct {
	Type  dtype.DType
	Value Expr
}

// Select evaluates all three operands and picks one by Cond.
type Select struct{ Cond, Then, Else Expr }

// Let binds Var to Value inside Body.
type Let struct {
	Var   *Var
	Value Expr
	Body  Expr
}

// Ramp is the vector (Base, Base+Stride, …) of Lanes elements.
type Ramp struct {
	Base, Stride Expr
	Lanes        int
}

// Broadcast is the vector of Lanes copies of a scalar.
type Broadcast struct {
	Value Expr
	Lanes int
}

// Load reads one element of Buffer, or a vector when the last index is one.
type Load struct {
	Buffer  *Buffer
	Indices []Expr
}

// Call applies a named operator ("exp", "if_then_else", "call_extern", …) to
// its arguments. Names carry no dialect prefix, those of functions of the same
// module start with '@'; Type is the result.
type Call struct {
	Op   string
	Args []Expr
	Type dtype.DType
}

// BufferRef is a buffer used as a value: its data pointer (`A.data`).
type BufferRef struct{ Buffer *Buffer }

// DType implements Expr.
func (e *Var) DType() dtype.DType { return e.Type }

// DType implements Expr.
func (e *IntImm) DType() dtype.DType { return e.Type }

// DType implements Expr.
func (e *FloatImm) DType() dtype.DType { return e.Type }

// DType implements Expr.
func (e *StringImm) DType() dtype.DType { return dtype.StringType }

// DType implements Expr.
func (e *Binary) DType() dtype.DType { return e.T }

// DType implements Expr.
func (e *Not) DType() dtype.DType { return e.A.DType() }

// DType implements Expr.
func (e *Cast) DType() dtype.DType { return e.Type }

// DType implements Expr.
func (e *Select) DType() dtype.DType { return e.Then.DType() }

// DType implements Expr.
func (e *Let) DType() dtype.DType { return e.Body.DType() }

// DType implements Expr.
func (e *Ramp) DType() dtype.DType { return e.Base.DType().WithLanes(e.Lanes) }

// DType implements Expr.
func (e *Broadcast) DType() dtype.DType { return e.Value.DType().WithLanes(e.Lanes) }

// DType implements Expr: the element type, times the lanes of a vector index.
func (e *Load) DType() dtype.DType { return accessType(e.Buffer, e.Indices) }

// DType implements Expr.
func (e *Call) DType() dtype.DType { return e.Type }

// DType implements Expr.
func (e *BufferRef) DType() dtype.DType { return dtype.HandleType }

// LanesExpr is the number of lanes of a vector as an expression of type t; that
// of a scalable one is a multiple of vscale.
func LanesExpr(lanes int, t dtype.DType) Expr {
	if n := dtype.VScale(lanes); n > 0 {
		return NewCast(t, Mul(&Call{Op: "vscale", Type: dtype.Int32}, Int(int64(n))))
	}
	return IntOf(int64(lanes), t)
}

func accessType(b *Buffer, indices []Expr) dtype.DType {
	t := b.Type
	if n := len(indices); n > 0 {
		if l := indices[n-1].DType().Lanes; l > 1 {
			return t.WithLanes(int(l) * int(t.Lanes))
		}
	}
	return t
}

func (*Var) isExpr()       {}
func (*IntImm) isExpr()    {}
func (*FloatImm) isExpr()  {}
func (*StringImm) isExpr() {}
func (*Binary) isExpr()    {}
func (*Not) isExpr()       {}
func (*Cast) isExpr()      {}
func (*Select) isExpr()    {}
func (*Let) isExpr()       {}
func (*Ramp) isExpr()      {}
func (*Broadcast) isExpr() {}
func (*Load) isExpr()      {}
func (*Call) isExpr()      {}
func (*BufferRef) isExpr() {}
