package schedule

import (
	"fmt"
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

//	B[i] = A[i * 2 + 1]   →   index_var_0[i] = i * 2 + 1; B[i] = A[index_var_0[i]]

var kindCacheIndex = define(Kind{
	Name: "CacheIndex", Doc: "computes the index expressions of a block ahead",
	Params: "block, storage_scope, cse_thresh=0",
	In:     []Slot{{Name: "block", Kind: SlotBlock}},
	Attrs:  []Slot{{Name: "storage_scope", Kind: SlotString}, {Name: "cse_thresh", Kind: SlotInt}}, Out: OutBlocks,
	Refuses: []Condition{BadArgument, RootBlock, BodyForm, IndexForm, LoopStart},
})

func init() {
	kindCacheIndex.Apply = func(s *Schedule, c Call) error {
		_, err := s.CacheIndex(c.block(0), c.string(0), c.int(1))
		return err
	}
}

// CacheIndex computes what the stores of b compute of its iterators alone, at
// least threshold times in one statement, ahead into new buffers of the given
// storage scope: one stage each, the largest expression first. It returns these
// blocks. The regions that b declares stay as they were, so what moves the new
// blocks later does not know that b needs them.
func (s *Schedule) CacheIndex(b BlockRV, scope string, threshold int) ([]BlockRV, error) {
	st, id, err := s.block(b)
	var made []nid
	if err == nil {
		made, err = st.cacheIndex(id, scope, threshold)
	}
	if err != nil {
		return nil, err.by("cache_index")
	}
	out := make([]BlockRV, len(made))
	for i, n := range made {
		out[i] = s.newBlock(st.index, n)
	}
	s.record(kindCacheIndex, []any{b}, []any{scope, int64(threshold)}, blockOutputs(out), nil)
	return out, nil
}

func (st *state) cacheIndex(id nid, scopeName string, threshold int) ([]nid, *Error) {
	if threshold < 0 {
		return nil, refuse(BadArgument, st.where(id), "threshold %d is negative", threshold)
	}
	if err := st.notRoot(id); err != nil {
		return nil, err
	}
	exprs := st.indexExprs(id, threshold)
	if len(exprs) == 0 {
		return nil, refuse(BodyForm, st.where(id), "it computes nothing of its iterators alone %d times", max(threshold, 1))
	}
	stages := make([]*indexStage, len(exprs))
	for i, e := range exprs {
		var err *Error
		if stages[i], err = st.planIndexStage(id, e, i, scopeName); err != nil {
			return nil, err
		}
	}
	scope := st.scopeOf(id)
	member := st.memberOf(scope, id)
	var tops, blocks []nid
	for _, x := range stages {
		top, b := x.build(st)
		tops, blocks = append(tops, top), append(blocks, b)
		st.addAlloc(scope, x.buf)
		st.mapStores(id, x.redirect)
	}
	st.replaceMany(member, append(tops, member)...)
	for _, b := range blocks {
		st.at(b).affine = factOf(st.computeAffine(b))
		st.at(b).stages = st.at(id).stages
	}
	return blocks, nil
}

// indexExprs are the expressions to compute ahead, the largest first.
func (st *state) indexExprs(id nid, threshold int) []tir.Expr {
	var out []tir.Expr
	st.mapStores(id, func(s *tir.Store) tir.Stmt {
		for _, e := range frequent(s, threshold) {
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
		return s
	})
	slices.SortStableFunc(out, func(a, b tir.Expr) int { return complexity(b) - complexity(a) })
	return out
}

// mapStores rewrites the stores of a block that has no blocks inside.
func (st *state) mapStores(id nid, f func(*tir.Store) tir.Stmt) {
	n := st.at(id)
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		if x, ok := s.(*tir.Store); ok {
			return f(x)
		}
		return s
	}}
	b := *n.block
	b.Init = w.Rewrite(b.Init)
	if len(n.kids) == 0 {
		b.Body = w.Rewrite(b.Body)
	}
	if b.Init != n.block.Init || b.Body != n.block.Body {
		n.block = &b
		st.touch(id)
	}
}

// indexStage computes one expression.
type indexStage struct {
	expr  tir.Expr
	iters []*tir.Var // of the block, in the order in which the expression names them
	own   []*tir.IterVar
	loops []tir.For
	value []tir.Expr // bindings of own
	buf   *tir.Buffer
}

func (st *state) planIndexStage(id nid, e tir.Expr, k int, scopeName string) (*indexStage, *Error) {
	x := &indexStage{expr: e, iters: varsOf(e)}
	around, doms := st.loopsOf(id), st.loopDomains(st.loopsOf(id))
	sub := bindings(st.at(id))
	loopSub := map[*tir.Var]tir.Expr{}
	for _, v := range x.iters {
		if sub[v] == nil {
			return nil, refuse(IndexForm, st.where(id), "%s uses %s, which is no iterator of it", tir.ExprString(e), v.Name)
		}
		for _, u := range varsOf(sub[v]) {
			i := slices.IndexFunc(around, func(l nid) bool { return st.at(l).loop.Var == u })
			switch {
			case i < 0:
				return nil, refuse(IndexForm, st.where(id), "its iterator %s depends on %s, which is no loop of its scope", v.Name, u.Name)
			case !tir.IsConst(doms[i].Dom.Min, 0):
				return nil, refuse(LoopStart, st.where(around[i]), "it does not start at 0")
			case loopSub[u] == nil:
				loopSub[u] = x.addLoop(doms[i].Dom.Extent)
			}
			if sub[v] != tir.Expr(u) && u.Type != loopSub[u].DType() {
				return nil, refuse(IndexForm, st.where(id), "its iterator %s is no loop, and not of its type", v.Name)
			}
		}
	}
	x.bind(sub, loopSub, doms)
	x.buf = tir.NewBuffer(fmt.Sprintf("index_var_%d", k), e.DType())
	x.buf.Scope, x.buf.Strides = inScope(x.buf, scopeName).Scope, []tir.Expr{tir.Int(1)}
	var a arith.Analyzer
	one := func(t dtype.DType) tir.Expr { return tir.IntOf(1, t) }
	for _, v := range x.iters {
		hi := a.EvalSet(sub[v], arith.LoopDoms(doms)).Hi
		if hi == nil {
			return nil, refuse(IndexForm, st.where(id), "its iterator %s has no bounds", v.Name)
		}
		x.buf.Shape = append(x.buf.Shape, tir.Add(hi, one(hi.DType())))
	}
	if len(x.buf.Shape) == 0 || x.buf.Shape[0].DType() != dtype.Int32 {
		x.buf.ElemOffset = tir.Int(0)
	}
	for i, it := range x.own {
		if x.value[i] != tir.Expr(x.loopVar(i)) {
			it.Dom.Extent = a.Simplify(x.buf.Shape[i])
		}
	}
	return x, nil
}

// addLoop adds a loop of the smaller integer type when its range allows it.
func (x *indexStage) addLoop(extent tir.Expr) *tir.Var {
	t := dtype.Int32
	if n, ok := tir.AsInt(extent); extent.DType() != t && (!ok || n-1 > math.MaxInt32) {
		t = dtype.Int64
	}
	v := tir.NewVar(fmt.Sprintf("ax%d", len(x.loops)), t)
	x.loops = append(x.loops, tir.For{Var: v, Min: tir.IntOf(0, t), Extent: tir.NewCast(t, extent)})
	return v
}

func (x *indexStage) loopVar(i int) *tir.Var {
	if i < len(x.loops) {
		return x.loops[i].Var
	}
	return nil
}

// bind makes an iterator of its own for each of the block that the expression
// uses.
func (x *indexStage) bind(sub, loops map[*tir.Var]tir.Expr, doms []arith.Loop) {
	for i, v := range x.iters {
		t := v.Type
		it := &tir.IterVar{Var: tir.NewVar(fmt.Sprintf("v%d", i), t), Dom: tir.Range{Min: tir.IntOf(0, t)}, Kind: tir.Spatial}
		for _, l := range doms {
			if loops[l.Var] == tir.Expr(x.loopVar(i)) {
				it.Dom.Extent = l.Dom.Extent
			}
		}
		x.own = append(x.own, it)
		x.value = append(x.value, tir.Substitute(sub[v], loops))
	}
}

func (x *indexStage) build(st *state) (top, block nid) {
	sub := map[*tir.Var]tir.Expr{}
	at := make([]tir.Expr, len(x.own))
	for i, it := range x.own {
		sub[x.iters[i]], at[i] = it.Var, it.Var
	}
	var name string
	fmt.Sscanf(x.buf.Name, "index_var_%s", &name)
	b := &tir.Block{
		Name: "index_" + name, Iters: x.own, Writes: []tir.Region{pointRegion(x.buf, at)},
		Body: &tir.Store{Buffer: x.buf, Value: tir.Substitute(x.expr, sub), Indices: at},
	}
	return st.nest(x.loops, node{kind: kBlock, block: b, values: x.value, pred: tir.True})
}

// redirect loads the expression where a store computes it.
func (x *indexStage) redirect(s *tir.Store) tir.Stmt {
	at := make([]tir.Expr, len(x.iters))
	for i, v := range x.iters {
		at[i] = v
	}
	norm, load := normal(x.expr), &tir.Load{Buffer: x.buf, Indices: at}
	swap := func(e tir.Expr) tir.Expr { return replaceEqual(e, norm, load) }
	w := tir.StmtRewriter{Expr: swap}
	return w.Rewrite(s)
}

// varsOf lists the variables of an expression in the order of their first use.
func varsOf(e tir.Expr) []*tir.Var {
	var out []*tir.Var
	tir.Walk(e, func(x tir.Expr) bool {
		if v, ok := x.(*tir.Var); ok && !slices.Contains(out, v) {
			out = append(out, v)
		}
		return true
	})
	return out
}
