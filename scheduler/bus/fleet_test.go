package bus

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hone/api"
	"hone/db/dbtest"
	"hone/db/sqlitestore"
	"hone/db/store"
	"hone/internal/wire"
	"hone/scheduler"
	"hone/scheduler/schedtest"
)

// serve is an agent that works until its link breaks.
func serve(t *testing.T, l *link, fleet *schedtest.Fleet, boot string) {
	for {
		select {
		case <-l.stop:
			return
		default:
		}
		h, ok := l.Pull(200 * time.Millisecond)
		if !ok {
			continue
		}
		w, err := wire.DecodeWork(h.Body)
		if err != nil {
			t.Error(err)
			return
		}
		r := wire.Result{Work: w.Work, Attempt: w.Attempt, Nonce: w.Nonce, Agent: l.id, Device: "d", Boot: boot, Deliveries: h.Deliveries}
		if err := fleet.Do(w, &r); err != nil {
			t.Error(err)
			return
		}
		body, err := wire.EncodeResult(r)
		if err != nil {
			t.Error(err)
			return
		}
		if l.Result(h, body) == nil {
			_ = l.Ack(h) // lost, it is measured again and counted once
		}
	}
}

// life is one run of the whole: broker, bus, coordinator, two agents.
func life(t *testing.T, dir string, st store.Store, fleet *schedtest.Fleet, f func(*scheduler.Coordinator)) {
	t.Helper()
	s, err := Start(ServerConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	b, err := Open(t.Context(), Config{Server: s, AckWait: testAckWait, PresenceTTL: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c, err := scheduler.New(scheduler.Config{Store: st, Bus: b, OpenDriver: schedtest.OpenDriver, Owner: "local", AckWait: testAckWait, FreshBus: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := c.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	builder, device := join(t, s, "b1", schedtest.BuildPool), join(t, s, "d1", schedtest.DevicePool)
	wg.Go(func() { serve(t, builder, fleet, "boot-b") })
	wg.Go(func() { serve(t, device, fleet, "boot-d") })
	f(c)
	builder.Break()
	device.Break()
	cancel()
	wg.Wait()
}

// A job over a real broker, interrupted twice with the broker's state thrown
// away, ends with its exact budget.
func TestJobOverTheBroker(t *testing.T) {
	dir := t.TempDir()
	st, err := sqlitestore.Open(t.Context(), filepath.Join(dir, "x.db"), sqlitestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	fleet := schedtest.NewFleet()
	n := api.NewJob{Name: "m", Seed: 5, TrialBudget: 60, ResumeKey: "m", Spec: []byte(`{"batch": 12}`), Tasks: []api.NewTask{{Name: "matmul", Weight: 1,
		Workload: api.Workload{Hash: "h", Name: "matmul", Text: "f"}, Toolchain: api.Toolchain{Triple: "x86_64-linux-gnu", Compiler: "gcc"},
		Target: api.Target{Key: "k", Kind: "cpu", ISA: "x86_64", UArch: "zen3", Model: "box", Threads: 1}}}}
	var id string
	interrupted := errors.New("interrupted")
	for _, stopAfter := range []int{15, 15, 1 << 20} {
		life(t, dir, st, fleet, func(c *scheduler.Coordinator) {
			j, created, err := c.CreateJob(t.Context(), n)
			if err != nil || created != (id == "") {
				t.Errorf("created %v, %v", created, err)
				return
			}
			id = j.ID
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err = scheduler.Follow(ctx, c, c.Clock, id, j.LastEvent, func(e api.Event) error {
				if e.Kind == api.EventTrialClosed {
					stopAfter--
				}
				if stopAfter <= 0 {
					return interrupted
				}
				return nil
			})
			if err != nil && !errors.Is(err, interrupted) {
				t.Error(err)
			}
		})
	}
	dbtest.Conserved(t, st, id)
	j, err := st.Job(t.Context(), id)
	if err != nil || j.State != store.JobDone || j.Charged != 60 {
		t.Fatalf("job %s with %d trials charged, %v", j.State, j.Charged, err)
	}
	if _, err := st.Champion(t.Context(), store.LocalProject, "h", "k"); err != nil {
		t.Fatal(err)
	}
}
