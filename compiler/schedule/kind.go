package schedule

import (
	"fmt"

	"hone/compiler/tir"
	"hone/internal/registry"
)

// Kind describes one instruction kind completely: trace JSON, replay, repair of
// decisions and documentation read it and know no kind by name.
type Kind struct {
	Name     string // the spelling in traces: "Split"
	Doc      string // one line
	Pure     bool   // removable when no output is used
	In       []Slot // inputs; only the last may repeat
	Attrs    []Slot
	Out      Output
	Decision DecisionKind

	// Params are the parameters of the Python method in order, as Python spells
	// them: "loop, factors, preserve_unit_iters=True". A slot takes its value from
	// the parameter of its name; "decision" becomes the decision, and "buffer"
	// fills the slots buffer_index and buffer_index_type.
	Params string
	// Refuses lists the conditions that a call may break, beside those of
	// handles and of the form of arguments, which every kind shares.
	Refuses []Condition

	// Apply performs the instruction on s through the method of the same name,
	// which records it. Inputs are handles of s; Check has accepted the call.
	Apply func(s *Schedule, c Call) error

	params []Param // Params, parsed
}

// Slot is one input or attribute.
type Slot struct {
	Name   string
	Kind   SlotKind
	Many   bool // any number of these, none included
	Handle bool // of a block: the Python method takes no name in its place
}

// SlotKind is what a slot accepts.
type SlotKind uint8

// The slot kinds.
const (
	SlotBlock    SlotKind = iota // BlockRV
	SlotLoop                     // LoopRV
	SlotPlace                    // BlockRV or LoopRV
	SlotInt                      // ExprRV or int64
	SlotBuffer                   // SlotInt: the number of a buffer, which scripts may give by name
	SlotFactor                   // SlotInt, or nil for "infer it"
	SlotBlocks                   // []any of BlockRV
	SlotGroup                    // LoopRV or []any of BlockRV
	SlotInts                     // []any of int64
	SlotNumbers                  // []any of int64 or float64
	SlotString                   // string
	SlotFlag                     // int64 0 or 1, printed as a number
	SlotBool                     // bool, printed as true or false
	SlotMap                      // *tir.IndexMap
	SlotMaybeMap                 // *tir.IndexMap or nil
	SlotValue                    // any plain value, handles and lists included
)

// Output is what an instruction returns.
type Output uint8

// The output forms; Exprs may hold Open, which traces write as "_".
const (
	OutNone Output = iota
	OutBlock
	OutBlocks
	OutLoop
	OutLoops
	OutExpr
	OutExprs
)

// DecisionKind is the form of a sampling decision.
type DecisionKind uint8

// The decision forms: int64 or []int64.
const (
	NoDecision DecisionKind = iota
	IntDecision
	IntsDecision
)

// Call is an instruction about to be performed.
type Call struct {
	Inputs, Attrs []any
	Decision      any // nil: sample one
}

var kinds = registry.New[*Kind]("instruction kind")

func define(k Kind) *Kind {
	var err error
	if k.params, err = parseParams(k.Params); err != nil {
		panic("BUG: " + k.Name + ": " + err.Error())
	}
	return kinds.Add(k.Name, &k)
}

// LookupKind finds a kind by its name in traces.
func LookupKind(name string) (*Kind, error) { return kinds.Lookup(name) }

// Kinds lists every kind by name.
func Kinds() []*Kind { return kinds.All() }

// Check verifies the number and the form of inputs and attributes.
func (k *Kind) Check(inputs, attrs []any) error {
	if err := checkSlots(k.In, inputs); err != nil {
		return fmt.Errorf("%s: input %w", k.Name, err)
	}
	if err := checkSlots(k.Attrs, attrs); err != nil {
		return fmt.Errorf("%s: attribute %w", k.Name, err)
	}
	return nil
}

func checkSlots(slots []Slot, vals []any) error {
	fixed := len(slots)
	many := fixed > 0 && slots[fixed-1].Many
	if many {
		fixed--
	}
	if len(vals) < fixed || !many && len(vals) > fixed {
		return fmt.Errorf("count is %d, want %d", len(vals), fixed)
	}
	for i, v := range vals {
		s := slots[min(i, len(slots)-1)]
		if !s.Kind.accepts(v) {
			return fmt.Errorf("%d (%s) is %v (%T), want %s", i, s.Name, v, v, s.Kind)
		}
	}
	return nil
}

var slotNames = [...]string{"a block", "a loop", "a block or a loop", "an integer", "an integer or a buffer's name", "an integer or None", "a list of blocks", "a loop or a list of blocks",
	"a list of integers", "a list of numbers", "a string", "0 or 1", "true or false", "an index map", "an index map or null", "a value"}

// String names what the slot accepts, for messages.
func (k SlotKind) String() string { return slotNames[k] }

func (k SlotKind) accepts(v any) bool {
	switch x := v.(type) {
	case BlockRV:
		return k == SlotBlock || k == SlotPlace || k == SlotValue
	case LoopRV:
		return k == SlotLoop || k == SlotPlace || k == SlotGroup || k == SlotValue
	case ExprRV, int64:
		if n, ok := v.(int64); ok && k == SlotFlag {
			return n == 0 || n == 1
		}
		return k == SlotInt || k == SlotBuffer || k == SlotFactor || k == SlotValue
	case nil:
		return k == SlotFactor || k == SlotMaybeMap || k == SlotValue
	case []any:
		return k.acceptsList(x)
	case string:
		return k == SlotString || k == SlotValue
	case bool:
		return k == SlotBool || k == SlotValue
	case *tir.IndexMap:
		return k == SlotMap || k == SlotMaybeMap || k == SlotValue
	}
	return k == SlotValue
}

func (k SlotKind) acceptsList(list []any) bool {
	for _, v := range list {
		ok := k == SlotValue
		switch v.(type) {
		case BlockRV:
			ok = ok || k == SlotBlocks || k == SlotGroup
		case int64:
			ok = ok || k == SlotInts || k == SlotNumbers
		case float64:
			ok = ok || k == SlotNumbers
		}
		if !ok {
			return false
		}
	}
	return k == SlotValue || k == SlotBlocks || k == SlotGroup || k == SlotInts || k == SlotNumbers
}

// The accessors below rely on Check.

func (c Call) block(i int) BlockRV { return c.Inputs[i].(BlockRV) }
func (c Call) loop(i int) LoopRV   { return c.Inputs[i].(LoopRV) }

func (c Call) expr(i int) ExprRV {
	switch v := c.Inputs[i].(type) {
	case ExprRV:
		return v
	case int64:
		return Int(v)
	}
	return Open
}

func (c Call) exprsFrom(i int) []ExprRV {
	out := make([]ExprRV, 0, len(c.Inputs)-i)
	for ; i < len(c.Inputs); i++ {
		out = append(out, c.expr(i))
	}
	return out
}

func (c Call) loopsFrom(i int) []LoopRV {
	out := make([]LoopRV, 0, len(c.Inputs)-i)
	for ; i < len(c.Inputs); i++ {
		out = append(out, c.loop(i))
	}
	return out
}

func (c Call) blocks(i int) []BlockRV {
	list := c.Inputs[i].([]any)
	out := make([]BlockRV, len(list))
	for j, v := range list {
		out[j] = v.(BlockRV)
	}
	return out
}

func (c Call) flag(i int) bool { return c.Attrs[i].(int64) != 0 }

// int is an integer attribute; a value beyond int is cut to a bad index.
func (c Call) int(i int) int {
	n := c.Attrs[i].(int64)
	if int64(int32(n)) != n {
		return -1 << 31
	}
	return int(n)
}

func (c Call) string(i int) string { return c.Attrs[i].(string) }

func flag(b bool) any {
	if b {
		return int64(1)
	}
	return int64(0)
}
