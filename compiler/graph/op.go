package graph

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/internal/registry"
)

// Class says how an operator fuses, from the freest to the least.
type Class uint8

// The fusion classes. Elementwise: each result element needs the operand
// elements at the same place. Broadcast: also operands of smaller shape.
// Injective: one operand element per result element, anywhere. Reduction:
// many operand elements per result element. OutFusable: a heavy reduction
// that takes elementwise operators into its result (convolution, matmul).
// Opaque: never fused.
const (
	Elementwise Class = iota
	Broadcast
	Injective
	Reduction
	OutFusable
	Opaque
)

var classNames = [...]string{"elementwise", "broadcast", "injective", "reduction", "out-elementwise-fusable", "opaque"}

// String is the class's name in messages and documentation.
func (c Class) String() string { return classNames[c] }

// LayoutRule says what an operator does with channel-blocked operands.
type LayoutRule uint8

// The layout rules. PlainOnly: every operand and result is row-major.
// Transparent: works in whatever layout all operands share. Spatial: like
// Transparent for its first operand, further operands are parameters (pooling,
// resizing). Convolution: reads either layout, prefers to write blocks.
// ChannelConcat: transparent unless it joins channels, then only when every
// part is a whole number of blocks. ReadsAny: reads either layout, its result is
// row-major. WritesBlocks: reads either layout, prefers to write blocks.
// Packed: reads and writes the blocks that its second operand is packed for.
const (
	PlainOnly LayoutRule = iota
	Transparent
	Spatial
	Convolution
	ChannelConcat
	ReadsAny
	WritesBlocks
	Packed
)

// Call is one application of an operator as its functions see it.
type Call struct {
	Op    *Op
	Attrs Attrs
	In    []Type
	Out   []Type // known to Eval and Lower
}

// Op is an operator. One literal answers every question about it.
type Op struct {
	Name string
	// Min and Max bound the number of operands; Max -1 means no bound.
	Min, Max int
	// Attrs lists the attributes a node must carry, no more and no less.
	Attrs []AttrSpec
	Class Class
	// Layout says what the operator does to channel-blocked operands;
	// LayoutOK, when set, may refuse a call that the rule would accept.
	Layout   LayoutRule
	LayoutOK func(c *Call) bool
	// KeepsZero reports that zero operands give a finite result, so that the
	// filling of a rounded-up channel axis stays harmless. Read by the layout
	// pass for channel counts that are not a whole number of blocks.
	KeepsZero bool
	// Infer gives the types of the results (plain layout).
	Infer func(c *Call) ([]Type, error)
	// Eval computes the results on host tensors, slowly and rightly.
	Eval func(c *Call, in []*dtype.Tensor) ([]*dtype.Tensor, error)
	// Lower emits the operator's blocks.
	Lower func(l *Lowering) error
	// Scalar, set on elementwise and broadcasting operators, is their
	// expression over operand elements; Lower is derived from it.
	Scalar ScalarFunc
}

// AttrSpec describes one attribute: its name and a value of its type.
type AttrSpec struct {
	Key  string
	Zero any
}

var operators = registry.New[*Op]("graph operator")

// Register adds an operator; packages of operators call it while initialising.
func Register(op *Op) *Op { return operators.Add(op.Name, op) }

// Lookup finds an operator by name.
func Lookup(name string) (*Op, error) { return operators.Lookup(name) }

// MustLookup is Lookup of a name that the program itself states.
func MustLookup(name string) *Op {
	op, err := operators.Lookup(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return op
}

// Operators lists all registered operators by name.
func Operators() []*Op { return operators.All() }

func (op *Op) infer(c *Call) ([]Type, error) {
	if n := len(c.In); n < op.Min || op.Max >= 0 && n > op.Max {
		return nil, fmt.Errorf("takes %s, got %d", op.arity(), n)
	}
	if err := op.checkAttrs(c.Attrs); err != nil {
		return nil, err
	}
	return op.Infer(c)
}

func (op *Op) arity() string {
	switch {
	case op.Max < 0:
		return fmt.Sprintf("at least %d operands", op.Min)
	case op.Min == op.Max:
		return fmt.Sprintf("%d operands", op.Min)
	}
	return fmt.Sprintf("%d to %d operands", op.Min, op.Max)
}

func (op *Op) checkAttrs(a Attrs) error {
	if len(a) > len(op.Attrs) {
		for _, x := range a {
			if !op.hasAttr(x.Key) {
				return fmt.Errorf("unknown attribute %q", x.Key)
			}
		}
	}
	for _, s := range op.Attrs {
		v, ok := a.Get(s.Key)
		if !ok {
			return fmt.Errorf("attribute %q is missing", s.Key)
		}
		if got, want := fmt.Sprintf("%T", v), fmt.Sprintf("%T", s.Zero); got != want {
			return fmt.Errorf("attribute %q is %s, want %s", s.Key, got, want)
		}
	}
	return nil
}

func (op *Op) hasAttr(key string) bool {
	for _, s := range op.Attrs {
		if s.Key == key {
			return true
		}
	}
	return false
}
