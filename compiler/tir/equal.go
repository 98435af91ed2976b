package tir

import (
	"fmt"
	"math"
	"strings"
)

// Equal reports whether two functions are structurally equal: variables and
// buffers are paired where they are defined, names of variables, buffers and
// blocks do not matter, attributes do, and there is no arithmetic in it.
func Equal(a, b *PrimFunc) bool { return Diff(a, b) == "" }

// Diff describes the first difference between two functions, with the blocks
// and loops around it; it is empty when they are structurally equal.
func Diff(a, b *PrimFunc) string {
	d := newDiffer()
	d.function(a, b)
	return d.report
}

// EqualModules compares functions by name and module attributes.
func EqualModules(a, b *Module) bool { return DiffModules(a, b) == "" }

// EqualStmt compares statements; variables and buffers that neither side
// defines must be the same objects.
func EqualStmt(a, b Stmt) bool { return newDiffer().stmt(a, b) }

// EqualExpr compares expressions; variables and buffers must be the same
// objects, but for those bound by a Let inside.
func EqualExpr(a, b Expr) bool {
	if a == b {
		return true
	}
	switch x := a.(type) {
	case *Var:
		return false
	case *IntImm:
		y, ok := b.(*IntImm)
		return ok && *x == *y
	case *Binary:
		y, ok := b.(*Binary)
		return ok && x.Op == y.Op && x.T == y.T && EqualExpr(x.A, y.A) && EqualExpr(x.B, y.B)
	}
	d := newDiffer()
	d.fixedBuffers = true
	return d.expr(a, b)
}

// differ walks two values in parallel. fwd and back are the pairing of
// variables and buffers, both ways.
type differ struct {
	fwd, back    map[any]any
	log          [][2]any // the pairs in the order in which they were made
	fixedBuffers bool     // buffers pair with themselves only
	defining     int      // variables met now are defined here
	loose        *sampler // compares integer expressions by value; nil: as written
	placing      int      // inside indices, extents and the like
	trail        []string
	report       string
}

func newDiffer() *differ { return &differ{fwd: map[any]any{}, back: map[any]any{}} }

// fail records the first difference.
func (d *differ) fail(format string, args ...any) bool {
	if d.report == "" {
		where := ""
		if len(d.trail) > 0 {
			where = "in " + strings.Join(d.trail, ", ") + ": "
		}
		d.report = where + fmt.Sprintf(format, args...)
	}
	return false
}

func (d *differ) inside(where string, f func() bool) bool {
	d.trail = append(d.trail, where)
	ok := f()
	d.trail = d.trail[:len(d.trail)-1]
	return ok
}

// pair makes a and b correspond from here on.
func (d *differ) pair(a, b any) {
	d.fwd[a], d.back[b] = b, a
	if d.loose != nil {
		d.log = append(d.log, [2]any{a, b})
	}
}

// paired reports whether a and b correspond; known is false when neither has
// been met.
func (d *differ) paired(a, b any) (same, known bool) {
	x, ok1 := d.fwd[a]
	y, ok2 := d.back[b]
	if !ok1 && !ok2 {
		return false, false
	}
	return ok1 && ok2 && x == b && y == a, true
}

// defineVar pairs variables at a defining position.
func (d *differ) defineVar(a, b *Var) bool {
	if same, known := d.paired(a, b); known {
		return same || d.fail("variables %s and %s stand for different things", a.Name, b.Name)
	}
	if a.Type != b.Type || !samePointer(a.Ptr, b.Ptr) {
		return d.fail("variable %s is %s, variable %s is %s", a.Name, a.Type, b.Name, b.Type)
	}
	d.pair(a, b)
	return true
}

func samePointer(a, b *Pointer) bool { return a == b || a != nil && b != nil && *a == *b }

func (d *differ) useVar(a, b *Var) bool {
	if d.defining > 0 {
		return d.defineVar(a, b)
	}
	same, known := d.paired(a, b)
	if same || !known && a == b {
		return true
	}
	return d.fail("variables %s and %s stand for different things", a.Name, b.Name)
}

// buffer pairs buffers; every use of a buffer may define it.
func (d *differ) buffer(a, b *Buffer) bool {
	if same, known := d.paired(a, b); known {
		return same || d.fail("buffers %s and %s stand for different things", a.Name, b.Name)
	}
	if a == b {
		return true
	}
	if d.fixedBuffers {
		return d.fail("buffers %s and %s differ", a.Name, b.Name)
	}
	return d.inside("buffer "+a.Name, func() bool { return d.bufferType(a, b) })
}

func (d *differ) bufferType(a, b *Buffer) bool {
	switch {
	case a.Type != b.Type:
		return d.fail("element types %s and %s", a.Type, b.Type)
	case scopeOf(a) != scopeOf(b):
		return d.fail("scopes %s and %s", scopeOf(a), scopeOf(b))
	case alignOf(a) != alignOf(b):
		return d.fail("alignments %d and %d", alignOf(a), alignOf(b))
	case a.Scalar != b.Scalar:
		return d.fail("a variable and a buffer of one element")
	case max(a.OffsetFactor, 1) != max(b.OffsetFactor, 1):
		return d.fail("offset factors %d and %d", a.OffsetFactor, b.OffsetFactor)
	}
	if !d.definingExprs("shape", a.Shape, b.Shape) || !d.definingExprs("strides", a.Strides, b.Strides) ||
		!d.definingExprs("elem_offset", offsetOf(a), offsetOf(b)) {
		return false
	}
	d.pair(a, b)
	return true
}

func scopeOf(b *Buffer) string {
	if b.Scope == "" {
		return "global"
	}
	return b.Scope
}

func alignOf(b *Buffer) int {
	if b.Align <= 0 {
		return DefaultAlign
	}
	return b.Align
}

// offsetOf is the element offset as a list, empty for the default 0.
func offsetOf(b *Buffer) []Expr {
	if b.ElemOffset == nil || IsConst(b.ElemOffset, 0) {
		return nil
	}
	return []Expr{b.ElemOffset}
}

// definingExprs compares expressions whose variables are defined here.
func (d *differ) definingExprs(what string, a, b []Expr) bool {
	d.defining++
	defer func() { d.defining-- }()
	return d.position(func() bool { return d.exprs("entries of "+what, a, b) })
}

func (d *differ) function(a, b *PrimFunc) bool {
	if !d.annotations("function attributes", a.Attrs, b.Attrs) {
		return false
	}
	if len(a.Params) != len(b.Params) {
		return d.fail("%d and %d parameters", len(a.Params), len(b.Params))
	}
	for i := range a.Params {
		if !d.param(i, a.Params[i], b.Params[i]) {
			return false
		}
	}
	if a.Ret != b.Ret {
		return d.fail("return types %s and %s", a.Ret, b.Ret)
	}
	return d.stmt(a.Body, b.Body)
}

func (d *differ) param(i int, a, b Param) bool {
	return d.inside(fmt.Sprintf("parameter %d", i), func() bool {
		switch x := a.(type) {
		case *Buffer:
			if y, ok := b.(*Buffer); ok {
				return d.buffer(x, y)
			}
		case *Var:
			if y, ok := b.(*Var); ok {
				return d.defineVar(x, y)
			}
		}
		return d.fail("a buffer and a scalar")
	})
}

func sameFloat(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}
