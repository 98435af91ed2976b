package rpcrunner

import (
	"context"
	"time"

	"hone/internal/wire"
	"hone/rpcrunner/bench"
)

// Self-test: how long the peak is sought and how often the reference kernel is timed.
const (
	selftestPeak  = 200 * time.Millisecond
	selftestTimes = 5
)

// doSelftest checks that an executor can be started and confined here, that the reference
// kernel runs at a steady speed, and reports the device's peak.
func (w *Worker) doSelftest(ctx context.Context, r *wire.Result) {
	if err := w.takeDevice(ctx); err != nil {
		r.Code, r.Detail = interrupted(ctx), "waiting for the device"
		return
	}
	defer w.leaveDevice()
	start := time.Now()
	defer func() { r.Clocks.Run = ms(start) }()
	fail := func(err error) {
		r.Code, r.Detail = wire.DeviceExecutor, err.Error()
		if ctx.Err() != nil {
			r.Code = interrupted(ctx)
		}
	}
	p, release, err := w.startExecutor(ctx, 1, nil)
	if err != nil {
		fail(err)
		return
	}
	defer release()
	defer p.Close()
	c := &r.Conditions
	c.Sandbox, c.SandboxLacks = p.Report().Applied, p.Report().Lacks
	for range selftestTimes {
		ns, err := p.Reference(ctx)
		if err != nil {
			fail(err)
			return
		}
		c.ReferenceNS = append(c.ReferenceNS, ns)
		w.touch()
	}
	if c.PeakGFLOPS, _, err = p.Peak(ctx, selftestPeak); err != nil {
		fail(err)
		return
	}
	c.Drift = bench.Drift(c.ReferenceNS)
	c.Load1, c.TempC, c.Executors = load1(), temperature(), 1
	if c.Drift > w.cfg.Bench.GiveUpDrift {
		r.Code, r.Detail = wire.DeviceUnstable, "the reference kernel changes its speed from one moment to the next"
		return
	}
	w.noteDevice(c)
	w.health = bench.Health{} // a passed self-test starts a new history
}
