package rule

import (
	"fmt"
	"strings"

	"hone/compiler/schedule"
	"hone/internal/registry"
)

// Custom schedules a block that asks for it by name (schedule.KeyScheduleRule).
// It returns the schedules that replace s, like Rule.Apply.
type Custom func(s *schedule.Schedule, b schedule.BlockRV, c *Context) ([]*schedule.Schedule, error)

var customs = registry.New[Custom]("custom rule")

// AddCustom registers a custom rule for a kind of target: "cpu" and the name
// that blocks carry. Call it while the program starts.
func AddCustom(kind, name string, f Custom) { customs.Add(kind+"."+name, f) }

type applyCustomRule struct{}

// ApplyCustomRule hands blocks annotated with the name of a custom rule to it;
// every other rule leaves such blocks alone. A name that is not registered for
// the target is noted and taken off, so that the block is scheduled like any
// other. The name "None" keeps the block from all rules.
func ApplyCustomRule() Rule { return applyCustomRule{} }

func (applyCustomRule) Name() string { return "apply_custom_rule" }

func (applyCustomRule) Apply(s *schedule.Schedule, b schedule.BlockRV, c *Context) ([]*schedule.Schedule, error) {
	name, ok, err := CustomName(s, b)
	if err != nil || !ok || name == "None" {
		return []*schedule.Schedule{s}, err
	}
	if f, err := customs.Lookup(c.Target.Kind + "." + name); err == nil {
		return f(s, b, c)
	}
	r, err := s.BlockOf(b)
	if err != nil {
		return nil, err
	}
	known := customs.Names()
	if len(known) == 0 {
		known = []string{"none"}
	}
	c.Note("block %s asks for the schedule rule %q, which is not known for %s (known: %s): it is scheduled without",
		r.Block.Name, name, c.Target.Kind, strings.Join(known, ", "))
	return []*schedule.Schedule{s}, s.Unannotate(b, schedule.KeyScheduleRule)
}

// CustomName is the name of the custom rule that a block asks for; ok is false
// when it asks for none.
func CustomName(s *schedule.Schedule, b schedule.BlockRV) (name string, ok bool, err error) {
	r, err := s.BlockOf(b)
	if err != nil {
		return "", false, err
	}
	v, ok := r.Block.Ann.Get(schedule.KeyScheduleRule)
	if !ok {
		return "", false, nil
	}
	if name, ok = v.(string); !ok {
		return "", false, fmt.Errorf("block %s: annotation %s is %v, want a name", r.Block.Name, schedule.KeyScheduleRule, v)
	}
	return name, true, nil
}
