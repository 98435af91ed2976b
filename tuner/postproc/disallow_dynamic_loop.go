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
		tir.WalkStmt(s.Func().Body, func(x tir.Stmt) bool {
			if l, ok := x.(*tir.For); ok {
				if _, ok := tir.AsInt(l.Extent); !ok && err == nil {
					err = &Rejected{name, fmt.Sprintf("loop %s has the extent %s", l.Var.Name, tir.ExprString(l.Extent))}
				}
			}
			return err == nil
		})
		return err
	}}
}
