package script

import (
	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
)

// call is one call of an instruction while its arguments are brought to the form
// of its slots.
type call struct {
	*object
	kind *schedule.Kind
	vals map[string]bound

	block *tir.Block // the first block among the inputs
	where string     // names it
	rank  int        // of the map before, for a pad value

	buffer           *tir.Buffer // that the parameter buffer names
	index, direction any
}

// instruction makes the call of the bound arguments. Names of blocks are looked
// up first, lists of them before single ones, which is the order in which TVM
// records the look-ups.
func (c *call) instruction() (schedule.Call, error) {
	var out schedule.Call
	slots := append(append([]schedule.Slot(nil), c.kind.In...), c.kind.Attrs...)
	for _, kind := range []schedule.SlotKind{schedule.SlotBlocks, schedule.SlotBlock} {
		for _, s := range slots {
			if s.Kind == kind {
				if err := c.findBlocks(s); err != nil {
					return out, err
				}
			}
		}
	}
	if b, ok := c.vals["buffer"]; ok {
		if err := c.findBuffer(b.Arg); err != nil {
			return out, err
		}
	}
	for i, s := range slots {
		vals, err := c.values(s)
		if err != nil {
			return out, err
		}
		if i < len(c.kind.In) {
			out.Inputs = append(out.Inputs, vals...)
		} else {
			out.Attrs = append(out.Attrs, vals...)
		}
	}
	var err error
	out.Decision, err = c.decision()
	return out, err
}

// findBlocks replaces the names of blocks in a parameter by handles, where names
// are taken.
func (c *call) findBlocks(s schedule.Slot) error {
	b := c.vals[s.Name]
	var err error
	if list, ok := b.Value.([]any); ok && s.Kind == schedule.SlotBlocks {
		out := make([]any, len(list))
		for i, v := range list {
			if out[i], err = c.find(v); err != nil {
				return err
			}
		}
		b.Value = out
	} else if !s.Handle {
		if b.Value, err = c.find(b.Value); err != nil {
			return err
		}
	}
	c.vals[s.Name] = b
	if rv, ok := b.Value.(schedule.BlockRV); ok && c.block == nil {
		r, err := c.s.BlockOf(rv)
		if err != nil {
			return refusedBy(err, c.kind)
		}
		c.block, c.where = r.Block, "block "+r.Block.Name
	}
	return nil
}

// find looks up a block that is given by name.
func (o *object) find(v any) (any, error) {
	name, ok := v.(string)
	if !ok {
		return v, nil
	}
	return o.s.GetSBlock(name)
}

// refusedBy names the primitive of a refusal that a look-up gave.
func refusedBy(err error, k *schedule.Kind) error {
	if e, ok := err.(*schedule.Error); ok {
		again := *e
		again.Primitive = k.Method()
		return &again
	}
	return err
}

// values are what one slot gets, several for a slot that repeats.
func (c *call) values(s schedule.Slot) ([]any, error) {
	b := c.vals[c.kind.ParamOf(s)]
	if !s.Many {
		v, err := c.value(s, b.Arg)
		return []any{v}, err
	}
	args := b.rest
	if list, ok := b.Value.([]any); ok {
		for _, v := range list {
			args = append(args, b.With(v))
		}
	} else if b.rest == nil {
		return nil, b.Errorf("%s of %s is a list, this is %s", s.Name, c.kind.Method(), describe(b.Value))
	}
	out := make([]any, len(args))
	for i, a := range args {
		var err error
		if out[i], err = c.value(s, a); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decision is the decision that a sampling method was given, nil for none.
func (c *call) decision() (any, error) {
	b, ok := c.vals["decision"]
	if !ok || b.Value == nil {
		return nil, nil
	}
	if n, ok := integer(b.Value); ok && c.kind.Decision == schedule.IntDecision {
		return n, nil
	}
	list, ok := b.Value.([]any)
	if ok && c.kind.Decision == schedule.IntsDecision {
		out := make([]int64, len(list))
		for i, v := range list {
			if out[i], ok = integer(v); !ok {
				return nil, b.Errorf("a decision of %s holds integers, not %s", c.kind.Method(), describe(v))
			}
		}
		return out, nil
	}
	return nil, b.Errorf("%s is no decision of %s", describe(b.Value), c.kind.Method())
}

// indexType is the type of the variables of an index map: that of the block's
// first iterator, else of its first region, else int64.
func (c *call) indexType() dtype.DType {
	if c.block == nil {
		return dtype.Int64
	}
	for _, it := range c.block.Iters {
		return it.Var.Type
	}
	for _, rs := range [][]tir.Region{c.block.Reads, c.block.Writes} {
		for _, r := range rs {
			for _, x := range r.Ranges {
				return x.Min.DType()
			}
		}
	}
	return dtype.Int64
}

var _ tvmscript.Object = (*object)(nil)
