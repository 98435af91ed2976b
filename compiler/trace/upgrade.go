package trace

import (
	"strings"

	"hone/compiler/schedule"
)

// Older releases spelled some things differently; the first ones are read as if
// they were the second.
var renamed = map[string]string{
	"GetBlock": "GetSBlock",
}

// rename gives the present name of a kind.
func rename(kind string) string {
	if n, ok := renamed[kind]; ok {
		return n
	}
	return kind
}

// complete adds what instructions of older releases had not yet: trailing
// attributes and lists of consumers, by the defaults of the method's parameters.
func complete(inst *schedule.Instruction) {
	k := inst.Kind
	for len(inst.Attrs) < len(k.Attrs) {
		s := k.Attrs[len(inst.Attrs)]
		p, ok := optional(k, s)
		if _, flag := p.Default.(bool); !ok || !flag && !s.Accepts(p.Default) {
			break
		}
		inst.Attrs = append(inst.Attrs, p.Default)
	}
	if n := len(inst.Inputs); n < len(k.In) && k.In[n].Kind == schedule.SlotBlocks {
		inst.Inputs = append(inst.Inputs, []any{})
	}
}

// optional is the parameter of a slot if it can be left out.
func optional(k *schedule.Kind, s schedule.Slot) (schedule.Param, bool) {
	for _, p := range k.Parameters() {
		if p.Name == k.ParamOf(s) {
			return p, p.Optional
		}
	}
	return schedule.Param{}, false
}

// typeKey translates the type key of a node, and the name of an operator: the
// dialect was tir before it was tirx, and some releases keep scalar nodes in
// prim.
func typeKey(k string) string {
	for _, old := range [...]string{"tir.", "prim."} {
		if rest, ok := strings.CutPrefix(k, old); ok {
			k = "tirx." + rest
		}
	}
	switch k {
	case "tirx.Var":
		return "ir.Var"
	case "IntImm", "FloatImm":
		return "ir." + k
	}
	return k
}
