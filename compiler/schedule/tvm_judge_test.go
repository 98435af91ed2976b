package schedule_test

import (
	"slices"
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
	"hone/compiler/tir/interp"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
)

const (
	crashes  = "TVM crashes"
	stumbled = "TVM fails a check of its own"
)

// explained says what is wrong with TVM's answer, "" when nothing is known to be.
// Every reason is found in the answer itself.
func (c question) explained() string {
	v := c.answer
	switch {
	case v.Crashed:
		return crashes
	case !v.OK && stumbles(v):
		return stumbled
	case !v.OK || v.Unread != "":
		return ""
	case v.Illformed:
		return "TVM's is ill-formed"
	case c.computesElse(v.Text):
		return "TVM's computes something else"
	}
	ours, err1 := tvmscript.ParseFunc(c.Ours)
	theirs, err2 := tvmscript.ParseFunc(v.Text)
	switch {
	case err1 != nil || err2 != nil:
		return ""
	case readsUnwritten(theirs) && !readsUnwritten(ours):
		return "TVM's reads what nothing has written"
	case writesOutside(theirs) && !writesOutside(ours):
		return "TVM's gives a block values at which it writes beside its buffer"
	}
	return ""
}

// stumbles reports whether TVM gave up on its own work: what it does not refuse
// as a call it fails as a check in its code, or by what that check would have
// caught. Another number of results is no such failure.
func stumbles(v verdict) bool {
	if v.Error == "InternalError" {
		return !strings.Contains(v.Text, "old_outputs.size()")
	}
	says, ok := unchecked[v.Error]
	return ok && strings.Contains(v.Text, says)
}

// unchecked are the errors by which TVM's code fails where it has no check.
var unchecked = map[string]string{
	"TypeError":    "Cannot treat type `prim.", // it takes an expression for the variable it was before
	"KeyError":     "key is not in Map",        // it looks for a variable that it did not record
	"RuntimeError": "Back optional access",     // it takes the value of an optional that is empty
}

// readsUnwritten runs a function and reports whether it loads from an element of
// an allocated buffer that nothing has stored.
func readsUnwritten(f *tir.PrimFunc) bool {
	args, err := arguments(f)
	return err == nil && interp.RunWith(f, args, interp.Options{Uninitialised: true}) != nil
}

// writesOutside reports whether the iterators of a block have values, whether it
// is run for them or not, for which it declares to write outside of a buffer.
func writesOutside(f *tir.PrimFunc) bool {
	outside := false
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		r, ok := s.(*tir.BlockRealize)
		if !ok {
			return true
		}
		a := arith.NewAnalyzer()
		var dom []arith.Dom
		for _, it := range r.Block.Iters {
			dom = append(dom, arith.Dom{Var: it.Var, Set: arith.RangeInterval(it.Dom)})
		}
		for _, w := range r.Block.Writes {
			for d, x := range w.Ranges {
				in := a.EvalSet(x.Min, dom)
				outside = outside || in.Hi != nil && a.CanProve(tir.CompareFold(tir.OpGE, in.Hi, w.Buffer.Shape[d]))
			}
		}
		return true
	})
	return outside
}

// ofText is a case of the last call alone, on the function before it as its text
// says it is; false when the call takes more than blocks by name and their loops.
func (c question) ofText(t *testing.T) (question, bool) {
	t.Helper()
	n := c.trace.Len() - 1
	s := withIntrins(t, schedule.NewFunc(c.before, nil))
	if err := (trace.Trace{Insts: c.trace.Insts[:n], Decisions: c.trace.Decisions[:n]}).Replay(s, trace.Options{}); err != nil {
		t.Fatalf("%s: %v", c.pos, err)
	}
	f, err := tvmscript.ParseFunc(tir.Script(s.Func()))
	if err != nil {
		return question{}, false
	}
	call, ok := withSources(c.trace, n)
	if !ok || call.Replay(withIntrins(t, schedule.NewFunc(f, nil)), trace.Options{}) != nil {
		return question{}, false
	}
	q := ask(t, c.pos, f, call, nil)
	return q, q.Ours == c.Ours
}

// withSources is instruction n of a trace and those that gave it its operands.
func withSources(t trace.Trace, n int) (trace.Trace, bool) {
	need := map[any]bool{}
	addHandles(need, t.Insts[n].Inputs)
	out := trace.Trace{Insts: []schedule.Instruction{t.Insts[n]}, Decisions: []any{t.Decisions[n]}}
	for i := n - 1; i >= 0; i-- {
		in := t.Insts[i]
		if !slices.ContainsFunc(in.Outputs, func(o any) bool { return need[o] }) {
			continue
		}
		if in.Kind.Name != "GetSBlock" && in.Kind.Name != "GetLoops" {
			return trace.Trace{}, false
		}
		addHandles(need, in.Inputs)
		out.Insts, out.Decisions = append([]schedule.Instruction{in}, out.Insts...), append([]any{t.Decisions[i]}, out.Decisions...)
	}
	return out, true
}

func addHandles(to map[any]bool, vs []any) {
	for _, v := range vs {
		switch x := v.(type) {
		case schedule.BlockRV, schedule.LoopRV, schedule.ExprRV:
			to[x] = true
		case []any:
			addHandles(to, x)
		}
	}
}

// unlikeText marks the cases in which TVM gives Hone's result once it reads the
// function from its text: what it knew beyond the text made the difference, of
// regions before they were hidden, or of the sequence in a sequence that its
// cache_index makes.
func unlikeText(t *testing.T, cases []question) map[int]bool {
	t.Helper()
	var qs []question
	var of []int
	for i, c := range cases {
		if class, _ := c.compare(t); class == "equal" || c.explained() != "" {
			continue
		}
		if q, ok := c.ofText(t); ok {
			qs, of = append(qs, q), append(of, i)
		}
	}
	out := map[int]bool{}
	for k, v := range askTVM(t, qs) {
		out[of[k]] = v.OK && v.Equal
	}
	return out
}
