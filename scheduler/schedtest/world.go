package schedtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hone/api"
	"hone/db/dbtest"
	"hone/db/sqlitestore"
	"hone/db/store"
	"hone/internal/clock"
	"hone/internal/wire"
	"hone/scheduler"
)

// World is a store, a bus, a coordinator and agents under one clock that
// stands still but for Advance. Everything in it is deterministic.
type World struct {
	T     testing.TB
	Clock *clock.Manual
	Store store.Store
	Bus   *Bus
	// Coordinator is the one alive; Flaky is the store as it sees it.
	Coordinator *scheduler.Coordinator
	Flaky       *Flaky
	// PerTrial is how long agents take for a trial.
	PerTrial time.Duration
	// Poison says which candidates kill agents.
	Poison func(x int) bool
	// Log receives what happens, for those who read.
	Log []string

	fleet    *Fleet
	lives    int
	agents   map[string]*agent
	jobs     map[string]string // name → id
	closed   map[string]bool   // trials seen closed
	seen     map[string]int64  // job → results seen
	stale    int               // trials sent after they were seen closed
	nextLook time.Time         // of the reconciler
	dieAt    []Death
}

// Death is how a life of the coordinator ends: at a write, before or after the
// commit.
type Death struct {
	Write int
	After bool
}

// AckWait of the simulated bus.
const AckWait = 30 * time.Second

// Start of the simulated time.
var Start = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// NewWorld returns a world with a coordinator and nothing else. Its lives end
// as deaths say, one after another; the last goes on.
func NewWorld(t testing.TB, deaths ...Death) *World {
	w := &World{T: t, Clock: clock.NewManual(Start), PerTrial: 2 * time.Second, Poison: func(int) bool { return false },
		fleet: NewFleet(), agents: map[string]*agent{}, jobs: map[string]string{}, closed: map[string]bool{}, seen: map[string]int64{}, dieAt: deaths}
	s, err := sqlitestore.Open(background, filepath.Join(t.TempDir(), "world.db"), sqlitestore.Options{Clock: w.Clock, NoSync: true})
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	w.Store = s
	w.Bus = NewBus(w.Clock, AckWait)
	w.Reboot()
	return w
}

func (w *World) fail(format string, args ...any) {
	w.T.Helper()
	w.T.Errorf(format, args...)
}

func (w *World) logf(format string, args ...any) {
	w.Log = append(w.Log, fmt.Sprintf("%6.0fs ", w.Clock.Now().Sub(Start).Seconds())+fmt.Sprintf(format, args...))
}

// Reboot starts a coordinator in the place of the one there was, of which
// nothing is left but what it wrote.
func (w *World) Reboot() {
	w.lives++
	var d Death
	if w.lives <= len(w.dieAt) {
		d = w.dieAt[w.lives-1]
	}
	w.Flaky = NewFlaky(w.Store, d.Write, d.After)
	c, err := scheduler.New(scheduler.Config{Store: w.Flaky, Bus: w.Bus, Clock: w.Clock, OpenDriver: OpenDriver, Owner: "coordinator", AckWait: AckWait})
	check(w.T, err)
	w.Coordinator = c
}

// Submit creates a job with tasks of its own workloads.
func (w *World) Submit(name string, n api.NewJob, tasks int, spec Spec) {
	n.Name, n.Spec, n.ResumeKey = name, mustJSON(spec), name
	n.IdempotencyKey = name
	target := api.Target{Key: "cpu/x86_64/zen3/box/1", Version: 1, Kind: "cpu", ISA: "x86_64", UArch: "zen3", Model: "box", Threads: 1}
	for i := range tasks {
		wl := fmt.Sprintf("%s-%d", name, i)
		n.Tasks = append(n.Tasks, api.NewTask{Name: wl, Workload: api.Workload{Hash: "h-" + wl, Name: wl, Text: "func " + wl}, Target: target, Weight: 1,
			Toolchain: api.Toolchain{Triple: "x86_64-linux-gnu", Compiler: "gcc"}})
	}
	for {
		j, _, err := w.Coordinator.CreateJob(background, n)
		if w.Flaky.Dead() {
			w.Reboot() // the client tries again
			continue
		}
		check(w.T, err)
		w.jobs[name] = j.ID
		return
	}
}

// Job returns a job by its name.
func (w *World) Job(name string) store.Job {
	j, err := w.Store.Job(background, w.jobs[name])
	check(w.T, err)
	return j
}

// Pools of simulated jobs.
const (
	BuildPool  = "b-x86_64_linux_gnu-gcc"
	DevicePool = "d-cpu-x86_64-zen3-box"
)

// AddAgent connects an agent.
func (w *World) AddAgent(id string, pools ...string) {
	a := &agent{w: w, id: id, pools: pools}
	w.agents[id] = a
	a.join()
}

// Crash ends an agent's life, without evidence of why.
func (w *World) Crash(id string) { w.agents[id].crash("") }

// Restart begins an agent's next life.
func (w *World) Restart(id string) { w.agents[id].restart() }

// Hang lets an agent hold what it has, without a sign of life.
func (w *World) Hang(id string) { w.agents[id].hung = true }

// Drop lets so many messages get lost: items on their way in, acknowledgements
// of items, acknowledgements of results.
func (w *World) Drop(publish, acks, resultAcks int) {
	w.Bus.dropPublish += publish
	w.Bus.dropAcks += acks
	w.Bus.dropResultAcks += resultAcks
}

// BusDown cuts everybody off from the bus, or lets them in again.
func (w *World) BusDown(down bool) { w.Bus.down = down }

// LoseArtifacts empties all caches.
func (w *World) LoseArtifacts() { w.fleet.Forget() }

// Advance lets time pass, second by second.
func (w *World) Advance(d time.Duration) {
	for end := w.Clock.Now().Add(d); w.Clock.Now().Before(end); {
		w.Clock.Advance(time.Second)
		w.turn()
	}
}

// turn is one second of everybody's work.
func (w *World) turn() {
	w.do(w.Coordinator.StepJobs)
	w.do(w.Coordinator.StepDispatch)
	for _, id := range slices.Sorted(maps.Keys(w.agents)) {
		w.agents[id].step()
	}
	w.do(func(ctx context.Context) error {
		_, err := w.Coordinator.StepResults(ctx, 0)
		return err
	})
	if !w.Clock.Now().Before(w.nextLook) {
		w.nextLook = w.Clock.Now().Add(10 * time.Second)
		w.do(w.Coordinator.StepReconcile)
	}
	w.look()
}

// do runs a step of the coordinator. When it dies another takes its place.
func (w *World) do(step func(context.Context) error) {
	err := step(background)
	if w.Flaky.Dead() {
		w.logf("the coordinator dies at write %d", w.Flaky.Writes())
		w.Reboot()
		return
	}
	if err != nil && !errors.Is(err, errDown) {
		w.fail("a step failed: %v", err)
	}
}

// look notes which trials are closed by now.
func (w *World) look() {
	for _, id := range w.jobs {
		rs, err := w.Store.Results(background, id, w.seen[id], 0)
		check(w.T, err)
		for _, r := range rs {
			w.closed[scheduler.TrialName(r.Trial.ID)] = true
			w.seen[id] = r.Trial.Order
		}
	}
}

// Stabilize ends all faults and lets time pass until every job has ended, but
// no longer than limit.
func (w *World) Stabilize(limit time.Duration) {
	w.Bus.down = false
	w.Bus.dropPublish, w.Bus.dropAcks, w.Bus.dropResultAcks = 0, 0, 0
	for end := w.Clock.Now().Add(limit); !w.ended(); w.Advance(time.Second) {
		for _, a := range w.agents {
			if a.dead || a.hung {
				a.restart()
			}
		}
		if w.Clock.Now().After(end) {
			w.fail("jobs have not ended %v after the last fault:\n%s\nbus: %v", limit, w.Show(), w.Bus)
			return
		}
	}
}

func (w *World) ended() bool {
	for name := range w.jobs {
		if s := w.Job(name).State; !s.Ended() && s != store.JobPaused {
			return false
		}
	}
	return true
}

// Show describes the jobs.
func (w *World) Show() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(w.jobs)) {
		j := w.Job(name)
		rs, err := w.Store.Results(background, j.ID, 0, 0)
		check(w.T, err)
		codes := map[string]int{}
		for _, r := range rs {
			codes[string(r.Trial.Kind)+" "+r.Trial.Code]++
		}
		fmt.Fprintf(&b, "%s: %s", name, j.State)
		if j.Reason != "" {
			fmt.Fprintf(&b, " (%s)", j.Reason)
		}
		fmt.Fprintf(&b, ", %d proposed, %d charged, %d open\n", j.Proposed, j.Charged, j.Proposed-j.Closed)
		for _, c := range slices.Sorted(maps.Keys(codes)) {
			fmt.Fprintf(&b, "  %d %s\n", codes[c], c)
		}
	}
	return b.String()
}

// Check checks what must hold at any time: conservation, one acceptance a
// trial, exact budgets, and that each ledger repeats itself.
func (w *World) Check() {
	w.T.Helper()
	for name, id := range w.jobs {
		dbtest.Conserved(w.T, w.Store, id)
		j := w.Job(name)
		if j.TrialBudget > 0 && j.Charged > j.TrialBudget {
			w.fail("job %s has %d trials charged of %d", name, j.Charged, j.TrialBudget)
		}
		charged := int64(0)
		for _, r := range w.Results(name) {
			class := wire.Code(r.Trial.Code).Class()
			counts := r.Trial.Kind == store.Measure && (class == "ok" || class == "candidate")
			if r.Trial.Charged != counts {
				w.fail("job %s: trial %d closed with %s: charged %v", name, r.Trial.Seq, r.Trial.Code, r.Trial.Charged)
			}
			if counts {
				charged++
			}
			if (r.Trial.Record != 0) != (r.Trial.Kind == store.Measure && r.Trial.Code == store.CodeOK) {
				w.fail("job %s: trial %d closed with %s: record %d", name, r.Trial.Seq, r.Trial.Code, r.Trial.Record)
			}
		}
		if charged != j.Charged {
			w.fail("job %s: %d charged, its rows say %d", name, j.Charged, charged)
		}
		if j.State.Ended() && j.Closed != j.Proposed {
			w.fail("job %s has ended with %d trials open", name, j.Proposed-j.Closed)
		}
		w.repeat(name)
	}
}

// Stale is how many trials agents were sent after they were closed: none,
// unless acknowledgements got lost.
func (w *World) Stale() int { return w.stale }

// Results of a job by order of acceptance.
func (w *World) Results(name string) []store.Result {
	rs, err := w.Store.Results(background, w.jobs[name], 0, 0)
	check(w.T, err)
	return rs
}

// Trials of a job by sequence.
func (w *World) Trials(name string) []store.Trial {
	ts, err := w.Store.Trials(background, w.jobs[name], 0, 0)
	check(w.T, err)
	return ts
}

// Traces are the candidates that a job proposed, in order, races left out.
func (w *World) Traces(name string) []Candidate {
	var out []Candidate
	for _, t := range w.Trials(name) {
		if t.Kind != store.Measure {
			continue
		}
		var c Candidate
		check(w.T, json.Unmarshal(t.Trace, &c))
		out = append(out, c)
	}
	return out
}

// repeat holds the conversation with a new driver again, from the ledger
// alone: what it proposes at each point is what was proposed.
func (w *World) repeat(name string) {
	j := w.Job(name)
	tasks, err := w.Store.Tasks(background, j.ID)
	check(w.T, err)
	d, err := OpenDriver(background, j, tasks)
	check(w.T, err)
	trials, results := w.Trials(name), w.Results(name)
	var charged, open int64
	next := 0
	for seen := 0; next < len(trials); seen++ {
		if int64(seen) == trials[next].Seen {
			var got []store.TrialDraft
			if trials[next].Kind == store.Measure {
				room := scheduler.Room{Trials: 1 << 30}
				if j.TrialBudget > 0 {
					room.Trials = int(j.TrialBudget - charged - open)
				}
				got, err = d.Propose(background, room)
				check(w.T, err)
			}
			for i := 0; next < len(trials) && trials[next].Seen == int64(seen); i++ {
				t := trials[next]
				if t.Kind == store.Measure {
					open++
					if i >= len(got) || string(got[i].Trace) != string(t.Trace) || got[i].Task != t.Task {
						w.fail("job %s: trial %d cannot be repeated from the ledger", name, t.Seq)
						return
					}
				}
				check(w.T, d.Admit(t))
				next++
			}
		}
		if seen == len(results) {
			break
		}
		r := results[seen]
		if r.Trial.Kind == store.Measure {
			open--
			if r.Trial.Charged {
				charged++
			}
		}
		check(w.T, d.Observe(r))
	}
	if next != len(trials) {
		w.fail("job %s: %d of %d trials came after more results than there are", name, len(trials)-next, len(trials))
	}
}
