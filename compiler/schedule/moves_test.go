package schedule_test

import (
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/internal/rng"
)

// move draws the arguments of a primitive; false means that the function offers
// nothing to try it on.
type move struct {
	kind    string
	changes bool // it may change what the function computes, or what is known about it
	draw    func(p *player) (call, bool)
}

// moves holds one entry for every kind.
var moves = slices.Concat(loopMoves, blockMoves, bufferMoves, otherMoves)

func in(vs ...any) []any { return vs }

// oneLoop is the draw of primitives on a loop alone.
func oneLoop(p *player) (call, bool) {
	l, ok := p.loop()
	return call{inputs: in(l)}, ok
}

func oneBlock(p *player) (call, bool) {
	b, _, ok := p.pick()
	return call{inputs: in(b)}, ok
}

func oneLoopOrBlock(p *player) (call, bool) {
	if p.r.Bool(0.5) {
		return oneBlock(p)
	}
	return oneLoop(p)
}

// factors are a list for split and loop_partition, often with an open one.
func (p *player) factors() []any {
	f := in(nil, p.int(1, 5))
	if p.r.Bool(0.4) {
		f = append(f, p.int(1, 3))
	}
	if p.r.Bool(0.2) {
		f[0] = p.int(2, 8)
	}
	return f
}

func anys[T any](vs []T) []any {
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = v
	}
	return out
}

var loopMoves = []move{
	{kind: "Split", draw: func(p *player) (call, bool) {
		l, ok := p.loop()
		f := p.factors()
		return call{append(in(l), f...), in(p.flag(0.8), p.flag(0)), len(f)}, ok
	}},
	{kind: "LoopPartition", changes: true, draw: func(p *player) (call, bool) {
		l, ok := p.loop()
		f := p.factors()
		return call{append(in(l), f...), in(p.flag(0.8)), len(f)}, ok
	}},
	{kind: "Fuse", draw: func(p *player) (call, bool) {
		_, ls, ok := p.nest()
		if !ok || len(ls) < 2 {
			return call{}, false
		}
		i := p.r.Intn(len(ls) - 1)
		return call{inputs: anys(ls[i:min(len(ls), i+2+p.r.Intn(2))]), attrs: in(p.flag(0.8))}, true
	}},
	{kind: "Merge", draw: func(p *player) (call, bool) {
		_, a, ok1 := p.nest()
		_, b, ok2 := p.nest()
		if !ok1 || !ok2 {
			return call{}, false
		}
		i := p.r.Intn(min(len(a), len(b)))
		return call{inputs: in(a[i], b[i])}, true
	}},
	{kind: "Reorder", draw: func(p *player) (call, bool) {
		_, ls, ok := p.nest()
		if !ok {
			return call{}, false
		}
		rng.Shuffle(p.r, ls)
		return call{inputs: anys(ls[:1+p.r.Intn(len(ls))])}, true
	}},
	{kind: "AddUnitLoop", draw: oneLoopOrBlock},
	{kind: "Parallel", draw: oneLoop},
	{kind: "Vectorize", draw: oneLoop},
	{kind: "Unroll", draw: oneLoop},
	{kind: "Bind", draw: func(p *player) (call, bool) {
		l, ok := p.loop()
		return call{inputs: in(l), attrs: in(rng.Pick(p.r, []string{"blockIdx.x", "threadIdx.x", "vthread.x"}))}, ok && p.r.Bool(0.5)
	}},
	{kind: "SamplePerfectTile", draw: func(p *player) (call, bool) {
		l, ok := p.loop()
		n := p.int(2, 3)
		return call{in(l), in(n, int64(8)), int(n)}, ok
	}},
	{kind: "SamplePartitionedTile", draw: func(p *player) (call, bool) {
		l, ok := p.loop()
		n := p.int(2, 3)
		return call{in(l), in(n, p.int(0, int(n)-1), p.int(1, 2)), int(n)}, ok
	}},
	{kind: "RFactor", draw: func(p *player) (call, bool) {
		l, ok := p.loop()
		return call{inputs: in(l), attrs: in(p.int(-1, 2))}, ok
	}},
	{kind: "ReadAt", draw: at},
	{kind: "WriteAt", draw: at},
}

func at(p *player) (call, bool) {
	b, ls, ok := p.nest()
	if !ok {
		return call{}, false
	}
	return call{inputs: in(rng.Pick(p.r, ls), b), attrs: in(p.int(0, 1), "shared")}, true
}

func moveTo(p *player) (call, bool) {
	b, _, ok1 := p.pick()
	l, ok2 := p.loop()
	return call{inputs: in(b, l), attrs: in(p.flag(0.5), p.int(-2, -1))}, ok1 && ok2
}

func blockAndLoop(p *player) (call, bool) {
	b, ls, ok := p.nest()
	if !ok {
		return call{}, false
	}
	return call{inputs: in(b, rng.Pick(p.r, ls))}, true
}

var blockMoves = []move{
	{kind: "ComputeAt", draw: moveTo},
	{kind: "ReverseComputeAt", draw: moveTo},
	{kind: "ComputeInline", draw: oneBlock},
	{kind: "ReverseComputeInline", draw: oneBlock},
	{kind: "DecomposeReduction", draw: blockAndLoop},
	{kind: "DecomposePadding", draw: blockAndLoop},
	{kind: "FuseReductionEpilogue", draw: func(p *player) (call, bool) {
		a, _, ok1 := p.pick()
		b, _, ok2 := p.pick()
		return call{inputs: in(a, b)}, ok1 && ok2
	}},
	{kind: "Blockize", draw: func(p *player) (call, bool) {
		if l, ok := p.loop(); p.r.Bool(0.7) {
			return call{inputs: in(l), attrs: in(p.r.Bool(0.8))}, ok
		}
		a, _, ok1 := p.pick()
		b, _, ok2 := p.pick()
		return call{inputs: in(in(a, b)), attrs: in(p.r.Bool(0.8))}, ok1 && ok2
	}},
	{kind: "Tensorize", draw: func(p *player) (call, bool) {
		c, ok := oneLoopOrBlock(p)
		c.attrs = in(rng.Pick(p.r, intrinsics), p.r.Bool(0.8))
		return c, ok
	}},
	{kind: "ReorderBlockIterVar", draw: func(p *player) (call, bool) {
		b, blk, ok := p.pick()
		if !ok {
			return call{}, false
		}
		order := []any{}
		for _, i := range p.r.Perm(len(blk.Iters)) {
			order = append(order, int64(i))
		}
		return call{inputs: in(b, order)}, true
	}},
	{kind: "TransformBlockLayout", draw: func(p *player) (call, bool) {
		b, blk, ok := p.pick()
		if !ok {
			return call{}, false
		}
		return call{inputs: in(b), attrs: in(p.indexMap(len(blk.Iters)))}, true
	}},
	{kind: "PadEinsum", draw: func(p *player) (call, bool) {
		b, blk, ok := p.pick()
		if !ok {
			return call{}, false
		}
		pads := []any{}
		for range blk.Iters {
			pads = append(pads, p.int(1, 4))
		}
		return call{inputs: in(b), attrs: in(pads)}, true
	}},
	{kind: "SampleComputeLocation", draw: oneBlock},
}

// cached draws a block, one of its buffers and a scope.
func cached(p *player) (call, bool) {
	b, _, ok := p.pick()
	return call{inputs: in(b), attrs: in(p.int(0, 2), rng.Pick(p.r, []string{"global", "local", "shared"}))}, ok
}

// forSome adds the consumers, none of them most of the time.
func forSome(p *player) (call, bool) {
	c, ok := cached(p)
	list := []any{}
	if b, _, found := p.pick(); found && p.r.Bool(0.3) {
		list = append(list, b)
	}
	c.inputs = append(c.inputs, list)
	return c, ok
}

// reindexed adds an index map of the block's iterators.
func reindexed(p *player) (call, bool) {
	b, blk, ok := p.pick()
	if !ok {
		return call{}, false
	}
	return call{inputs: in(b, p.indexMap(len(blk.Iters))), attrs: in(p.int(0, 1), "shared")}, true
}

var bufferMoves = []move{
	{kind: "CacheRead", draw: forSome},
	{kind: "CacheWrite", draw: forSome},
	{kind: "ReindexCacheRead", draw: reindexed},
	{kind: "ReindexCacheWrite", draw: reindexed},
	{kind: "CacheInplace", draw: func(p *player) (call, bool) {
		c, ok := cached(p)
		c.outputs = 2
		return c, ok
	}},
	{kind: "CacheIndex", changes: true, draw: func(p *player) (call, bool) {
		b, _, ok := p.pick()
		return call{in(b), in("global", p.int(0, 1)), 1}, ok
	}},
	{kind: "ReIndex", draw: func(p *player) (call, bool) {
		b, _, ok := p.pick()
		return call{inputs: in(b), attrs: in(p.int(0, 1), p.flag(0.4))}, ok
	}},
	{kind: "TransformLayout", draw: func(p *player) (call, bool) { return layout(p, false, false) }},
	{kind: "TransformLayout", changes: true, draw: func(p *player) (call, bool) { return layout(p, p.r.Bool(0.3), true) }},
	{kind: "StorageAlign", draw: func(p *player) (call, bool) {
		b, _, ok := p.pick()
		return call{inputs: in(b), attrs: in(int64(0), p.int(-2, 0), int64(16), p.int(0, 4))}, ok
	}},
	{kind: "SetScope", draw: func(p *player) (call, bool) {
		b, _, ok := p.pick()
		return call{inputs: in(b), attrs: in(int64(0), rng.Pick(p.r, []string{"local", "shared"}))}, ok
	}},
	{kind: "UnsafeSetDType", changes: true, draw: func(p *player) (call, bool) {
		b, _, ok := p.pick()
		return call{inputs: in(b), attrs: in(int64(0), "float16")}, ok
	}},
	{kind: "RollingBuffer", draw: func(p *player) (call, bool) {
		b, _, ok := p.pick()
		return call{inputs: in(b), attrs: in(int64(0))}, ok
	}},
	{kind: "AnnotateBufferAccess", draw: func(p *player) (call, bool) {
		b, blk, ok := p.pick()
		if !ok || len(blk.Writes) == 0 {
			return call{}, false
		}
		return call{inputs: in(b, int64(0), int64(1), sameRegion(blk, blk.Writes[0]))}, true
	}},
	{kind: "UnsafeHideBufferAccess", changes: true, draw: func(p *player) (call, bool) {
		b, _, ok := p.pick()
		return call{inputs: in(b, rng.Pick(p.r, []string{"read", "write"}), in(p.int(0, 1)))}, ok
	}},
}

// sameRegion is the map from a block's iterators to the bounds of a region.
func sameRegion(b *tir.Block, r tir.Region) *tir.IndexMap {
	return schedule.NewIndexMap(len(b.Iters), func(i []tir.Expr) []tir.Expr {
		sub := func(e tir.Expr) tir.Expr {
			return tir.SubstituteFunc(e, func(v *tir.Var) tir.Expr {
				for k, it := range b.Iters {
					if it.Var == v {
						return i[k]
					}
				}
				return nil
			})
		}
		var out []tir.Expr
		for _, x := range r.Ranges {
			out = append(out, sub(x.Min), tir.Add(sub(x.Min), x.Extent))
		}
		return out
	})
}

// layout draws a transform_layout. Where the function must go on computing the
// same, parameters keep theirs.
func layout(p *player, injective, params bool) (call, bool) {
	b, blk, ok := p.pick()
	if !ok {
		return call{}, false
	}
	write := p.r.Bool(0.5)
	rs := blk.Reads
	if write {
		rs = blk.Writes
	}
	if len(rs) == 0 {
		return call{}, false
	}
	i := p.r.Intn(len(rs))
	if !params && slices.Contains(p.s.Func().Buffers(), rs[i].Buffer) {
		return call{}, false
	}
	var pad any
	if p.r.Bool(0.3) {
		m := p.indexMap(len(rs[i].Ranges))
		pad = schedule.NewIndexMap(len(m.Final), func([]tir.Expr) []tir.Expr { return []tir.Expr{tir.Const(0, rs[i].Buffer.Type)} })
		return call{inputs: in(b, m), attrs: in(int64(i), flagOf(write), pad, injective)}, true
	}
	return call{inputs: in(b, p.indexMap(len(rs[i].Ranges))), attrs: in(int64(i), flagOf(write), pad, injective)}, true
}

func flagOf(b bool) any {
	if b {
		return int64(1)
	}
	return int64(0)
}

// keys are what annotations are called.
var keys = []string{"pragma_auto_unroll_max_step", "software_pipeline", "note"}

var otherMoves = []move{
	{kind: "Annotate", draw: func(p *player) (call, bool) {
		c, ok := oneLoopOrBlock(p)
		if !ok {
			return c, false
		}
		v := rng.Pick(p.r, []any{int64(4), 0.5, "text", in(int64(1), "x")})
		return call{inputs: append(c.inputs, v), attrs: in(rng.Pick(p.r, keys))}, p.r.Bool(0.3)
	}},
	{kind: "Unannotate", draw: func(p *player) (call, bool) {
		_, ls, ok := p.nest()
		if !ok {
			return call{}, false
		}
		for _, l := range ls { // one that has something to remove, if there is
			if h, err := p.s.LoopOf(l); err == nil && len(h.Ann) > 0 {
				return call{inputs: in(l), attrs: in(h.Ann[0].Key)}, true
			}
		}
		return call{inputs: in(ls[0]), attrs: in(rng.Pick(p.r, keys))}, p.r.Bool(0.02)
	}},
	{kind: "SampleCategorical", draw: func(p *player) (call, bool) {
		return call{attrs: in(in(int64(1), int64(2)), in(0.5, 0.5))}, p.r.Bool(0.1)
	}},
	{kind: "GetSBlock", draw: func(p *player) (call, bool) {
		return call{attrs: in("root", "main")}, p.r.Bool(0.1)
	}},
	{kind: "GetLoops", draw: func(p *player) (call, bool) {
		c, ok := oneBlock(p)
		return c, ok && p.r.Bool(0.1)
	}},
	{kind: "GetChildBlocks", draw: func(p *player) (call, bool) {
		c, ok := oneLoopOrBlock(p)
		return c, ok && p.r.Bool(0.1)
	}},
	{kind: "GetProducers", draw: func(p *player) (call, bool) {
		c, ok := oneBlock(p)
		return c, ok && p.r.Bool(0.2)
	}},
	{kind: "GetConsumers", draw: func(p *player) (call, bool) {
		c, ok := oneBlock(p)
		return c, ok && p.r.Bool(0.2)
	}},
	{kind: "GetOutputBlocks", draw: func(p *player) (call, bool) {
		b, err := p.s.GetSBlock("root")
		return call{inputs: in(b)}, err == nil && p.r.Bool(0.1)
	}},
	{kind: "EnterPostproc", draw: func(p *player) (call, bool) { return call{}, p.r.Bool(0.05) }},
}

// intrinsics are the names that tensorize tries.
var intrinsics = []string{"copy_4", "mac_4x4x4"}
