package rpcrunner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"hone/internal/wire"
	"hone/rpcrunner/bench"
	"hone/rpcrunner/executor"
)

// doMeasure serves measure and race items; it builds first when the item brings a source
// instead of an artifact.
func (w *Worker) doMeasure(ctx context.Context, item *wire.Work, r *wire.Result) {
	blobs := make([]*wire.Blob, len(item.Entries))
	for i := range blobs {
		blobs[i] = item.Artifact
		if a := item.Entries[i].Artifact; a != nil {
			blobs[i] = a
		}
		r.Entries = append(r.Entries, wire.EntryResult{Trial: item.Entries[i].Trial, Code: wire.OK})
	}
	if item.Artifact == nil && item.Source != nil {
		r.Entries = nil
		var ok bool
		if blobs, ok = w.buildItem(ctx, item, r); !ok {
			return
		}
	}
	if err := w.takeDevice(ctx); err != nil {
		m := measurement{r: r}
		m.failOpen(interrupted(ctx), errors.New("waiting for the device"))
		return
	}
	defer w.leaveDevice()
	start := time.Now()
	defer func() { r.Clocks.Run = ms(start) }()
	w.page.Forget()
	if err := w.journal.begin(item, w.boot); err != nil {
		*r = failAll(*r, item, wire.InfraDisk, err.Error())
		return
	}
	m := &measurement{w: w, item: item, blobs: blobs, r: r}
	m.run(ctx)
	w.page.Forget()
	if err := w.journal.end(); err != nil && r.Detail == "" {
		r.Detail = err.Error()
	}
}

// measurement is one measure or race item in progress.
type measurement struct {
	w     *Worker
	item  *wire.Work
	blobs []*wire.Blob // image of each entry, nil when it has none
	r     *wire.Result
	s     *session
	refs  []float64

	operands *operandSet
}

// run measures everything, and once more when the device drifted meanwhile.
func (m *measurement) run(ctx context.Context) {
	var err error
	if m.operands, err = m.w.cached.use(m.item); err != nil {
		m.failOpen(wire.DeviceMemory, err)
		return
	}
	built := slices.Clone(m.r.Entries)
	for try := 0; ; try++ {
		m.r.Entries = slices.Clone(built)
		m.refs = nil
		m.s = m.newSession()
		m.pass(ctx)
		m.s.close()
		m.r.Conditions.Executors += m.s.started
		drift := bench.Drift(m.refs)
		m.r.Conditions.Drift, m.r.Conditions.ReferenceNS = drift, m.refs
		if drift <= m.w.cfg.Bench.MaxDrift || ctx.Err() != nil {
			break
		}
		if try == 1 {
			if drift > m.w.cfg.Bench.GiveUpDrift {
				m.unsteady(drift)
			}
			break
		}
		m.r.Conditions.Remeasured++
	}
	m.conditions()
	m.observeHealth()
	m.w.noteDevice(&m.r.Conditions)
}

func (m *measurement) newSession() *session {
	s := &session{w: m.w, item: m.item, operands: m.operands, sealed: map[string]*executor.Sealed{}, own: m.item.Artifact, copies: 1}
	if s.own == nil {
		for _, b := range m.blobs { // the reference is in every part of a unit that was split
			if b != nil && m.item.Source != nil {
				s.own = b
				break
			}
		}
	}
	if m.item.Cold {
		s.copies = coldCopies(m.item, lastLevelCache(m.firstCPU()))
	}
	return s
}

func (m *measurement) firstCPU() int {
	if len(m.w.cpus) == 0 {
		return 0
	}
	return m.w.cpus[0]
}

// coldCopies is how many copies of its constants a kernel rotates over: together at least
// twice the last-level cache.
func coldCopies(item *wire.Work, cache int64) int {
	weights := int64(0)
	for i := range item.Args {
		if item.Args[i].Role == wire.RoleWeight {
			weights += item.Args[i].Bytes()
		}
	}
	if weights == 0 {
		return 1
	}
	return int(min(executor.MaxCopies, max(2, (2*cache+weights-1)/weights)))
}

// pass measures all entries that have an image.
func (m *measurement) pass(ctx context.Context) {
	if !slices.ContainsFunc(m.r.Entries, func(e wire.EntryResult) bool { return e.Code == wire.OK }) {
		return // nothing was built
	}
	if err := m.s.ensure(ctx); err != nil {
		m.setupError(ctx, err)
		return
	}
	m.reference(ctx)
	for i := range m.item.Entries {
		if m.r.Entries[i].Code == wire.OK && !m.entry(ctx, i) {
			return
		}
	}
	if m.item.Kind == wire.KindRace {
		m.race(ctx)
	}
	m.reference(ctx)
}

// setupError gives all entries that are not closed yet the code of a device that could not
// be made ready.
func (m *measurement) setupError(ctx context.Context, err error) {
	var ce *contextError
	switch {
	case ctx.Err() != nil:
		m.failOpen(interrupted(ctx), err)
	case errors.As(err, &ce):
		m.failOpen(ce.code, err)
	default:
		m.failOpen(wire.DeviceExecutor, err)
	}
}

// failOpen closes every entry that was not measured.
func (m *measurement) failOpen(code wire.Code, err error) {
	open := 0
	for i := range m.r.Entries {
		e := &m.r.Entries[i]
		if e.Code == wire.OK && e.Stage == 0 {
			e.Code, e.Detail = code, err.Error()
			open++
		}
	}
	if open == len(m.r.Entries) {
		m.r.Code, m.r.Detail = code, err.Error()
	}
}

// unsteady takes back every time: the device changed its speed twice while they were taken.
func (m *measurement) unsteady(drift float64) {
	for i := range m.r.Entries {
		if e := &m.r.Entries[i]; e.Code == wire.OK {
			*e = wire.EntryResult{Trial: e.Trial, Code: wire.DeviceUnstable, Artifact: e.Artifact, Detail: fmt.Sprintf("the reference kernel changed by %.0f %% during the item", 100*drift)}
		}
	}
}

// A reference time takes a tenth of a millisecond: a neighbour's turn on the processor
// covers it, and is over after a few. A device that changed its speed is as slow at every
// look.
const (
	referenceLooks = 4
	referencePause = 4 * time.Millisecond
)

// reference times the reference kernel; a child that cannot even do that is dropped.
func (m *measurement) reference(ctx context.Context) {
	if m.s.p == nil && m.s.ensure(ctx) != nil {
		return
	}
	usual := m.w.health.Usual()
	if len(m.refs) > 0 {
		usual = m.refs[len(m.refs)-1]
	}
	best, off := 0.0, math.Inf(1) // the time nearest to the usual one
	for look := 0; look < referenceLooks && off > m.w.cfg.Bench.MaxDrift && ctx.Err() == nil; look++ {
		if look > 0 {
			time.Sleep(referencePause)
		}
		ns, err := m.s.p.Reference(ctx)
		m.w.touch()
		if err != nil {
			m.s.drop()
			return
		}
		if d := bench.Drift([]float64{usual, ns}); look == 0 || d < off {
			best, off = ns, d
		}
	}
	m.refs = append(m.refs, best)
	m.r.Conditions.Sandbox, m.r.Conditions.SandboxLacks = m.s.p.Report().Applied, m.s.p.Report().Lacks
}

// conditions describe the device for the result.
func (m *measurement) conditions() {
	c := &m.r.Conditions
	c.CPU = m.s.cpu
	c.ClockMHz, c.Load1, c.TempC = clockMHz(c.CPU), load1(), temperature()
	c.Timer, c.Mode = "thread_cpu", "warm"
	if m.item.Threads > 1 {
		c.Timer = "wall"
	}
	if m.s.copies > 1 {
		c.Mode = "cold x" + strconv.Itoa(m.s.copies)
	}
}

// observeHealth compares the device with its own history. The evidence travels with the
// result: only the coordinator sees whether other devices pass the same candidates, so
// quarantine is its decision.
func (m *measurement) observeHealth() {
	suspect := func(err error) {
		if err != nil {
			m.r.Conditions.Suspect = err.Error()
		}
	}
	for _, ns := range m.refs {
		suspect(m.w.health.Reference(ns))
	}
	for i := range m.r.Entries {
		if e := &m.r.Entries[i]; e.Stage > 0 || e.Code.Class() == "candidate" {
			suspect(m.w.health.Candidate(e.Code == wire.OK))
		}
	}
}
