package feature

import (
	"fmt"

	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// maxLoops bounds the depth of a nest; a store under more loops is an error.
const maxLoops = 64

// loop is one loop of the function. Loops of one iteration without annotation
// vanish, as lowering removes them.
type loop struct {
	id      int32
	extent  int64
	kind    tir.LoopKind
	tag     string  // thread tag
	outer   float64 // iterations of this loop and all around it
	maxStep int64   // pragma_auto_unroll_max_step, 0 if absent
	unrollK int64   // hone.unroll_k, 0 if absent
	touched []touch // by the stores inside, in order
	total   float64 // bytes of all of them
}

// touch is how many elements of a buffer the stores inside a loop touch.
type touch struct {
	buffer int32
	times  int     // stores that touch it
	least  float64 // fewest elements one of them touches
}

// access is one read or write of a buffer element.
type access struct {
	buffer int32
	write  bool
	at     []linear // one index a dimension
}

// store is one statement that produces a row.
type store struct {
	buffer    int32
	initial   bool    // stores a constant: no row, but counts for where the buffer lives
	loops     []*loop // enclosing, outer to inner
	reduce    uint64  // bit i: loops[i] drives a reduce iterator
	accesses  []access
	ops       opCounts
	flop      float64 // float operations of one execution
	domain    float64 // product of the block's iterator domains, 0 without block
	predicate bool
	prefetch  int64
}

// walker collects the stores of a function.
type walker struct {
	forms
	buffers []buffer
	shapes  []dim // of all buffers
	index   map[*tir.Buffer]int32
	views   map[*tir.Buffer]view
	loops   []*loop // of the path
	stores  []store
	pool    []*loop // loops to reuse; pool[:used] are in use
	used    int
	flat    []*loop // arena of store.loops
	linears []linear
	access  []access
	err     error

	// of the innermost block
	reduce    uint64
	domain    float64
	predicate bool
	prefetch  int64
}

// view is a match buffer: a window into its source.
type view struct {
	source *tir.Buffer
	origin []linear
}

func (w *walker) reset() {
	w.forms.reset()
	if w.index == nil {
		w.index, w.views = map[*tir.Buffer]int32{}, map[*tir.Buffer]view{}
	}
	clear(w.index)
	clear(w.views)
	w.buffers, w.loops, w.stores = w.buffers[:0], w.loops[:0], w.stores[:0]
	w.flat, w.linears, w.access, w.shapes = w.flat[:0], w.linears[:0], w.access[:0], w.shapes[:0]
	w.used, w.err = 0, nil
	w.reduce, w.domain, w.predicate, w.prefetch = 0, 0, false, 0
}

func (w *walker) stmt(s tir.Stmt) {
	if w.err != nil {
		return
	}
	switch s := s.(type) {
	case *tir.For:
		w.forStmt(s)
	case *tir.BlockRealize:
		w.block(s)
	case *tir.Seq:
		for _, x := range s.Stmts {
			w.stmt(x)
		}
	case *tir.If:
		outer := w.predicate
		w.predicate = true
		w.stmt(s.Then)
		w.stmt(s.Else)
		w.predicate = outer
	case *tir.Store:
		w.store(s)
	case *tir.Bind:
		w.env[s.Var] = w.eval(s.Value)
	case *tir.AttrStmt:
		w.stmt(s.Body)
	case *tir.While:
		w.stmt(s.Body)
	}
}

func (w *walker) forStmt(s *tir.For) {
	start := w.eval(s.Min)
	extent := w.bounds(w.eval(s.Extent), 0).hi
	if extent <= 0 {
		return
	}
	step := int64(1)
	if s.Step != nil {
		if c, ok := tir.AsInt(s.Step); ok && c > 0 {
			step = c
			extent = (extent + c - 1) / c
		}
	}
	if extent >= wild {
		extent = 1 // nothing is known about a loop over a run-time extent
	}
	if extent == 1 && s.Kind == tir.Serial && len(s.Ann) == 0 {
		w.env[s.Var] = start
		w.stmt(s.Body)
		return
	}
	if len(w.loops) == maxLoops {
		w.err = fmt.Errorf("feature: more than %d nested loops around loop %s", maxLoops, s.Var.Name)
		return
	}
	l, at := w.newLoop(s, extent)
	w.env[s.Var] = w.add(start, at, step)
	w.loops = append(w.loops, l)
	w.stmt(s.Body)
	w.loops = w.loops[:len(w.loops)-1]
}

func (w *walker) newLoop(s *tir.For, extent int64) (*loop, linear) {
	if w.used == len(w.pool) {
		w.pool = append(w.pool, &loop{})
	}
	l := w.pool[w.used]
	w.used++
	outer := 1.0
	if n := len(w.loops); n > 0 {
		outer = w.loops[n-1].outer
	}
	id, at := w.forms.newLoop(extent, len(w.loops))
	*l = loop{id: id, extent: extent, kind: s.Kind, outer: outer * float64(extent), touched: l.touched[:0]}
	if s.Thread != nil {
		l.tag = s.Thread.Tag
		if s.Thread.Var != nil {
			w.env[s.Thread.Var] = at
		}
	}
	if len(s.Ann) > 0 {
		l.maxStep, _ = s.Ann.Int(schedule.KeyUnrollMaxStep)
		l.unrollK, _ = s.Ann.Int(schedule.KeyUnrollK)
	}
	return l, at
}

func (w *walker) block(r *tir.BlockRealize) {
	b := r.Block
	if v, ok := b.Ann.Int(schedule.KeyLayoutRewritePreproc); ok && v != 0 {
		return // runs once, when the artifact is made
	}
	reduce, domain, predicate, prefetch := w.reduce, w.domain, w.predicate, w.prefetch
	if len(b.Iters) > 0 {
		w.reduce, w.domain = 0, 1
	}
	for i, it := range b.Iters {
		var x linear
		if i < len(r.Values) {
			x = w.eval(r.Values[i])
		}
		w.env[it.Var] = x
		if it.Dom.Extent != nil {
			if n := w.bounds(w.eval(it.Dom.Extent), 0).hi; n > 0 && n < wild {
				w.domain *= float64(n)
			}
		}
		if it.Kind == tir.Reduce {
			w.markReduce(x)
		}
	}
	if r.Predicate != nil && !tir.IsConst(r.Predicate, 1) {
		w.predicate = true
	}
	if v, ok := b.Ann.Int(schedule.KeyPrefetch); ok {
		w.prefetch = v
	}
	for _, buf := range b.Allocs {
		w.bufferOf(buf)
	}
	for _, m := range b.Matches {
		w.match(m)
	}
	w.stmt(b.Init)
	w.stmt(b.Body)
	w.reduce, w.domain, w.predicate, w.prefetch = reduce, domain, predicate, prefetch
}

// markReduce notes the loops that drive a reduce iterator bound to x.
func (w *walker) markReduce(x linear) {
	for i, l := range w.loops {
		if w.coef(x, l.id) != 0 {
			w.reduce |= 1 << i
		}
	}
}

func (w *walker) match(m tir.MatchRegion) {
	v := view{source: m.Source.Buffer, origin: make([]linear, len(m.Source.Ranges))}
	for i, r := range m.Source.Ranges {
		v.origin[i] = w.eval(r.Min)
	}
	w.views[m.Buffer] = v
}

func (w *walker) store(s *tir.Store) {
	first, firstLoop := len(w.access), len(w.flat)
	w.flat = append(w.flat, w.loops...)
	w.touch(s.Buffer, s.Indices, true)
	st := store{
		reduce: w.reduce, domain: w.domain, predicate: w.predicate, prefetch: w.prefetch,
		loops: w.flat[firstLoop:len(w.flat):len(w.flat)],
	}
	st.initial = isConstant(s.Value)
	w.count(s.Value, &st.ops)
	st.accesses = w.access[first:len(w.access):len(w.access)]
	st.buffer = st.accesses[0].buffer
	st.flop = st.ops.flop()
	w.stores = append(w.stores, st)
	for _, a := range st.accesses {
		w.buffers[a.buffer].narrow(&st, a.write)
	}
}

func isConstant(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return true
	case *tir.Broadcast:
		return isConstant(e.Value)
	}
	return false
}

// touch records an access; views resolve to their source.
func (w *walker) touch(b *tir.Buffer, indices []tir.Expr, write bool) {
	from := len(w.linears)
	for _, e := range indices {
		w.linears = append(w.linears, w.eval(e))
	}
	at := w.linears[from:len(w.linears):len(w.linears)]
	for v, ok := w.views[b]; ok; v, ok = w.views[b] {
		at = w.shifted(v, at)
		b = v.source
	}
	w.access = append(w.access, access{buffer: w.bufferOf(b), write: write, at: at})
}

// shifted translates indices of a view into indices of its source, whose leading
// dimensions the view may lack.
func (w *walker) shifted(v view, at []linear) []linear {
	out := make([]linear, len(v.origin))
	copy(out, v.origin)
	for i := range at {
		if d := len(out) - len(at) + i; d >= 0 {
			out[d] = w.add(out[d], at[i], 1)
		}
	}
	return out
}

func (w *walker) bufferOf(b *tir.Buffer) int32 {
	if i, ok := w.index[b]; ok {
		return i
	}
	i := int32(len(w.buffers))
	w.index[b] = i
	nb := buffer{bytes: int64(max(1, b.Type.Bytes())), from: len(w.shapes)}
	for _, e := range b.Shape {
		n, ok := tir.AsInt(e)
		if !ok {
			n = wild
		}
		w.shapes = append(w.shapes, dim{declared: max(1, n)})
	}
	nb.to = len(w.shapes)
	w.buffers = append(w.buffers, nb)
	return i
}
