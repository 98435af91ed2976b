package tirpass

import "hone/compiler/tir"

// ForwardScalars puts values in the place of the local scalars that only name them:
// written once, read once, by what stands right behind. Implementations of tensor
// intrinsics name the steps of one store that way, which later passes know as a whole.
func ForwardScalars(s tir.Stmt) tir.Stmt {
	f := &forwarder{loads: map[*tir.Buffer]int{}, stores: map[*tir.Buffer]int{}, gone: map[*tir.Buffer]bool{}}
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		if st, ok := x.(*tir.Store); ok {
			f.stores[st.Buffer]++
		}
		return true
	})
	tir.WalkExprs(s, func(e tir.Expr) bool {
		if ld, ok := e.(*tir.Load); ok {
			f.loads[ld.Buffer]++
		}
		return true
	})
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		if seq, ok := s.(*tir.Seq); ok {
			return tir.NewSeq(f.list(seq.Stmts)...)
		}
		return s
	}}
	s = w.Rewrite(s)
	drop := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		if a, ok := s.(*tir.AllocBuffer); ok && f.gone[a.Buffer] {
			return nil
		}
		return s
	}}
	return drop.Rewrite(s)
}

type forwarder struct {
	loads, stores map[*tir.Buffer]int // in all
	gone          map[*tir.Buffer]bool
}

// named reports a store to a scalar that only names a value.
func (f *forwarder) named(s tir.Stmt) (*tir.Store, bool) {
	st, ok := s.(*tir.Store)
	if !ok || st.Buffer.Scope != "local" || f.stores[st.Buffer] != 1 || f.loads[st.Buffer] != 1 || len(st.Indices) != 1 || !tir.IsConst(st.Indices[0], 0) {
		return nil, false
	}
	return st, tir.IsConst(st.Buffer.Shape[0], 1)
}

// list forwards within runs of names that end in another store. That store evaluates
// its value before it writes, so no load of memory moves past a write.
func (f *forwarder) list(stmts []tir.Stmt) []tir.Stmt {
	var out []tir.Stmt
	var run []*tir.Store
	keep := func() {
		for _, st := range run {
			out = append(out, st)
		}
		run = nil
	}
	for _, s := range stmts {
		if st, ok := f.named(s); ok {
			run = append(run, st)
			continue
		}
		if st, ok := s.(*tir.Store); ok && len(run) > 0 {
			s = f.into(st, &run)
		}
		keep()
		out = append(out, s)
	}
	keep()
	return out
}

// into puts the values of a run into the store behind it, the last one first, and
// leaves in the run what the store does not read.
func (f *forwarder) into(st *tir.Store, run *[]*tir.Store) tir.Stmt {
	value := st.Value
	var kept []*tir.Store
	for i := len(*run) - 1; i >= 0; i-- {
		name := (*run)[i]
		found := false
		value = tir.RewriteExpr(value, func(e tir.Expr) tir.Expr {
			if ld, ok := e.(*tir.Load); ok && ld.Buffer == name.Buffer {
				found = true
				return name.Value
			}
			return e
		})
		if found {
			f.gone[name.Buffer] = true
		} else {
			kept = append([]*tir.Store{name}, kept...)
		}
	}
	*run = kept
	return &tir.Store{Buffer: st.Buffer, Value: value, Indices: st.Indices}
}
