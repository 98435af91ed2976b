package rule

import (
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// InlineOptions bound what AutoInline inlines.
type InlineOptions struct {
	IntoProducer       bool // a block may join its only producer
	IntoConsumer       bool // a block may be computed where it is read
	InlineConstTensor  bool // a block without reads always may
	DisallowIfThenElse bool // no conditional values
	RequireInjective   bool // no element is read for several results
	RequireOrdered     bool // reads follow the order of the writes
	DisallowOp         []string
}

type autoInline struct{ o InlineOptions }

// AutoInline inlines elementwise blocks into their consumers or producers. In
// a function without reductions the three bounds on
// what a block computes are waived.
func AutoInline(o InlineOptions) Rule { return autoInline{o} }

func (autoInline) Name() string { return "auto_inline" }

func (r autoInline) Apply(s *schedule.Schedule, b schedule.BlockRV, _ *Context) ([]*schedule.Schedule, error) {
	scope, i, err := s.ScopeOf(b)
	if err != nil || scope == nil || len(scope.Children[i].Block().Writes) != 1 {
		return []*schedule.Schedule{s}, err
	}
	consumed := len(scope.Consumers(i)) > 0
	allowed := r.allows(s, &scope.Children[i])
	constant := r.o.InlineConstTensor && len(scope.Children[i].Block().Reads) == 0
	if consumed && (constant || allowed && r.o.IntoConsumer) {
		c, ok, err := try(s, func(c *schedule.Schedule) error { return c.ComputeInline(b) })
		if err != nil || ok {
			return []*schedule.Schedule{c}, err
		}
	}
	if allowed && r.o.IntoProducer && joinsProducer(scope, i) {
		c, ok, err := try(s, func(c *schedule.Schedule) error { return c.ReverseComputeInline(b) })
		if err != nil || ok {
			return []*schedule.Schedule{c}, err
		}
	}
	return only(s)
}

// allows reports whether what a block computes may be inlined.
func (r autoInline) allows(s *schedule.Schedule, c *analysis.Child) bool {
	b := c.Block()
	if v, ok := b.Ann.Get(schedule.KeyInlineRule); ok && v == "disable" {
		return false
	}
	if analysis.IsSpatial(s.Func()) {
		return true
	}
	if r.usesDisallowed(c.Realize) || r.o.DisallowIfThenElse && analysis.HasIfThenElse(c.Realize) {
		return false
	}
	for _, rd := range b.Reads {
		p := analysis.AnalyzeReadWritePattern(rd, b.Writes[0])
		if r.o.RequireInjective && !p.Injective || r.o.RequireOrdered && !p.Ordered {
			return false
		}
	}
	return true
}

func (r autoInline) usesDisallowed(x *tir.BlockRealize) bool {
	found := false
	tir.WalkExprs(x, func(e tir.Expr) bool {
		if call, ok := e.(*tir.Call); ok && slices.Contains(r.o.DisallowOp, call.Op) {
			found = true
		}
		return !found
	})
	return found
}

// joinsProducer reports whether a block has one producer, a complete block that
// is not to be tensorised.
func joinsProducer(scope *analysis.Scope, i int) bool {
	ps := scope.Producers(i)
	if len(ps) != 1 || !scope.IsComplete(ps[0]) {
		return false
	}
	_, tensorized := scope.Children[ps[0]].Block().Ann.Get(schedule.KeyAutoTensorize)
	return !tensorized
}
