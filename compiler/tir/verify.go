package tir

import (
	"fmt"
	"strings"
	"sync"

	"hone/compiler/dtype"
)

// VerifyError says what is not well formed in a function, and where.
type VerifyError struct {
	Func  string
	Block string // innermost block around the fault, "" outside of blocks
	Msg   string // quotes the node
}

// Error implements error.
func (e *VerifyError) Error() string {
	if e.Block != "" {
		return fmt.Sprintf("%s: block %q: %s", e.Func, e.Block, e.Msg)
	}
	return e.Func + ": " + e.Msg
}

// Verify reports the first way in which f is not well formed: a variable or
// buffer that is not defined where it is used or defined twice, a wrong number
// of indices, bindings or dimensions, types that do not fit, a sequence that is
// not flat, loop variables used inside a block with iterators, a schedulable
// function without root block. It does not prove that accesses stay in bounds
// or that regions cover them; tir/interp checks that on data.
func Verify(f *PrimFunc) error {
	v := verifiers.Get().(*verifier)
	v.fn = f.Name
	v.function(f)
	err := v.err
	v.reset()
	verifiers.Put(v)
	if err == nil {
		return nil
	}
	return err
}

// verifiers are kept for their maps: a module has many small functions.
var verifiers = sync.Pool{New: func() any {
	return &verifier{vars: map[*Var]int{}, buffers: map[*Buffer]bool{}}
}}

func (v *verifier) reset() {
	clear(v.vars)
	clear(v.buffers)
	clear(v.defs[:cap(v.defs)])
	clear(v.blocks[:cap(v.blocks)])
	*v = verifier{vars: v.vars, buffers: v.buffers, defs: v.defs[:0], blocks: v.blocks[:0]}
}

// VerifyModule verifies every function and that names are unique and sorted.
func VerifyModule(m *Module) error {
	for i, f := range m.Funcs {
		if i > 0 && m.Funcs[i-1].Name >= f.Name {
			return fmt.Errorf("module: function %s after %s: names must be unique and sorted", f.Name, m.Funcs[i-1].Name)
		}
		if err := Verify(f); err != nil {
			return err
		}
	}
	return nil
}

type verifier struct {
	fn      string
	strict  bool // one definition per object in the whole function
	blocks  []string
	vars    map[*Var]int     // defined so far: of a loop the blocks with iterators around it, else anyBlock; or ended
	buffers map[*Buffer]bool // defined so far; false when ended
	defs    []any            // what is in scope, in order of definition
	inIters int              // blocks with iterators around
	err     *VerifyError
}

const (
	anyBlock = 1 << 30 // every block inside the scope may use the variable
	ended    = -1      // the scope is over
)

// fail records the first fault and returns false.
func (v *verifier) fail(format string, args ...any) bool {
	if v.err == nil {
		v.err = &VerifyError{Func: v.fn, Msg: fmt.Sprintf(format, args...)}
		if len(v.blocks) > 0 {
			v.err.Block = v.blocks[len(v.blocks)-1]
		}
	}
	return false
}

// defineVar brings x into scope. In a schedulable function every variable has
// one definition; lowered code may define it again once its scope has ended.
func (v *verifier) defineVar(x *Var, depth int) {
	if x == nil {
		v.fail("a definition without variable")
		return
	}
	if old, twice := v.vars[x]; twice && (v.strict || old != ended) {
		v.fail("variable %s is defined twice", x.Name)
		return
	}
	v.vars[x] = depth
	v.defs = append(v.defs, x)
}

// again lets a variable whose scope is over be defined a second time.
func (v *verifier) again(x *Var) {
	if v.vars[x] == ended {
		delete(v.vars, x)
	}
}

func (v *verifier) defineBuffer(b *Buffer) {
	if here, twice := v.buffers[b]; here || twice && v.strict {
		v.fail("buffer %s is defined twice", b.Name)
		return
	}
	v.buffers[b] = true
	v.defs = append(v.defs, b)
}

// scope runs f and takes back the definitions it made.
func (v *verifier) scope(f func()) {
	mark := len(v.defs)
	f()
	for _, x := range v.defs[mark:] {
		switch x := x.(type) {
		case *Var:
			v.vars[x] = ended
		case *Buffer:
			v.buffers[x] = false
		}
	}
	v.defs = v.defs[:mark]
}

func (v *verifier) function(f *PrimFunc) {
	on, _ := f.Attrs.Int(AttrSTIR)
	v.strict = on != 0
	for _, p := range f.Params {
		if x, ok := p.(*Var); ok {
			v.defineVar(x, anyBlock)
		}
	}
	for _, p := range f.Params {
		if b, ok := p.(*Buffer); ok {
			v.buffer(b, true)
			v.defineBuffer(b)
		}
	}
	if v.strict && ContainsBlock(f.Body) {
		if r, ok := f.Body.(*BlockRealize); !ok || len(r.Block.Iters) > 0 {
			v.fail("the body of a schedulable function with blocks must be a root block without iterators, not %s", stmtKind(f.Body))
		}
	}
	if f.Body == nil {
		v.fail("no body")
		return
	}
	v.stmt(f.Body)
}

// buffer checks a declaration. With defines, variables that stand in shape,
// strides or offset for the first time are defined there.
func (v *verifier) buffer(b *Buffer, defines bool) {
	if defines {
		bufferExprs(b, func(e Expr) {
			Walk(e, func(x Expr) bool {
				if y, ok := x.(*Var); ok {
					if _, known := v.vars[y]; !known {
						v.defineVar(y, anyBlock)
					}
				}
				return true
			})
		})
	}
	if n := len(b.Strides); n > 0 && n != len(b.Shape) && !b.Compact() {
		v.fail("buffer %s has %d dimensions and %d strides", b.Name, len(b.Shape), n)
	}
	bufferExprs(b, func(e Expr) {
		if !e.DType().IsInt() || e.DType().Lanes != 1 {
			v.fail("buffer %s: %s is %s, a dimension must be an integer", b.Name, ExprString(e), e.DType())
		}
		v.expr(e)
	})
}

// region checks a region; what is "read of" or the like.
func (v *verifier) region(what string, r Region) {
	if !v.buffers[r.Buffer] {
		v.fail("%s buffer %s, which is not defined here", what, r.Buffer.Name)
	}
	if len(r.Ranges) != len(r.Buffer.Shape) {
		v.fail("%s %s has %d dimensions, the buffer %d", what, RegionString(r), len(r.Ranges), len(r.Buffer.Shape))
	}
	for _, x := range r.Ranges {
		if x.Min != nil && isIndex(x.Min.DType()) && !x.Min.DType().IsInt() && IsOne(x.Extent) {
			v.expr(x.Min) // a point at whatever place
			continue
		}
		v.integer(what, r.Buffer.Name, x.Min)
		v.integer(what, r.Buffer.Name, x.Extent)
	}
}

// isIndex reports whether an index may have type t: TVM lets bools and floats
// stand there too. Nothing that computes takes those.
func isIndex(t dtype.DType) bool { return t.IsInt() || t.IsBool() || t.IsFloat() }

// IsOne reports whether e is the constant 1 of whatever type.
func IsOne(e Expr) bool {
	f, ok := e.(*FloatImm)
	return IsConst(e, 1) || ok && f.Value == 1
}

// integer checks an expression that must be a scalar integer; what and name say
// of which thing it is a part.
func (v *verifier) integer(what, name string, e Expr) {
	if e == nil {
		v.fail("%s %s: nothing where an integer is wanted", what, name)
		return
	}
	if t := e.DType(); !t.IsInt() || t.Lanes != 1 {
		v.fail("%s %s: %s is %s, not an integer", what, name, ExprString(e), t)
	}
	v.expr(e)
}

// truth checks the condition of a statement, which may be an integer.
func (v *verifier) truth(what string, e Expr) {
	if e != nil && e.DType().IsInt() {
		v.integer(what, "", e)
		return
	}
	v.condition(what, e)
}

func (v *verifier) condition(what string, e Expr) {
	if e == nil {
		v.fail("%s: nothing where a bool is wanted", what)
		return
	}
	if t := e.DType(); !t.IsBool() || t.Lanes != 1 {
		v.fail("%s: %s is %s, not a bool", what, ExprString(e), t)
	}
	v.expr(e)
}

// firstLine quotes a statement in one line of a message.
func firstLine(s Stmt) string {
	text, _, more := strings.Cut(StmtString(s), "\n")
	if more {
		text += " …"
	}
	return text
}
