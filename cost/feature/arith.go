package feature

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// opIfThenElse is the call that evaluates only the branch it takes.
const opIfThenElse = "if_then_else"

// The kinds of operations, in the order of their columns.
const (
	opMad = iota // never counted: the reference does not either
	opAddSub
	opMul
	opDivMod
	opCompare // and min, max
	opMath    // pure calls
	opOther   // other calls
	opKinds
)

// opCounts counts operations of one execution of a store: float, integer, then
// logic and selections.
type opCounts struct {
	float, integer [opKinds]float64
	logic, selects float64
}

// flop is the number of float operations.
func (o *opCounts) flop() float64 {
	sum := 0.0
	for _, n := range o.float {
		sum += n
	}
	return sum
}

// isIEEE reports whether t counts as float; bfloat16 does not.
func isIEEE(t dtype.DType) bool { return t.Code == dtype.Float }

func (o *opCounts) add(kind int, t dtype.DType) {
	if isIEEE(t) {
		o.float[kind]++
	} else {
		o.integer[kind]++
	}
}

// count counts the operations of a value and records the loads in it.
func (w *walker) count(e tir.Expr, o *opCounts) {
	switch e := e.(type) {
	case *tir.Binary:
		o.binary(e)
		w.count(e.A, o)
		w.count(e.B, o)
	case *tir.Not:
		o.logic++
		w.count(e.A, o)
	case *tir.Cast:
		w.count(e.Value, o)
	case *tir.Select:
		if tir.HasLoad(e) { // otherwise lowering's simplifier is expected to remove it
			o.selects++
			w.count(e.Cond, o)
			w.count(e.Then, o)
			w.count(e.Else, o)
		}
	case *tir.Var: // stands for its binding
		if x, ok := w.env[e]; ok {
			w.countIndex(x, 0, o)
		}
	case *tir.Let:
		w.count(e.Value, o)
		w.env[e.Var] = w.eval(e.Value)
		w.count(e.Body, o)
	case *tir.Broadcast:
		w.count(e.Value, o)
	case *tir.Load:
		w.load(e, o)
	case *tir.Call:
		kind := opMath
		if impure[e.Op] {
			kind = opOther
		}
		o.add(kind, e.Type)
		for _, a := range e.Args {
			w.count(a, o)
		}
	}
}

// impure are the calls with effects.
var impure = map[string]bool{"call_extern": true, "call_packed": true, "call_intrin": true, "tvm_call_packed": true}

func (o *opCounts) binary(e *tir.Binary) {
	switch {
	case e.Op.IsLogic():
		o.logic++
	case e.Op.IsCompare():
		o.add(opCompare, e.T) // a bool, hence an integer
	case e.Op == tir.OpAdd || e.Op == tir.OpSub:
		o.add(opAddSub, e.T)
	case e.Op == tir.OpMul:
		o.add(opMul, e.T)
	case e.Op == tir.OpMin || e.Op == tir.OpMax:
		o.add(opCompare, e.T)
	default:
		o.add(opDivMod, e.T)
	}
}

// load records an access and what is loaded to find its indices.
func (w *walker) load(e *tir.Load, o *opCounts) {
	w.touch(e.Buffer, e.Indices, false)
	for _, i := range e.Indices {
		w.gathers(i, o)
	}
}

// gathers records loads inside an index.
func (w *walker) gathers(e tir.Expr, o *opCounts) {
	switch e := e.(type) {
	case *tir.Binary:
		w.gathers(e.A, o)
		w.gathers(e.B, o)
	case *tir.Cast:
		w.gathers(e.Value, o)
	case *tir.Load:
		w.load(e, o)
	case *tir.Call, *tir.Select, *tir.Let:
		if tir.HasLoad(e) {
			w.count(e, o)
		}
	}
}

// countIndices adds the arithmetic of the indices of loads as it is after
// iterators are replaced by their bindings, terms are collected, and indices of a
// buffer are made relative to the loops around its allocation.
func (w *walker) countIndices(s *store) {
	for i := range s.accesses {
		if a := &s.accesses[i]; !a.write {
			home := w.buffers[a.buffer].depth()
			for _, x := range a.at {
				w.countIndex(x, home, &s.ops)
			}
		}
	}
}

func (w *walker) countIndex(x linear, home int, o *opCounts) {
	parts := 0
	if x.c != 0 && home == 0 {
		parts++
	}
	for _, t := range x.terms {
		if !w.moves(t.atom, home) {
			continue
		}
		parts++
		if t.coef != 1 {
			o.integer[opMul]++
		}
		a := &w.atoms[t.atom]
		switch a.kind {
		case atomDiv, atomMod:
			o.integer[opDivMod]++
			w.countIndex(a.a, home, o)
		case atomMin, atomMax:
			o.integer[opCompare]++
			w.countIndex(a.a, home, o)
			w.countIndex(a.b, home, o)
		case atomMul:
			o.integer[opMul]++
			w.countIndex(a.a, home, o)
			w.countIndex(a.b, home, o)
		case atomHull:
			o.integer[opMath]++
			w.countIndex(a.a, home, o)
			w.countIndex(a.b, home, o)
		}
	}
	o.integer[opAddSub] += float64(max(0, parts-1))
}

// moves reports whether an atom depends on anything but the loops around home.
func (f *forms) moves(id int32, home int) bool {
	m, fixed := f.atomMask(id)
	return !fixed || m>>home != 0
}
