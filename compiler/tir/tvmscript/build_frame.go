package tvmscript

import "hone/compiler/tir"

type frameKind uint8

const (
	funcFrame frameKind = iota
	blockFrame
	initFrame
	loopFrame
	branchFrame // if, else, while, attr
)

// frame collects the statements of one body.
type frame struct {
	kind  frameKind
	at    pos
	first int        // where its statements begin in builder.emitted
	loop  *tir.For   // of a loopFrame, Body still missing
	block *openBlock // of a blockFrame
	// wrap makes the statement of a frame that holds the rest of the body around
	// it, as a bare T.attr does; nil for frames with a body of their own.
	wrap func(body tir.Stmt) tir.Stmt
}

// openBlock is a block whose statements are being read.
type openBlock struct {
	block                *tir.Block
	values               []tir.Expr
	predicate            tir.Expr
	hasReads, hasWrites  bool
	hasWhere, hasInit    bool
	declaredR, declaredW []tir.Region
	flat                 pos // of the first allocation statement, 0 without
}

func (b *builder) top() *frame { return b.frames[len(b.frames)-1] }

func (b *builder) emit(s tir.Stmt) { b.emitted = append(b.emitted, s) }

// push makes f the innermost frame.
func (b *builder) push(f *frame) {
	f.first = len(b.emitted)
	b.frames = append(b.frames, f)
}

// pop ends the innermost frame and returns what it has collected as one
// statement.
func (b *builder) pop() tir.Stmt {
	f := b.top()
	b.frames = b.frames[:len(b.frames)-1]
	body := tir.NewSeq(b.emitted[f.first:]...)
	clear(b.emitted[f.first:])
	b.emitted = b.emitted[:f.first]
	if body == nil {
		return &tir.Evaluate{Value: tir.Int(0)} // an empty body is `pass`
	}
	return body
}

// inside runs the statements of a body in a frame and a name scope of its own
// and returns them as one statement.
func (b *builder) inside(f *frame, body []pyStmt) tir.Stmt {
	b.push(f)
	b.open()
	b.stmts(body)
	b.closeTo(f)
	b.close()
	return b.pop()
}

// holdRest opens a frame that collects the rest of the body.
func (b *builder) holdRest(at pos, wrap func(body tir.Stmt) tir.Stmt) {
	b.push(&frame{kind: branchFrame, at: at, wrap: wrap})
}

// closeTo ends the frames inside f that hold the rest of its body.
func (b *builder) closeTo(f *frame) {
	for b.top() != f {
		wrap := b.top().wrap
		b.emit(wrap(b.pop()))
	}
}

// directBlock returns the block that the current statement is directly in.
func (b *builder) directBlock(at pos, what string) *openBlock {
	if f := b.top(); f.kind == blockFrame {
		return f.block
	}
	b.fail(at, "%s must be directly in the body of a block", what)
	return nil
}

// enclosingBlock returns the nearest block around, past loops and branches, or
// nil at function level.
func (b *builder) enclosingBlock() *openBlock {
	for i := len(b.frames) - 1; i >= 0; i-- {
		if b.frames[i].kind == blockFrame {
			return b.frames[i].block
		}
	}
	return nil
}

// enclosingLoop finds the loop that a variable belongs to.
func (b *builder) enclosingLoop(v *tir.Var) *tir.For {
	for i := len(b.frames) - 1; i >= 0; i-- {
		if l := b.frames[i].loop; l != nil && l.Var == v {
			return l
		}
	}
	return nil
}
