// Package filter knows the limits that span several decisions of a trace: they
// are evaluated on integers, before anything is replayed, by the sampler and by
// mutators alike. A rule declares one by an annotation whose value names the
// decisions (schedule.KeyRegisterTile). Start from Of.
package filter

import (
	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/trace"
)

// operand is a number of a limit: a constant, or candidates chosen by the
// decision of instruction inst.
type operand struct {
	value      int64
	inst       int // -1 for a constant
	candidates []any
}

// Limits are the filters of one trace.
type Limits struct{ tiles [][3]operand }

// Of reads the limits that a trace declares. They hold for every trace with the
// same instructions.
func Of(t trace.Trace) Limits {
	made := map[int32]int{}
	for i, inst := range t.Insts {
		if inst.Kind.Name == "SampleCategorical" {
			made[inst.Outputs[0].(schedule.ExprRV).ID()] = i
		}
	}
	var out Limits
	for _, inst := range t.Insts {
		if inst.Kind.Name != "Annotate" || inst.Attrs[0] != schedule.KeyRegisterTile {
			continue
		}
		list, ok := inst.Inputs[1].([]any)
		if !ok || len(list) != 3 {
			continue
		}
		var tile [3]operand
		for k, v := range list {
			tile[k] = operand{inst: -1}
			switch x := v.(type) {
			case int64:
				tile[k].value = x
			case schedule.ExprRV:
				tile[k].value = x.Value()
				if i, ok := made[x.ID()]; ok && x.ID() != 0 {
					tile[k] = operand{inst: i, candidates: t.Insts[i].Attrs[0].([]any)}
				}
			}
		}
		out.tiles = append(out.tiles, tile)
	}
	return out
}

func (o operand) under(decisions []any) (int64, bool) {
	if o.inst < 0 {
		return o.value, true
	}
	d, ok := decisions[o.inst].(int64)
	if !ok || d < 0 || int(d) >= len(o.candidates) {
		return 0, false
	}
	v, ok := o.candidates[d].(int64)
	return v, ok
}

// Allow reports whether decisions, one per instruction, respect every limit.
// Decisions that are not made yet restrict nothing.
func (l Limits) Allow(decisions []any, t *target.Target) bool {
	for _, tile := range l.tiles {
		rows, ok1 := tile[0].under(decisions)
		cols, ok2 := tile[1].under(decisions)
		held, ok3 := tile[2].under(decisions)
		if ok1 && ok2 && ok3 && !dlight.FitsRegisters(rows, cols, max(held, min(rows, cols)), t) {
			return false
		}
	}
	return true
}
