package schedtest

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"testing"
	"time"

	"hone/scheduler"
)

// Rig is a bus under test, with the agents' side of it.
type Rig struct {
	Bus scheduler.Bus
	// Join connects an agent that takes items from pools and says so.
	Join func(t *testing.T, id string, pools ...string) Link
	// AckWait is how long the bus waits for a holder's sign of life; Pass lets
	// time pass.
	AckWait time.Duration
	Pass    func(time.Duration)
}

// Link is an agent's connection.
type Link interface {
	// Pull takes an item, waiting up to wait.
	Pull(wait time.Duration) (Held, bool)
	// InProgress is a sign of life for an item in hand.
	InProgress(h Held) error
	// Result publishes a result for an item in hand.
	Result(h Held, body []byte) error
	// Ack lets go of an item.
	Ack(h Held) error
	// Break cuts the connection without a word.
	Break()
}

// RunBus runs the conformance suite of buses.
func RunBus(t *testing.T, open func(t *testing.T) Rig) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Rig)
	}{
		{"items reach one agent of their pool", busDelivers}, {"an address holds one item", busRefusesDuplicates}, {"an item unheld comes again", busRedelivers},
		{"a sign of life keeps an item", busKeepsLease}, {"purge", busPurges}, {"results come until acknowledged", busResults},
		{"results of many jobs", busManyJobs}, {"agents", busAgents}, {"one database", busOneCluster},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, open(t))
		})
	}
}

const (
	poolA = "d-cpu-x86_64-zen3-a"
	poolB = "d-cpu-x86_64-zen3-b"
)

func addr(pool string, n int) scheduler.Address {
	return scheduler.Address{Pool: pool, Job: "job1", Work: fmt.Sprint("work", n), Attempt: 1}
}

func (r Rig) publish(t *testing.T, a scheduler.Address) {
	t.Helper()
	check(t, r.Bus.EnsurePool(t.Context(), a.Pool))
	check(t, r.Bus.Publish(t.Context(), a, []byte(a.Work)))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (r Rig) has(t *testing.T, a scheduler.Address, want bool) {
	t.Helper()
	got, err := r.Bus.Has(t.Context(), a)
	check(t, err)
	if got != want {
		t.Fatalf("Has(%v) = %v, want %v", a, got, want)
	}
}

func mustPull(t *testing.T, l Link) Held {
	t.Helper()
	h, ok := l.Pull(2 * time.Second)
	if !ok {
		t.Fatal("no item came")
	}
	return h
}

func noPull(t *testing.T, l Link) {
	t.Helper()
	if h, ok := l.Pull(50 * time.Millisecond); ok {
		t.Fatalf("item %v came", h.Address)
	}
}

func busDelivers(t *testing.T, r Rig) {
	r.publish(t, addr(poolA, 1))
	r.publish(t, addr(poolA, 2))
	a1, a2, b := r.Join(t, "a1", poolA), r.Join(t, "a2", poolA), r.Join(t, "b1", poolB)
	check(t, r.Bus.EnsurePool(t.Context(), poolB))
	noPull(t, b)
	x, y := mustPull(t, a1), mustPull(t, a2)
	if x.Address == y.Address || string(x.Body) != x.Work || x.Deliveries != 1 {
		t.Fatalf("got %+v and %+v", x, y)
	}
	noPull(t, a1)
	r.has(t, x.Address, true) // held
	check(t, a1.Ack(x))
	r.has(t, x.Address, false)
	check(t, a2.Ack(y))
}

func busRefusesDuplicates(t *testing.T, r Rig) {
	a := addr(poolA, 1)
	r.publish(t, a)
	r.publish(t, a)
	l := r.Join(t, "a1", poolA)
	h := mustPull(t, l)
	r.publish(t, a) // while it is held
	noPull(t, l)
	next := a
	next.Attempt = 2
	r.publish(t, next)
	if got := mustPull(t, l); got.Address != next {
		t.Fatalf("got %v", got.Address)
	}
	check(t, l.Ack(h))
}

func busRedelivers(t *testing.T, r Rig) {
	a := addr(poolA, 1)
	r.publish(t, a)
	dead, alive := r.Join(t, "a1", poolA), r.Join(t, "a2", poolA)
	mustPull(t, dead)
	dead.Break()
	noPull(t, alive)
	for n := 2; n <= 8; n++ { // far beyond any limit of deliveries
		r.Pass(r.AckWait + 50*time.Millisecond)
		h := mustPull(t, alive)
		if h.Address != a || h.Deliveries != n {
			t.Fatalf("delivery %d: got %+v", n, h)
		}
		if n == 8 {
			check(t, alive.Ack(h))
		}
	}
	r.has(t, a, false)
}

func busKeepsLease(t *testing.T, r Rig) {
	a := addr(poolA, 1)
	r.publish(t, a)
	worker, idle := r.Join(t, "a1", poolA), r.Join(t, "a2", poolA)
	h := mustPull(t, worker)
	for range 4 {
		r.Pass(r.AckWait / 2)
		check(t, worker.InProgress(h))
	}
	noPull(t, idle)
	check(t, worker.Ack(h))
	r.Pass(r.AckWait)
	noPull(t, idle)
}

func busPurges(t *testing.T, r Rig) {
	one, two := addr(poolA, 1), addr(poolA, 2)
	other := scheduler.Address{Pool: poolB, Job: "job2", Work: "work3", Attempt: 1}
	for _, a := range []scheduler.Address{one, two, other} {
		r.publish(t, a)
	}
	l := r.Join(t, "a1", poolA)
	held := mustPull(t, l)
	check(t, r.Bus.Purge(t.Context(), held.Address))
	r.has(t, held.Address, false)
	check(t, l.Ack(held)) // its holder notices nothing
	r.publish(t, held.Address)
	check(t, r.Bus.PurgeJob(t.Context(), "job1"))
	check(t, r.Bus.PurgeJob(t.Context(), "job1"))
	check(t, r.Bus.Purge(t.Context(), one))
	r.has(t, one, false)
	r.has(t, two, false)
	r.has(t, other, true)
	noPull(t, l)
	check(t, r.Bus.CancelJob(t.Context(), "job1"))
}

// receive collects n results, or fails.
func (r Rig) receive(t *testing.T, n int) []scheduler.Delivery {
	t.Helper()
	var out []scheduler.Delivery
	for try := 0; len(out) < n && try < 40; try++ {
		ds, err := r.Bus.Receive(t.Context(), n-len(out), 100*time.Millisecond)
		check(t, err)
		out = append(out, ds...)
	}
	if len(out) != n {
		t.Fatalf("%d results came, want %d", len(out), n)
	}
	return out
}

func (r Rig) backlog(t *testing.T, want int) {
	t.Helper()
	n, err := r.Bus.Backlog(t.Context())
	check(t, err)
	if n != want {
		t.Fatalf("backlog %d, want %d", n, want)
	}
}

func busResults(t *testing.T, r Rig) {
	a := addr(poolA, 1)
	r.publish(t, a)
	l := r.Join(t, "a1", poolA)
	h := mustPull(t, l)
	check(t, l.Result(h, []byte("first")))
	check(t, l.Ack(h))
	r.backlog(t, 1)
	d := r.receive(t, 1)[0]
	if d.Agent() != "a1" || string(d.Data()) != "first" {
		t.Fatalf("got %s from %s", d.Data(), d.Agent())
	}
	check(t, d.Later(t.Context(), 10*time.Millisecond))
	r.Pass(20 * time.Millisecond)
	d = r.receive(t, 1)[0]
	r.backlog(t, 1)
	check(t, d.Ack(t.Context()))
	r.backlog(t, 0)
	if ds, err := r.Bus.Receive(t.Context(), 1, 50*time.Millisecond); err != nil || len(ds) != 0 {
		t.Fatalf("%d results after the last, %v", len(ds), err)
	}
}

// busManyJobs: results of all shards arrive.
func busManyJobs(t *testing.T, r Rig) {
	l := r.Join(t, "a1", poolA)
	const n = 40
	var want, got []string
	for i := range n {
		a := scheduler.Address{Pool: poolA, Job: fmt.Sprint("job", i), Work: fmt.Sprint("w", i), Attempt: 1}
		r.publish(t, a)
		h := mustPull(t, l)
		check(t, l.Result(h, []byte(a.Work)))
		check(t, l.Ack(h))
		want = append(want, a.Work)
	}
	for _, d := range r.receive(t, n) {
		got = append(got, string(d.Data()))
		check(t, d.Ack(t.Context()))
	}
	sort.Strings(want)
	sort.Strings(got)
	if !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	r.backlog(t, 0)
}

// busOneCluster: the first database that claims a bus has it.
func busOneCluster(t *testing.T, r Rig) {
	check(t, r.Bus.Claim(t.Context(), "one"))
	check(t, r.Bus.Claim(t.Context(), "one"))
	if r.Bus.Claim(t.Context(), "two") == nil {
		t.Fatal("a second database claimed the bus")
	}
}

func busAgents(t *testing.T, r Rig) {
	ids := func() (out []string) {
		as, err := r.Bus.Agents(t.Context())
		check(t, err)
		for _, a := range as {
			out = append(out, fmt.Sprint(a.ID, a.Pools))
		}
		sort.Strings(out)
		return out
	}
	if got := ids(); len(got) != 0 {
		t.Fatalf("agents before any came: %v", got)
	}
	r.Join(t, "a1", poolA)
	b := r.Join(t, "b1", poolA, poolB)
	want := []string{fmt.Sprint("a1", []string{poolA}), fmt.Sprint("b1", []string{poolA, poolB})}
	eventually(t, r, func() bool { return slices.Equal(ids(), want) })
	b.Break()
	eventually(t, r, func() bool { return slices.Equal(ids(), want[:1]) })
}

// eventually waits for what a bus learns a little later.
func eventually(t *testing.T, r Rig, f func() bool) {
	t.Helper()
	for range 100 {
		if f() {
			return
		}
		r.Pass(50 * time.Millisecond)
	}
	t.Fatal("it never came to be")
}

// background is the context of steps without one.
var background = context.Background()
