package live

import (
	"fmt"
	"strings"
	"time"
)

// Summary is what a command says when its job has ended or was interrupted;
// wall is the time of the command.
func Summary(p *Progress, wall time.Duration) string {
	var b strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s "+format+"\n", append([]any{what}, args...)...)
	}
	switch u, t := p.Untuned(), p.Tuned(); {
	case t > 0 && !p.Ended():
		line("model", "%s untuned; %s if the best of each task wins its race, which comes last", Time(u), Time(t))
	case t > 0:
		line("model", "%s untuned, %s tuned: %s", Time(u), Time(t), Gain(u, t))
	default:
		line("model", "not every task has a time yet")
	}
	line("champions", "%d of %d tasks promoted", p.Champions, len(p.Tasks))
	failed := "none failed"
	if n := p.FailedTrials(); n > 0 {
		failed = fmt.Sprintf("%d failed (%s)", n, p.Failures())
	}
	line("trials", "%d spent, %d right, %s", p.Charged, p.OK, failed)
	line("time", "%s in all; %.1f s in building, %.1f s in measuring, %.1f s in searching, side by side", Span(wall),
		p.Clocks.Build.Seconds(), p.Clocks.Measure.Seconds(), p.Clocks.Search.Seconds())
	return b.String()
}

// Result is the same for programs: one line of names and values.
func Result(p *Progress, wall time.Duration) string {
	return fmt.Sprintf("RESULT tune job=%s state=%s untuned_ms=%.4f tuned_ms=%.4f ratio=%.3f champions=%d tasks=%d trials=%d ok=%d failed=%d wall_s=%.1f build_s=%.1f measure_s=%.1f search_s=%.1f",
		p.Job.ID, p.State, p.Untuned()/1e6, p.Tuned()/1e6, p.Ratio(), p.Champions, len(p.Tasks), p.Charged, p.OK, p.FailedTrials(),
		wall.Seconds(), p.Clocks.Build.Seconds(), p.Clocks.Measure.Seconds(), p.Clocks.Search.Seconds())
}
