package schedtest

import (
	"fmt"
	"time"

	"hone/internal/wire"
	"hone/scheduler"
)

// agent is a simulated agent: it pulls one item at a time, takes its time, and
// answers what the candidates' points make true.
type agent struct {
	w     *World
	id    string
	pools []string
	boot  int

	dead  bool
	hung  bool
	held  *Held
	ready time.Time // when the item in hand is done
	// died is what its last life died with, until it is reported.
	died *wire.DiedWith
	job  string
}

func (a *agent) bootID() string { return fmt.Sprintf("%s-boot-%d", a.id, a.boot) }

// join says that the agent is there, and reports what it died with.
func (a *agent) join() {
	a.w.Bus.join(scheduler.Agent{ID: a.id, Pools: a.pools})
}

// step is what the agent does in one second.
func (a *agent) step() {
	switch {
	case a.dead:
	case a.died != nil:
		a.report()
	case a.held == nil:
		a.take()
	case a.hung:
	case a.w.Clock.Now().Before(a.ready):
		a.w.Bus.touch(a.id, a.held.Address)
	default:
		a.finish()
	}
}

func (a *agent) take() {
	h, ok := a.w.Bus.pull(a.id, a.pools)
	if !ok {
		return
	}
	w, err := wire.DecodeWork(h.Body)
	if err != nil {
		a.w.fail("agent %s was sent a bad item: %v", a.id, err)
		return
	}
	a.held, a.job = &h, w.Job
	a.ready = a.w.Clock.Now().Add(time.Duration(len(w.Entries)) * a.w.PerTrial)
	a.w.sent(w)
	for _, e := range w.Entries {
		if x, ok := a.w.fleet.point(w, e); ok && w.Kind != wire.KindBuild && a.w.Poison(x) {
			a.w.logf("agent %s dies with trial %s", a.id, e.Trial)
			a.crash(e.Trial)
			return
		}
	}
}

// crash ends the agent's life with what it has in hand.
func (a *agent) crash(trial string) {
	a.dead = true
	a.w.Bus.leave(a.id)
	if a.held == nil {
		return
	}
	w, err := wire.DecodeWork(a.held.Body)
	if err != nil {
		a.w.fail("agent %s holds a bad item: %v", a.id, err)
		return
	}
	if trial != "" {
		a.died = &wire.DiedWith{Work: w.Work, Attempt: w.Attempt, Nonce: w.Nonce, Boot: a.bootID(), Trial: trial, Alone: len(w.Entries) == 1}
	}
	a.held = nil
}

// restart begins a new life.
func (a *agent) restart() {
	a.dead, a.hung = false, false
	a.boot++
	a.join()
}

func (a *agent) report() {
	d := a.died
	r := a.result(wire.Work{Work: d.Work, Attempt: d.Attempt, Nonce: d.Nonce}, 1)
	r.Code, r.DiedWith = wire.DeviceDied, d
	if a.publish(r) {
		a.died = nil
	}
}

func (a *agent) result(w wire.Work, deliveries int) wire.Result {
	return wire.Result{Work: w.Work, Attempt: w.Attempt, Nonce: w.Nonce, Agent: a.id, Device: "dev-" + a.id, Boot: a.bootID(), BuildID: "sim", Deliveries: deliveries}
}

func (a *agent) publish(r wire.Result) bool {
	body, err := wire.EncodeResult(r)
	if err != nil {
		a.w.fail("agent %s answers badly: %v", a.id, err)
		return false
	}
	return a.w.Bus.publishResult(a.id, body)
}

// finish answers the item in hand and lets go of it.
func (a *agent) finish() {
	w, err := wire.DecodeWork(a.held.Body)
	if err != nil {
		a.w.fail("agent %s holds a bad item: %v", a.id, err)
		return
	}
	r := a.result(w, a.held.Deliveries)
	r.Clocks.Run = float64(len(w.Entries)) * a.w.PerTrial.Seconds() * 1000
	if err := a.w.fleet.Do(w, &r); err != nil {
		a.w.fail("agent %s: %v", a.id, err)
	}
	if !a.publish(r) {
		return // it tries again: the item stays in hand
	}
	a.w.Bus.ackItem(a.held.Address)
	a.held = nil
}

// sent checks that no trial goes out again once the world has seen it closed.
func (w *World) sent(item wire.Work) {
	for _, e := range item.Entries {
		if w.closed[e.Trial] {
			w.stale++
		}
	}
}
