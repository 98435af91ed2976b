package rule

import (
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/tir"
)

type multiLevelTilingWithIntrin struct {
	multiLevelTiling
	intrin string
}

// MultiLevelTilingWithIntrin is MultiLevelTiling of blocks that compute what a tensor
// intrinsic describes: the intrinsic's loops are split off and made a block of their
// own, which a postprocessor replaces, and what is left around it is tiled. Blocks
// that compute something else, or whose extents it does not divide, stay as they are.
func MultiLevelTilingWithIntrin(intrin string, o TilingOptions) Rule {
	return multiLevelTilingWithIntrin{multiLevelTiling{o}, intrin}
}

func (multiLevelTilingWithIntrin) Name() string { return "multi_level_tiling_with_intrin" }

func (r multiLevelTilingWithIntrin) Apply(s *schedule.Schedule, b schedule.BlockRV, _ *Context) ([]*schedule.Schedule, error) {
	scope, i, err := s.ScopeOf(b)
	if err != nil || scope == nil || !scope.NeedsMultiLevelTiling(i) {
		return only(s)
	}
	in, err := schedule.LookupIntrin(r.intrin)
	if err != nil {
		return nil, err
	}
	at, ok := intrinLoops(scope.Children[i].Block(), in.Desc)
	if !ok {
		return only(s)
	}
	if err := s.Annotate(b, schedule.KeyTilingStructure, r.o.Structure); err != nil {
		return nil, err
	}
	outer, err := r.blockize(s, b, at)
	if err != nil {
		return nil, err
	}
	x, err := s.BlockOf(outer)
	if err != nil {
		return nil, err
	}
	groups, err := r.tile(s, outer, x.Block)
	if err != nil {
		return nil, err
	}
	return r.writeReuse(s, outer, groups)
}

// blockize makes the loops of the intrinsic a block.
func (r multiLevelTilingWithIntrin) blockize(s *schedule.Schedule, b schedule.BlockRV, at []intrinLoop) (schedule.BlockRV, error) {
	loops, err := s.GetLoops(b)
	if err != nil {
		return 0, err
	}
	inner := make([]schedule.LoopRV, len(at))
	isInner := map[*tir.Var]bool{}
	for k := range slices.Backward(at) { // from the last loop of the intrinsic back, as TVM does
		parts, err := s.Split(loops[at[k].loop], schedule.Open, schedule.Int(at[k].extent))
		if err != nil {
			return 0, err
		}
		inner[k] = parts[1]
		h, err := s.LoopOf(inner[k])
		if err != nil {
			return 0, err
		}
		isInner[h.Var] = true
	}
	all, err := s.GetLoops(b)
	if err != nil {
		return 0, err
	}
	var order []schedule.LoopRV
	met := false
	for _, l := range all {
		h, err := s.LoopOf(l)
		switch {
		case err != nil:
			return 0, err
		case isInner[h.Var]:
			met = true
		case met:
			order = append(order, l)
		}
	}
	if err := s.Reorder(append(order, inner...)...); err != nil {
		return 0, err
	}
	outer, err := s.Blockize(inner[0], true)
	if err != nil {
		return 0, err
	}
	return outer, s.Annotate(outer, schedule.KeyAutoTensorize, r.intrin)
}

// intrinLoop is the loop of a block that an iterator of an intrinsic takes a part of.
type intrinLoop struct {
	loop   int
	extent int64
}

// intrinLoops finds the loops of a block, which are its iterators one by one, for the
// iterators of an intrinsic's description: from the last one back, each the last one
// left of its kind.
func intrinLoops(b *tir.Block, desc *tir.PrimFunc) ([]intrinLoop, bool) {
	d := innermost(desc.Body)
	if d == nil || !computesLike(b, d) {
		return nil, false
	}
	out := make([]intrinLoop, len(d.Iters))
	next := len(b.Iters) - 1
	for k, it := range slices.Backward(d.Iters) {
		for next >= 0 && b.Iters[next].Kind != it.Kind {
			next--
		}
		want, ok := tir.AsInt(it.Dom.Extent)
		if next < 0 || !ok {
			return nil, false
		}
		have, ok := tir.AsInt(b.Iters[next].Dom.Extent)
		if !ok || have%want != 0 {
			return nil, false
		}
		out[k] = intrinLoop{next, want}
		next--
	}
	return out, true
}

// innermost is the only block inside of all others.
func innermost(s tir.Stmt) *tir.Block {
	var out *tir.Block
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		if r, ok := x.(*tir.BlockRealize); ok {
			out = r.Block
		}
		return true
	})
	return out
}

// computesLike reports whether two blocks store the same expression of elements of
// the same types, wherever these lie. Buffers correspond one by one.
func computesLike(a, b *tir.Block) bool {
	x, ok1 := a.Body.(*tir.Store)
	y, ok2 := b.Body.(*tir.Store)
	if !ok1 || !ok2 {
		return false
	}
	m := alike{there: map[*tir.Buffer]*tir.Buffer{}, back: map[*tir.Buffer]*tir.Buffer{}}
	return m.buffers(x.Buffer, y.Buffer) && m.exprs(x.Value, y.Value)
}

type alike struct{ there, back map[*tir.Buffer]*tir.Buffer }

func (m alike) buffers(a, b *tir.Buffer) bool {
	x, known := m.there[a]
	y, taken := m.back[b]
	if known || taken {
		return x == b && y == a
	}
	m.there[a], m.back[b] = b, a
	return a.Type == b.Type
}

func (m alike) exprs(a, b tir.Expr) bool {
	switch x := a.(type) {
	case *tir.Binary:
		y, ok := b.(*tir.Binary)
		return ok && x.Op == y.Op && m.exprs(x.A, y.A) && m.exprs(x.B, y.B)
	case *tir.Cast:
		y, ok := b.(*tir.Cast)
		return ok && x.Type == y.Type && m.exprs(x.Value, y.Value)
	case *tir.Load:
		y, ok := b.(*tir.Load)
		return ok && m.buffers(x.Buffer, y.Buffer)
	case *tir.IntImm, *tir.FloatImm:
		return tir.EqualExpr(a, b)
	}
	return false
}
