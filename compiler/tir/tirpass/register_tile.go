package tirpass

import (
	"fmt"
	"sort"

	"hone/compiler/tir"
)

// ScopeRegister is the scope of accumulators: buffers of one element or vector
// per entry, indexed by constants only, which the emitter prints as named
// variables.
const ScopeRegister = "register"

// maxRegisters bounds the accumulators of one tile; beyond it they stay in
// memory.
const maxRegisters = 64

// epilogueStores is how many stores an epilogue may have for each register. What makes
// more of a register, as a row makes of its maximum, is a loop that loads it.
const epilogueStores = 4

// RegisterTiles keeps accumulators in registers. In a reduction loop it unrolls
// the spatial loops, and when every access of an accumulated buffer is a
// constant offset from a base that the loop does not change, the window becomes
// registers: started from a preceding initialiser where there is one, read by
// the statements that follow, stored at the end.
func RegisterTiles(s tir.Stmt) tir.Stmt {
	s = tilesIn(s)
	return dropDeadStores(s)
}

func tilesIn(s tir.Stmt) tir.Stmt {
	switch x := s.(type) {
	case *tir.Seq:
		return tileList(x.Stmts)
	case *tir.If:
		c := &tir.If{Cond: x.Cond, Then: tilesIn(x.Then)}
		if x.Else != nil {
			c.Else = tilesIn(x.Else)
		}
		return c
	case *tir.For:
		return tileList([]tir.Stmt{x})
	}
	return s
}

// tileList handles the statements of one body, where an initialiser, a
// reduction and its epilogue stand side by side.
func tileList(stmts []tir.Stmt) tir.Stmt {
	stmts = append([]tir.Stmt(nil), stmts...)
	for i := 0; i < len(stmts); i++ {
		l, ok := stmts[i].(*tir.For)
		if !ok {
			stmts[i] = tilesIn(stmts[i])
			continue
		}
		if t := newTile(l); t != nil {
			stmts = t.replace(stmts, i)
			continue
		}
		c := *l
		c.Body = tilesIn(l.Body)
		stmts[i] = &c
	}
	return tir.NewSeq(stmts...)
}

// slot is one register: the elements [offset, offset+lanes) from the tile's base.
type slot struct {
	offset int64
	lanes  int
}

// tile is a reduction whose accumulators fit registers.
type tile struct {
	buf   *tir.Buffer
	base  lin
	slots map[slot]*tir.Buffer // the register of each slot
	body  tir.Stmt             // the reduction, spatial loops unrolled
	inner map[*tir.Var]bool
	b     bounds
}

// newTile recognises a reduction loop; nil when l is none.
func newTile(l *tir.For) *tile {
	if l.Kind != tir.Serial || spatialOverReduction(l) {
		return nil
	}
	buf := accumulated(l)
	if buf == nil || guardsAccess(l, buf) || indexesStore(l.Body, l.Var) && !accumulatesBeside(l, buf) {
		return nil
	}
	spatial := func(x *tir.For) bool { return x.Var != l.Var && indexesStore(x.Body, x.Var) }
	body, ok := unrollWhere(l, spatial, maxUnrolled)
	if !ok {
		return nil
	}
	t := &tile{buf: buf, body: body, inner: definedIn(body), b: bounds{}, slots: map[slot]*tir.Buffer{}}
	for i, a := range collectAccesses(body)[buf] {
		base, s, ok := t.place(a.indices[0])
		if !ok || i > 0 && !base.same(t.base) {
			return nil
		}
		t.base = base
		t.slots[s] = nil
	}
	if len(t.slots) > maxRegisters || !disjoint(t.slots) {
		return nil
	}
	return t
}

// accumulated is the buffer that the stores in l accumulate into at places which l does
// not choose, the first one when there are several.
func accumulated(l *tir.For) *tir.Buffer {
	var out *tir.Buffer
	tir.WalkStmt(l, func(s tir.Stmt) bool {
		if st, ok := s.(*tir.Store); ok && out == nil && tir.LoadsFrom(st.Value, st.Buffer) && st.Buffer.Scope != ScopeRegister && !indexesStore(st, l.Var) {
			out = st.Buffer
		}
		return true
	})
	return out
}

// accumulatesBeside reports whether a loop that stores elements of other buffers does
// nothing to buf but accumulate, at places that the loop does not choose.
func accumulatesBeside(l *tir.For, buf *tir.Buffer) bool {
	ok := true
	tir.WalkStmt(l.Body, func(s tir.Stmt) bool {
		if st, isStore := s.(*tir.Store); isStore && st.Buffer == buf {
			ok = ok && tir.LoadsFrom(st.Value, buf) && !indexesStore(st, l.Var)
		}
		return ok
	})
	return ok
}

// guardsAccess reports whether a condition in s decides on an access of buf: the
// tile would load and store its window without it.
func guardsAccess(s tir.Stmt, buf *tir.Buffer) bool {
	found := false
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		if c, ok := x.(*tir.If); ok && len(collectAccesses(c)[buf]) > 0 {
			found = true
		}
		return !found
	})
	return found
}

// place reads an index as base + constant slot; ok is false when it moves with
// a loop of the tile.
func (t *tile) place(idx tir.Expr) (lin, slot, bool) {
	s := slot{lanes: 1}
	if r, ok := idx.(*tir.Ramp); ok {
		if !tir.IsConst(r.Stride, 1) {
			return lin{}, s, false
		}
		s.lanes, idx = r.Lanes, r.Base
	}
	l := t.b.linear(idx)
	if in, _ := l.split(func(v *tir.Var) bool { return t.inner[v] }); len(in.terms) > 0 {
		return lin{}, s, false
	}
	for _, x := range l.terms {
		if tir.HasLoad(x.atom) {
			return lin{}, s, false
		}
	}
	s.offset, l.c = l.c, 0
	return l, s, true
}

func sortedSlots(m map[slot]*tir.Buffer) []slot {
	out := make([]slot, 0, len(m))
	for s := range m {
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool {
		return out[i].offset < out[j].offset || out[i].offset == out[j].offset && out[i].lanes < out[j].lanes
	})
	return out
}

func disjoint(m map[slot]*tir.Buffer) bool {
	s := sortedSlots(m)
	for i := 1; i < len(s); i++ {
		if s[i-1].offset+int64(s[i-1].lanes) > s[i].offset {
			return false
		}
	}
	return true
}

// replace rewrites stmts around the reduction at i.
func (t *tile) replace(stmts []tir.Stmt, i int) []tir.Stmt {
	init, first := t.initialisers(stmts, i)
	for s := range init {
		t.slots[s] = nil
	}
	var allocs, enter, leave []tir.Stmt
	regs := map[int]*tir.Buffer{}
	next := map[*tir.Buffer]int64{}
	index := map[slot]int64{}
	for _, s := range sortedSlots(t.slots) {
		r := regs[s.lanes]
		if r == nil {
			r = tir.NewBuffer(fmt.Sprintf("%s_r%d", t.buf.Name, s.lanes), t.buf.Type.WithLanes(s.lanes), tir.Int(0))
			r.Scope = ScopeRegister
			regs[s.lanes] = r
			allocs = append(allocs, &tir.AllocBuffer{Buffer: r})
		}
		t.slots[s] = r
		index[s] = next[r]
		next[r]++
	}
	for _, r := range regs {
		r.Shape[0] = tir.Int(next[r])
	}
	reg := func(s slot) []tir.Expr { return []tir.Expr{tir.Int(index[s])} }
	for _, s := range sortedSlots(t.slots) {
		r, mem := t.slots[s], t.memory(s)
		value := init[s]
		if value == nil {
			value = &tir.Load{Buffer: t.buf, Indices: mem}
		}
		enter = append(enter, &tir.Store{Buffer: r, Value: value, Indices: reg(s)})
		leave = append(leave, &tir.Store{Buffer: t.buf, Value: &tir.Load{Buffer: r, Indices: reg(s)}, Indices: mem})
	}
	body := orderTile(t.redirect(t.body, index))
	out := append([]tir.Stmt(nil), stmts[:first]...)
	out = append(out, allocs...)
	out = append(out, enter...)
	out = append(out, body)
	out = append(out, leave...)
	rest := stmts[i+1:]
	for len(rest) > 0 {
		e := t.epilogue(rest[0], index)
		if e == nil {
			break
		}
		out = append(out, e)
		rest = rest[1:]
	}
	return append(out, rest...)
}

// memory is the index of a slot in the buffer itself.
func (t *tile) memory(s slot) []tir.Expr {
	l := lin{terms: t.base.terms, c: s.offset}
	e := l.expr()
	if s.lanes > 1 {
		e = ramp(e, 1, s.lanes)
	}
	return []tir.Expr{e}
}

// initialisers collects the start values that the statements just before the
// reduction store to slots of the tile. Unless they cover the whole window there
// is no initialiser and first is i: the tile then loads its window.
func (t *tile) initialisers(stmts []tir.Stmt, i int) (init map[slot]tir.Expr, first int) {
	init = map[slot]tir.Expr{}
	all := map[slot]*tir.Buffer{}
	for s := range t.slots {
		all[s] = nil
	}
	for first = i; first > 0 && t.initialiser(stmts[first-1], init); first-- {
	}
	for s := range t.slots {
		if init[s] == nil {
			return nil, i
		}
	}
	for s := range init {
		all[s] = nil
	}
	if !disjoint(all) {
		return nil, i
	}
	return init, first
}

// initialiser adds the stores of one nest to init; false, and init is as it was,
// when the nest does anything else.
func (t *tile) initialiser(s tir.Stmt, init map[slot]tir.Expr) bool {
	u, ok := unrollWhere(s, func(*tir.For) bool { return true }, maxRegisters)
	if !ok {
		return false
	}
	found := map[slot]tir.Expr{}
	for _, x := range listOf(u) {
		st, ok := x.(*tir.Store)
		if !ok || st.Buffer != t.buf || tir.LoadsFrom(st.Value, t.buf) {
			return false
		}
		base, sl, ok := t.place(st.Indices[0])
		if !ok || !base.same(t.base) || found[sl] != nil || init[sl] != nil {
			return false
		}
		found[sl] = st.Value
	}
	for sl, v := range found {
		init[sl] = v
	}
	return len(found) > 0
}

func listOf(s tir.Stmt) []tir.Stmt {
	switch x := s.(type) {
	case nil:
		return nil
	case *tir.Seq:
		return x.Stmts
	}
	return []tir.Stmt{s}
}

// epilogue is a following nest applied to the registers: every read of the
// buffer is a slot of the tile and it writes other buffers only. nil when not.
func (t *tile) epilogue(s tir.Stmt, index map[slot]int64) tir.Stmt {
	as := collectAccesses(s)[t.buf]
	if len(as) == 0 || writtenIn(s)[t.buf] {
		return nil
	}
	u, ok := unrollWhere(s, func(l *tir.For) bool { return true }, epilogueStores*len(t.slots))
	if !ok {
		return nil
	}
	for _, a := range collectAccesses(u)[t.buf] {
		base, sl, ok := t.place(a.indices[0])
		if _, known := index[sl]; !ok || !known || !base.same(t.base) {
			return nil
		}
	}
	return t.redirect(u, index)
}

// redirect replaces accesses of the buffer by accesses of registers.
func (t *tile) redirect(s tir.Stmt, index map[slot]int64) tir.Stmt {
	at := func(idx tir.Expr) (*tir.Buffer, []tir.Expr) {
		_, sl, _ := t.place(idx)
		return t.slots[sl], []tir.Expr{tir.Int(index[sl])}
	}
	w := tir.StmtRewriter{
		Expr: func(e tir.Expr) tir.Expr {
			return tir.RewriteExpr(e, func(x tir.Expr) tir.Expr {
				if ld, ok := x.(*tir.Load); ok && ld.Buffer == t.buf {
					r, idx := at(ld.Indices[0])
					return &tir.Load{Buffer: r, Indices: idx}
				}
				return x
			})
		},
		Stmt: func(x tir.Stmt) tir.Stmt {
			if st, ok := x.(*tir.Store); ok && st.Buffer == t.buf {
				r, idx := at(st.Indices[0])
				return &tir.Store{Buffer: r, Value: st.Value, Indices: idx}
			}
			return x
		},
	}
	return w.Rewrite(s)
}

// dropDeadStores removes buffers that are allocated and written but never read,
// and stores to them.
func dropDeadStores(s tir.Stmt) tir.Stmt {
	for {
		owned, read := map[*tir.Buffer]bool{}, map[*tir.Buffer]bool{}
		tir.WalkStmt(s, func(x tir.Stmt) bool {
			if a, ok := x.(*tir.AllocBuffer); ok {
				owned[a.Buffer] = true
			}
			return true
		})
		tir.WalkExprs(s, func(e tir.Expr) bool {
			if ld, ok := e.(*tir.Load); ok {
				read[ld.Buffer] = true
			}
			return true
		})
		changed := false
		w := tir.StmtRewriter{Stmt: func(x tir.Stmt) tir.Stmt {
			switch y := x.(type) {
			case *tir.Store:
				if owned[y.Buffer] && !read[y.Buffer] {
					changed = true
					return nil
				}
			case *tir.AllocBuffer:
				if !read[y.Buffer] {
					changed = true
					return nil
				}
			}
			return x
		}}
		s = w.Rewrite(s)
		if !changed || s == nil {
			return s
		}
	}
}
