package analysis

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// Reducer is a commutative, associative combination of values into elements of
// one or more buffers, all at Indices: together, Buffers[i][Indices] becomes the
// i-th result of Combine on what is there and on Values. Init are its identities.
type Reducer struct {
	Buffers []*tir.Buffer
	Indices []tir.Expr
	Values  []tir.Expr
	Init    []tir.Expr

	combine func(x, y []tir.Expr) []tir.Expr
}

// Combine is the combination of x and y as the reduction writes it.
func (r *Reducer) Combine(x, y []tir.Expr) []tir.Expr { return r.combine(x, y) }

// Elements are what the reduction has of each buffer.
func (r *Reducer) Elements() []tir.Expr {
	out := make([]tir.Expr, len(r.Buffers))
	for i, b := range r.Buffers {
		out[i] = &tir.Load{Buffer: b, Indices: r.Indices}
	}
	return out
}

// FindReducer recognises the update of a reduction block: one store, or as many
// bindings as the initialiser has stores followed by stores of the bound values,
// which combine the elements that the initialiser sets to the identities with
// other values, the elements first. why says what is otherwise; "" when nothing
// is.
func FindReducer(b *tir.Block) (r Reducer, why string) {
	inits, why := initialStores(b.Init)
	if why != "" {
		return Reducer{}, why
	}
	updates, why := updateStores(b.Body, len(inits))
	if why != "" {
		return Reducer{}, why
	}
	r.Indices = updates[0].Indices
	results := make([]tir.Expr, len(updates))
	for i, u := range updates {
		init := storeTo(inits, u.Buffer)
		switch {
		case init == nil:
			return Reducer{}, "its body stores to " + u.Buffer.Name + ", which it does not initialise"
		case !sameShape(u.Buffer.Shape, updates[0].Buffer.Shape):
			return Reducer{}, "it reduces into buffers of different shapes"
		case !sameShape(u.Indices, r.Indices), !sameShape(init.Indices, r.Indices):
			return Reducer{}, "it does not store all values at the same indices"
		}
		r.Buffers = append(r.Buffers, u.Buffer)
		r.Init = append(r.Init, init.Value)
		results[i] = u.Value
	}
	for _, known := range reducers {
		if known.n != len(updates) || !r.matches(known.combine, known.identity, results) {
			continue
		}
		for _, v := range r.Values {
			for _, buf := range r.Buffers {
				if tir.LoadsFrom(v, buf) {
					return Reducer{}, "what it combines with " + buf.Name + " depends on it"
				}
			}
		}
		return r, ""
	}
	return Reducer{}, "its update and initial value are no sum, product, minimum, maximum or index of one"
}

// initialStores are the stores of an initialiser, each to a buffer of its own.
func initialStores(init tir.Stmt) (out []*tir.Store, why string) {
	list := []tir.Stmt{init}
	if seq, ok := init.(*tir.Seq); ok {
		list = seq.Stmts
	}
	for _, s := range list {
		st, ok := s.(*tir.Store)
		switch {
		case !ok:
			return nil, "its initialiser is not a store or a sequence of stores"
		case storeTo(out, st.Buffer) != nil:
			return nil, "it initialises " + st.Buffer.Name + " twice"
		}
		out = append(out, st)
	}
	return out, ""
}

// updateStores are the n stores of a body, in the order of the bindings of the
// values that they store.
func updateStores(body tir.Stmt, n int) (out []*tir.Store, why string) {
	if st, ok := body.(*tir.Store); ok && n == 1 {
		return []*tir.Store{st}, ""
	}
	seq, ok := body.(*tir.Seq)
	if !ok || len(seq.Stmts) != 2*n {
		return nil, "its body does not bind and store as many values as it initialises"
	}
	var bound []*tir.Bind
	for _, s := range seq.Stmts[:n] {
		b, ok := s.(*tir.Bind)
		if !ok {
			return nil, "its body does not bind and store as many values as it initialises"
		}
		bound = append(bound, b)
	}
	out = make([]*tir.Store, n)
	for _, s := range seq.Stmts[n:] {
		st, ok := s.(*tir.Store)
		if !ok {
			return nil, "what follows its bindings is not a store each"
		}
		i := 0
		for i < n && st.Value != tir.Expr(bound[i].Var) {
			i++
		}
		switch {
		case i == n:
			return nil, "it stores what it does not bind"
		case out[i] != nil || storeTo(out, st.Buffer) != nil:
			return nil, "it stores a value, or to a buffer, twice"
		}
		out[i] = &tir.Store{Buffer: st.Buffer, Value: bound[i].Value, Indices: st.Indices}
	}
	return out, ""
}

func storeTo(list []*tir.Store, buf *tir.Buffer) *tir.Store {
	for _, s := range list {
		if s != nil && s.Buffer == buf {
			return s
		}
	}
	return nil
}

func sameShape(x, y []tir.Expr) bool {
	if len(x) != len(y) {
		return false
	}
	var a arith.Analyzer
	for i := range x {
		if !a.CanProveEqual(x[i], y[i]) {
			return false
		}
	}
	return true
}
