package analysis

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// AnnTiling is the block annotation that multi-level tiling leaves behind.
const AnnTiling = "meta_schedule.tiling_structure"

// NeedsMultiLevelTiling reports whether child i is worth tiling for data reuse:
// not tiled yet, one output, at least one input and one iterator that is not
// spatial, trivial bindings, constant read regions of distinct buffers, and
// somewhere a spatial iterator that does not choose what is read.
func (s *Scope) NeedsMultiLevelTiling(i int) bool {
	c := &s.Children[i]
	b := c.Block()
	if _, tiled := b.Ann.Get(AnnTiling); tiled || len(b.Writes) != 1 || len(b.Reads) == 0 {
		return false
	}
	if !TrivialBinding(c.Realize, c.Loops) || !slices.ContainsFunc(b.Iters, func(it *tir.IterVar) bool { return it.Kind != tir.Spatial }) {
		return false
	}
	reuse := 0
	for k, r := range b.Reads {
		if touches(b.Reads[:k], r.Buffer) {
			return false
		}
		for _, x := range r.Ranges {
			if _, ok := tir.AsInt(x.Extent); !ok {
				return false
			}
		}
		if r.Buffer != b.Writes[0].Buffer {
			reuse += freeSpatial(b, r)
		}
	}
	return reuse >= 1
}

// freeSpatial counts the spatial iterators, other than trivial ones, that the
// start of a region does not depend on.
func freeSpatial(b *tir.Block, r tir.Region) int {
	n := 0
	for _, it := range b.Iters {
		if it.Kind != tir.Spatial || tir.IsConst(it.Dom.Min, 0) && tir.IsConst(it.Dom.Extent, 1) {
			continue
		}
		used := false
		for _, x := range r.Ranges {
			used = used || tir.UsesVar(x.Min, func(v *tir.Var) bool { return v == it.Var })
		}
		if !used {
			n++
		}
	}
	return n
}

// NeedsRFactor reports whether child i lacks spatial parallelism and has a
// reduction to split instead, for rfactor or cross-thread reduction:
// maxParallel is how much parallelism the device can use.
func (s *Scope) NeedsRFactor(i int, maxParallel int64) bool {
	c := &s.Children[i]
	b := c.Block()
	if _, tiled := b.Ann.Get(AnnTiling); tiled || len(b.Writes) == 0 {
		return false
	}
	if !s.IsReduction(i) || !TrivialBinding(c.Realize, c.Loops) || !singleChain(c) {
		return false
	}
	space, reduce, hasReduce := int64(1), int64(1), false
	for _, l := range c.Loops {
		n, ok := tir.AsInt(l.Extent)
		if !ok {
			return false
		}
		switch LoopIterKind(l) {
		case SpatialLoop:
			space *= n
		case ReduceLoop:
			reduce *= n
			hasReduce = true
		default:
			return false
		}
	}
	if !hasReduce {
		return false
	}
	if s.NeedsMultiLevelTiling(i) {
		return space < reduce && space <= maxParallel
	}
	return reduce > 1
}

// singleChain reports whether every loop around the child has one statement.
func singleChain(c *Child) bool {
	for i, l := range c.Loops {
		var want tir.Stmt = c.Realize
		if i+1 < len(c.Loops) {
			want = c.Loops[i+1]
		}
		if l.Body != want {
			return false
		}
	}
	return true
}

// IsWriteCache reports whether a block only passes elements on: one output, and
// every read at the write's indices or some of them, in order, give or take a
// constant. An elementwise epilogue with broadcast is one.
func IsWriteCache(b *tir.Block) bool {
	if len(b.Writes) != 1 {
		return false
	}
	write := singlePoints(b.Writes[0])
	if write == nil {
		return false
	}
	for _, r := range b.Reads {
		read := singlePoints(r)
		if read == nil || !mapsInOrder(read, write) {
			return false
		}
	}
	return true
}

// ReadWritePattern says how the points that a block reads from one region follow
// the points that it writes.
type ReadWritePattern struct {
	// Exists is false when an index is not an iterator give or take a constant.
	Exists bool
	// Injective: no iterator is read twice. Surjective: every written iterator
	// is read. Ordered: iterators are read in the order in which they are
	// written. SameShift: their constants agree.
	Injective, Surjective, Ordered, SameShift bool
}

// AnalyzeReadWritePattern compares a read region with a write region of one
// block.
func AnalyzeReadWritePattern(read, write tir.Region) ReadWritePattern {
	none := ReadWritePattern{}
	w, r := singlePoints(write), singlePoints(read)
	if w == nil || r == nil {
		return none
	}
	type written struct {
		at    int
		shift int64
	}
	at := map[*tir.Var]written{}
	for i, e := range w {
		v, c, ok := varPlus(e)
		switch {
		case !ok:
			return none
		case v == nil:
			continue
		}
		if _, twice := at[v]; twice {
			return none
		}
		at[v] = written{i, c}
	}
	p := ReadWritePattern{Exists: true, Injective: true, Ordered: true, SameShift: true}
	seen := map[*tir.Var]bool{}
	last := -1
	for _, e := range r {
		v, c, ok := varPlus(e)
		switch {
		case !ok:
			return none
		case v == nil:
			continue
		}
		x, isWritten := at[v]
		if !isWritten {
			return none
		}
		p.Injective = p.Injective && !seen[v]
		p.Ordered = p.Ordered && x.at > last
		p.SameShift = p.SameShift && x.shift == c
		seen[v] = true
		last = x.at
	}
	p.Surjective = len(seen) == len(at)
	return p
}

func mapsInOrder(read, write []tir.Expr) bool {
	r, w := pointRegion(read), pointRegion(write)
	p := AnalyzeReadWritePattern(r, w)
	return p.Exists && p.Injective && p.Ordered
}

func pointRegion(es []tir.Expr) tir.Region {
	r := tir.Region{Ranges: make([]tir.Range, len(es))}
	for i, e := range es {
		r.Ranges[i] = tir.Range{Min: e, Extent: tir.IntOf(1, e.DType())}
	}
	return r
}

// singlePoints are the mins of a region of extents one, nil otherwise.
func singlePoints(r tir.Region) []tir.Expr {
	out := make([]tir.Expr, len(r.Ranges))
	for i, x := range r.Ranges {
		if !tir.IsConst(x.Extent, 1) {
			return nil
		}
		out[i] = x.Min
	}
	return out
}

// varPlus reads e as v + c, or as the constant c with nil v.
func varPlus(e tir.Expr) (v *tir.Var, c int64, ok bool) {
	switch x := e.(type) {
	case *tir.IntImm:
		return nil, x.Value, true
	case *tir.Var:
		return x, 0, true
	case *tir.Binary:
		if x.Op != tir.OpAdd && x.Op != tir.OpSub {
			return nil, 0, false
		}
		v, isVar := x.A.(*tir.Var)
		k, isConst := tir.AsInt(x.B)
		if isVar && isConst && x.Op == tir.OpSub {
			k = -k
		}
		if !isVar && x.Op == tir.OpAdd {
			v, isVar = x.B.(*tir.Var)
			k, isConst = tir.AsInt(x.A)
		}
		return v, k, isVar && isConst
	}
	return nil, 0, false
}

// HasIfThenElse reports whether the realisation computes conditionally: a
// predicate other than true, an If, a Select or an if_then_else.
func HasIfThenElse(r *tir.BlockRealize) bool {
	found := !tir.IsConst(r.Predicate, 1)
	visit := func(s tir.Stmt) bool {
		if _, ok := s.(*tir.If); ok {
			found = true
		}
		if in, ok := s.(*tir.BlockRealize); ok && !tir.IsConst(in.Predicate, 1) {
			found = true
		}
		tir.StmtExprs(s, func(e tir.Expr) {
			tir.Walk(e, func(x tir.Expr) bool {
				switch x := x.(type) {
				case *tir.Select:
					found = true
				case *tir.Call:
					found = found || x.Op == "if_then_else"
				}
				return !found
			})
		})
		return !found
	}
	tir.WalkStmt(r.Block.Init, visit)
	tir.WalkStmt(r.Block.Body, visit)
	return found
}

// IsSpatial reports whether every block iterator in the function is spatial.
func IsSpatial(f *tir.PrimFunc) bool {
	spatial := true
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		if r, ok := s.(*tir.BlockRealize); ok {
			for _, it := range r.Block.Iters {
				spatial = spatial && it.Kind == tir.Spatial
			}
		}
		return spatial
	})
	return spatial
}

// RegionElements is the number of elements of a region while all loops run, from
// its hull; ok is false when that is not constant.
func RegionElements(r tir.Region, loops []arith.Loop) (n int64, ok bool) {
	var a arith.Analyzer
	n = 1
	for _, x := range a.RelaxRegion(r, arith.LoopDoms(loops)).Ranges {
		k, isConst := tir.AsInt(a.Simplify(x.Extent))
		if !isConst {
			return 0, false
		}
		n *= k
	}
	return n, true
}
