package rule

import "hone/compiler/schedule"

type inlineConstantScalars struct{}

// InlineConstantScalars computes scalars that depend on nothing where they are
// read: the constants that importers leave as blocks of their own.
func InlineConstantScalars() Rule { return inlineConstantScalars{} }

func (inlineConstantScalars) Name() string { return "inline_constant_scalars" }

func (inlineConstantScalars) Apply(s *schedule.Schedule, b schedule.BlockRV, _ *Context) ([]*schedule.Schedule, error) {
	scope, i, err := s.ScopeOf(b)
	if err != nil || scope == nil {
		return []*schedule.Schedule{s}, err
	}
	blk := scope.Children[i].Block()
	if len(blk.Reads) > 0 || len(blk.Writes) != 1 || len(blk.Writes[0].Buffer.Shape) > 0 || scope.IsOutput(i) {
		return only(s)
	}
	inlined, ok, err := try(s, func(c *schedule.Schedule) error { return c.ComputeInline(b) })
	if err != nil || !ok {
		return []*schedule.Schedule{s}, err
	}
	return only(inlined)
}
