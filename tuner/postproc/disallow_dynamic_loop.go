package postproc

import (
	"fmt"

	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// Rejected is the error of a postprocessor that rejects a candidate.
type Rejected struct{ By, Why string }

// Error implements error.
func (r *Rejected) Error() string { return r.By + ": " + r.Why }

// DisallowDynamicLoop rejects schedules with a loop whose extent is no constant.
func DisallowDynamicLoop() Postproc {
	const name = "disallow_dynamic_loop"
	return fn{name, func(s *schedule.Schedule, _ *target.Target) error {
		var err error
		s.EachLoop(func(l *tir.For) bool {
			if _, ok := tir.AsInt(l.Extent); !ok {
				err = &Rejected{name, fmt.Sprintf("loop %s has the extent %s", l.Var.Name, tir.ExprString(l.Extent))}
			}
			return err == nil
		})
		return err
	}}
}
