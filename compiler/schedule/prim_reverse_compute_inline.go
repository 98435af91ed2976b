package schedule

import (
	"slices"

	"hone/compiler/tir"
)

//	B[i] = f(i); C[i] = g(B[i])   →   C[i] = g(f(i)), in the place of B

var kindReverseComputeInline = define(Kind{
	Name: "ReverseComputeInline", Doc: "puts what a block computes into its producer",
	Params:  "block",
	In:      []Slot{{Name: "block", Kind: SlotBlock}},
	Refuses: []Condition{RootBlock, StagePipeline, HasInit, CompleteBlock, Predicate, Producers, SingleWriter, OutputBlock, Consumers, SingleAccess, BodyForm, NotInvertible, RegionCover},
})

func init() {
	kindReverseComputeInline.Apply = func(s *Schedule, c Call) error { return s.ReverseComputeInline(c.block(0)) }
}

// ReverseComputeInline removes b and makes its only producer store what b would
// have stored. The scope must be a stage pipeline; b must be complete, without
// initialiser and predicate, one store; one buffer that it reads has a writer in
// the scope, and b loads it at indices that are an invertible affine map of its
// iterators. The producer is complete, no output and one store.
func (s *Schedule) ReverseComputeInline(b BlockRV) error {
	st, id, err := s.block(b)
	if err == nil {
		var p *reverseInlining
		if p, err = st.canReverseInline(id); err == nil {
			st.reverseInline(p)
		}
	}
	if err != nil {
		return err.by("reverse_compute_inline")
	}
	s.record(kindReverseComputeInline, []any{b}, nil, nil, nil)
	return nil
}

// reverseInlining is a checked reverse_compute_inline.
type reverseInlining struct {
	id, producer, scope, top nid
	buf                      *tir.Buffer
	made, used               *tir.Store // of the producer and of the consumer
	guard                    tir.Expr   // the condition around the producer's store, or nil
	loops                    []*tir.For // around the store of a producer that copies, outermost first
	iters                    map[*tir.Var]tir.Expr
	pred                     tir.Expr
}

func (st *state) canReverseInline(id nid) (*reverseInlining, *Error) {
	if err := st.notRoot(id); err != nil {
		return nil, err
	}
	p := &reverseInlining{id: id, scope: st.scopeOf(id)}
	if err := st.stagePipeline(p.scope); err != nil {
		return nil, err
	}
	n := st.at(id)
	if n.block.Init != nil {
		return nil, refuse(HasInit, st.where(id), "it has an initialiser")
	}
	if err := st.needComplete(id); err != nil {
		return nil, err
	}
	if !tir.IsConst(n.pred, 1) {
		return nil, refuse(Predicate, st.where(id), "it has a predicate")
	}
	if err := st.onlyProducer(p); err != nil {
		return nil, err
	}
	var err *Error
	if p.top, err = st.removable(id); err != nil {
		return nil, err
	}
	if err := st.needPlain(p.scope, p.buf); err != nil {
		return nil, err
	}
	for n := st.at(id).parent; n != p.scope; n = st.at(n).parent {
		if st.at(n).kind == kOther {
			return nil, refuse(BodyForm, st.where(id), "it stands under a statement that is no loop")
		}
	}
	if err := st.storesToJoin(p); err != nil {
		return nil, err
	}
	return p, st.invertLoad(p)
}

// onlyProducer finds the one buffer that b reads and a block of the scope
// writes, and this block.
func (st *state) onlyProducer(p *reverseInlining) *Error {
	for _, r := range st.at(p.id).block.Reads {
		switch ws := st.writersOf(p.scope, r.Buffer); {
		case len(ws) == 0:
			continue
		case len(ws) > 1:
			return refuse(SingleWriter, st.where(p.id), "%d blocks write %s, which it reads", len(ws), r.Buffer.Name)
		case p.buf != nil:
			return refuse(Producers, st.where(p.id), "it reads what more than one block of the scope writes")
		}
		p.buf = r.Buffer
	}
	if p.buf == nil {
		return refuse(Producers, st.where(p.id), "no block of the scope writes what it reads")
	}
	ws := st.innermostWriters(p.scope, p.buf)
	if len(ws) != 1 {
		return refuse(SingleWriter, st.where(p.id), "%d blocks write %s, which it reads", len(ws), p.buf.Name)
	}
	p.producer = ws[0]
	if why := st.whyNotComplete(p.producer, p.scope); why != "" {
		return refuse(CompleteBlock, st.where(p.producer), "%s", why)
	}
	if st.writesOutput(p.producer, p.scope) {
		return refuse(OutputBlock, st.where(p.producer), "it writes an output of its scope")
	}
	return st.noOtherUser(p)
}

// innermostWriters lists the blocks below a node that write a buffer and hold no
// other one that does.
func (st *state) innermostWriters(id nid, buf *tir.Buffer) []nid {
	var out []nid
	for _, b := range st.childBlocks(id) {
		in := st.innermostWriters(b, buf)
		if len(in) == 0 && writes(st.at(b).block, buf) {
			in = []nid{b}
		}
		out = append(out, in...)
	}
	return out
}

// noOtherUser refuses what else reads the buffer, which goes, and initialisers of
// the blocks around the producer that write it.
func (st *state) noOtherUser(p *reverseInlining) (err *Error) {
	st.eachShell(st.at(p.scope).kids[0], func(n nid) {
		switch x := st.at(n); {
		case err != nil || x.kind != kBlock || st.within(n, p.id):
		case reads(x.block, p.buf):
			err = refuse(Consumers, st.where(n), "it reads %s too", p.buf.Name)
		case namesBuffer(x.block.Init, p.buf):
			err = refuse(CompleteBlock, st.where(n), "its initialiser writes %s", p.buf.Name)
		}
	})
	return err
}

// storesToJoin checks the bodies of both blocks.
func (st *state) storesToJoin(p *reverseInlining) *Error {
	var ok bool
	if p.used, ok = st.at(p.id).block.Body.(*tir.Store); !ok {
		return refuse(BodyForm, st.where(p.id), "its body is not a single store")
	}
	producer := st.at(p.producer).block
	body := producer.Body
	if cond, isIf := body.(*tir.If); isIf && cond.Else == nil {
		p.guard, body = cond.Cond, cond.Then
	}
	if _, copies := producer.Ann.Get(annAutoCopy); copies {
		for l, isLoop := body.(*tir.For); isLoop; l, isLoop = body.(*tir.For) {
			p.loops, body = append(p.loops, l), l.Body
		}
	}
	if p.made, ok = body.(*tir.Store); !ok || p.made.Buffer != p.buf || len(producer.Writes) != 1 {
		return refuse(BodyForm, st.where(p.producer), "its body is not a single store")
	}
	return nil
}

// namedUpTo collects the buffers that blocks from the start of the scope to the
// producer name, and those that the consumer does.
func (st *state) namedUpTo(p *reverseInlining) signature {
	named, done := signature{}, false
	named.add(st.at(p.id).block)
	st.eachShell(p.scope, func(id nid) {
		if n := st.at(id); n.kind == kBlock && !done {
			named.add(n.block)
			done = id == p.producer
		}
	})
	return named
}

func (st *state) reverseInline(p *reverseInlining) {
	n := st.at(p.producer)
	load := func(e tir.Expr) tir.Expr {
		switch x := e.(type) {
		case *tir.Load:
			if x.Buffer == p.buf {
				return p.made.Value
			}
		case *tir.Var:
			if r, ok := p.iters[x]; ok {
				return r
			}
		}
		return e
	}
	// The loads go first: the producer's value holds iterators of the producer.
	value := tir.RewriteExpr(p.used.Value, load)
	idx, _ := tir.RewriteExprs(p.used.Indices, load)
	var body tir.Stmt = &tir.Store{Buffer: p.used.Buffer, Value: value, Indices: idx}
	for _, l := range slices.Backward(p.loops) {
		f := *l
		f.Body = body
		body = &f
	}
	if p.guard != nil {
		body = &tir.If{Cond: p.guard, Then: body}
	}
	b := *n.block
	b.Body = body
	n.block, n.pred, n.closed = &b, p.pred, unknown
	named := st.namedUpTo(p)
	for o := p.producer; o != p.scope; o = st.scopeOf(o) {
		st.infer(o, named)
	}
	st.bury(p.top, p.id, "reverse_compute_inline")
	st.at(p.id).gone = "reverse_compute_inline"
	st.cut(p.top, "reverse_compute_inline")
	st.removeAlloc(p.scope, p.buf)
}
