package trace

import (
	"errors"
	"fmt"

	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// Options say how a trace is replayed. The zero value performs everything with
// the stored decisions; an instruction without one draws it.
type Options struct {
	StopAtPostproc bool // leave out EnterPostproc and what follows
	Redraw         bool // ignore the stored decisions
	// Done says how many instructions the schedule has performed before: the first
	// ones of the trace, and nothing else. They are not performed again.
	Done int
	// Decide replaces the decision of instruction i; inst holds the inputs as
	// handles of the schedule. It may return nil to have one drawn.
	Decide func(i int, inst schedule.Instruction, decision any) any
}

// Replay performs the trace on s, which records it anew; decisions that do not
// fit are repaired as each kind says. The first instruction that is refused ends
// it with an *Error; s is then good for nothing.
func (t Trace) Replay(s *schedule.Schedule, o Options) error {
	env, err := t.performed(s, o.Done)
	if err != nil {
		return err
	}
	s.Grow(len(t.Insts) - o.Done)
	for i := o.Done; i < len(t.Insts); i++ {
		inst := &t.Insts[i]
		if o.StopAtPostproc && inst.Kind == schedule.EnterPostprocKind() {
			return nil
		}
		if env, err = t.step(s, o, i, env); err != nil {
			return &Error{i, inst.Kind.Name, err}
		}
	}
	return nil
}

// performed takes the results of the first n instructions from the record of s.
func (t Trace) performed(s *schedule.Schedule, n int) ([]any, error) {
	env := make([]any, 1, 2*len(t.Insts)+16)
	done := s.Instructions()
	if n > len(done) || n > len(t.Insts) {
		return nil, fmt.Errorf("trace: %d of %d instructions are said to be done, the schedule has %d", n, len(t.Insts), len(done))
	}
	for i := range n {
		var err error
		if env, err = bind(env, t.Insts[i].Outputs, done[i].Outputs); err != nil || done[i].Kind != t.Insts[i].Kind {
			return nil, fmt.Errorf("trace: instruction %d, %s, is not what the schedule has done", i, t.Insts[i].Kind.Name)
		}
	}
	return env, nil
}

func (t Trace) step(s *schedule.Schedule, o Options, i int, env []any) ([]any, error) {
	inst := &t.Insts[i]
	inputs, err := resolveAll(inst.Inputs, env)
	if err != nil {
		return nil, err
	}
	attrs, err := resolveAll(inst.Attrs, env)
	if err != nil {
		return nil, err
	}
	decision := t.Decisions[i]
	if o.Redraw {
		decision = nil
	}
	if o.Decide != nil {
		now := *inst
		now.Inputs = inputs
		decision = o.Decide(i, now, decision)
	}
	if err := inst.Kind.Perform(s, schedule.Call{Inputs: inputs, Attrs: attrs, Decision: decision}); err != nil {
		return nil, err
	}
	return bind(env, inst.Outputs, s.Last().Outputs)
}

// bind remembers which handles of the schedule the outputs became.
func bind(env, names, outs []any) ([]any, error) {
	if len(names) != len(outs) {
		return nil, fmt.Errorf("it gave %d results where the trace has %d", len(outs), len(names))
	}
	for i, o := range names {
		n, ok := id(o)
		if !ok {
			continue
		}
		for int(n) >= len(env) {
			env = append(env, nil)
		}
		env[n] = outs[i]
	}
	return env, nil
}

var errUnbound = errors.New("an input is no result of an earlier instruction")

// resolveAll replaces the handles of the trace by those of the schedule. When
// they are the same numbers the list itself is returned.
func resolveAll(vs []any, env []any) ([]any, error) {
	out := vs
	for i, v := range vs {
		w, err := resolve(v, env)
		if err != nil {
			return nil, err
		}
		if same(v, w) {
			continue
		}
		if &out[0] == &vs[0] {
			out = append([]any(nil), vs...)
		}
		out[i] = w
	}
	return out, nil
}

func same(v, w any) bool {
	switch x := v.(type) {
	case []any:
		y, ok := w.([]any)
		return ok && len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
	case map[string]any:
		return false
	}
	switch w.(type) {
	case []any, map[string]any:
		return false
	}
	return v == w
}

func resolve(v any, env []any) (any, error) {
	switch x := v.(type) {
	case []any:
		return resolveAll(x, env)
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, y := range x {
			r, err := resolve(y, env)
			if err != nil {
				return nil, err
			}
			out[k] = r
		}
		return out, nil
	case *tir.IndexMap:
		return resolveMap(x, env)
	}
	n, ok := id(v)
	if !ok {
		return v, nil
	}
	if int(n) >= len(env) || env[n] == nil {
		return nil, errUnbound
	}
	return env[n], nil
}

// resolveMap gives the free variables of an index map, which stand for results
// of sampling, the numbers that these have in the schedule.
func resolveMap(m *tir.IndexMap, env []any) (any, error) {
	var err error
	known := map[int32]*tir.Var{}
	return schedule.MapFree(m, func(v *tir.Var) tir.Expr {
		n, _ := schedule.FreeID(v)
		if known[n] != nil {
			return known[n]
		}
		known[n] = v
		e, ok := schedule.ExprRV{}, false
		if int(n) < len(env) {
			e, ok = env[n].(schedule.ExprRV)
		}
		if !ok {
			err = errUnbound
		} else if e.ID() != n {
			known[n] = schedule.FreeVar(e.ID(), v.Type)
		}
		return known[n]
	}), err
}
