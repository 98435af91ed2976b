package schedule

import (
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
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
	p.producer = none
	for _, r := range st.at(p.id).block.Reads {
		ws := st.writersOf(p.scope, r.Buffer)
		switch {
		case len(ws) == 0:
			continue
		case len(ws) > 1:
			return refuse(SingleWriter, st.where(p.id), "%d blocks write %s, which it reads", len(ws), r.Buffer.Name)
		case p.producer != none:
			return refuse(Producers, st.where(p.id), "it reads what more than one block of the scope writes")
		}
		p.producer, p.buf = ws[0], r.Buffer
	}
	if p.producer == none {
		return refuse(Producers, st.where(p.id), "no block of the scope writes what it reads")
	}
	if err := st.needComplete(p.producer); err != nil {
		return err
	}
	if st.isOutput(p.producer) {
		return refuse(OutputBlock, st.where(p.producer), "it writes an output of its scope")
	}
	for _, r := range st.readersOf(p.scope, p.buf) {
		if r != p.id {
			return refuse(Consumers, st.where(r), "it reads %s too", p.buf.Name)
		}
	}
	return nil
}

// storesToJoin checks the bodies of both blocks.
func (st *state) storesToJoin(p *reverseInlining) *Error {
	var ok bool
	if p.used, ok = st.at(p.id).block.Body.(*tir.Store); !ok {
		return refuse(BodyForm, st.where(p.id), "its body is not a single store")
	}
	body := st.at(p.producer).block.Body
	if cond, isIf := body.(*tir.If); isIf && cond.Else == nil {
		p.guard, body = cond.Cond, cond.Then
	}
	if p.made, ok = body.(*tir.Store); !ok || p.made.Buffer != p.buf || len(st.at(p.producer).block.Writes) != 1 {
		return refuse(BodyForm, st.where(p.producer), "its body is not a single store")
	}
	return nil
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
	if p.guard != nil {
		body = &tir.If{Cond: p.guard, Then: body}
	}
	b := *n.block
	b.Body = body
	b.Reads, b.Writes = analysis.BlockRegions(&b)
	n.block, n.pred = &b, p.pred
	n.closed = unknown
	st.touch(p.producer)
	st.bury(p.top, p.id, "reverse_compute_inline")
	st.at(p.id).gone = "reverse_compute_inline"
	st.cut(p.top, "reverse_compute_inline")
	st.removeAlloc(p.scope, p.buf)
}
