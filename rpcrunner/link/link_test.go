package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"go.uber.org/goleak"

	"hone/internal/wire"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// The embedded server leaves these behind for a moment or for the life of the process.
		goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server.init.0.func1"),
		goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*Server).startGoRoutine.func1"))
}

const testPool = "d-test"

var (
	errCancelled = errors.New("cancelled")
	errDraining  = errors.New("draining")
)

// broker is an embedded server with the streams of the fleet and short leases.
type broker struct {
	t    *testing.T
	opts *server.Options
	srv  *server.Server
	nc   *nats.Conn
	js   jetstream.JetStream
	auth []nats.Option // of the test's own connection
	seed []byte        // of the agent
}

func startBroker(t *testing.T, users ...*server.NkeyUser) *broker {
	t.Helper()
	b := &broker{t: t, opts: &server.Options{Nkeys: users, Host: "127.0.0.1", Port: -1, StoreDir: t.TempDir(), JetStream: true, NoSigs: true, NoLog: true}}
	if len(users) > 0 {
		b.addKeys(users)
	}
	b.start()
	t.Cleanup(b.stop)
	ctx := context.Background()
	_, err := b.js.CreateStream(ctx, jetstream.StreamConfig{Name: wire.WorkStream, Subjects: []string{wire.WorkSubjects}, Retention: jetstream.WorkQueuePolicy,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true})
	b.ok(err)
	_, err = b.js.CreateStream(ctx, jetstream.StreamConfig{Name: wire.ResultStream, Subjects: []string{wire.ResultSubjects}, Duplicates: time.Minute})
	b.ok(err)
	_, err = b.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: wire.PresenceKV, TTL: time.Second})
	b.ok(err)
	stream, err := b.js.Stream(ctx, wire.WorkStream)
	b.ok(err)
	_, err = stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: testPool, FilterSubject: wire.PoolFilter(testPool), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: 600 * time.Millisecond, MaxDeliver: -1, MaxRequestBatch: 1})
	b.ok(err)
	return b
}

func (b *broker) start() {
	b.t.Helper()
	var err error
	b.srv, err = server.NewServer(b.opts)
	b.ok(err)
	b.srv.Start()
	if !b.srv.ReadyForConnections(10 * time.Second) {
		b.t.Fatal("the broker does not start")
	}
	b.nc, err = nats.Connect(b.srv.ClientURL(), b.auth...)
	b.ok(err)
	b.js, err = jetstream.New(b.nc)
	b.ok(err)
}

func (b *broker) stop() {
	b.nc.Close()
	b.srv.Shutdown()
	b.srv.WaitForShutdown()
}

// addKeys makes keys for the coordinator (the first user) and the agent (the second).
func (b *broker) addKeys(users []*server.NkeyUser) {
	b.t.Helper()
	for i, u := range users {
		kp, err := nkeys.CreateUser()
		b.ok(err)
		u.Nkey, err = kp.PublicKey()
		b.ok(err)
		if i == 0 {
			b.auth = []nats.Option{nats.Nkey(u.Nkey, kp.Sign)}
		} else {
			b.seed, err = kp.Seed()
			b.ok(err)
		}
	}
}

// restart keeps the address and the stored messages.
func (b *broker) restart(down time.Duration) {
	b.t.Helper()
	_, port, _ := strings.Cut(strings.TrimPrefix(b.srv.ClientURL(), "nats://"), ":")
	b.stop()
	time.Sleep(down)
	n, err := strconv.Atoi(port)
	b.ok(err)
	b.opts.Port = n
	b.start()
}

func (b *broker) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func sample(work string) wire.Work {
	const digest = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	return wire.Work{V: 1, Work: work, Kind: wire.KindMeasure, Project: "default", Job: "job1", Pool: testPool, Attempt: 1, Nonce: wire.NewNonce(), DeadlineMS: 20000,
		Artifact: &wire.Blob{SHA256: digest, Size: 1}, Threads: 1, Entries: []wire.Entry{{Trial: "t-" + work, Symbol: "k"}},
		Args: []wire.Arg{{DType: "float32", Shape: []int64{1}, Role: wire.RoleOut}}, Expect: &wire.Expect{Reference: &wire.Kernel{Symbol: "r"}, Rule: wire.RuleExact}}
}

func (b *broker) publish(w wire.Work) {
	b.t.Helper()
	body, err := wire.EncodeWork(w)
	b.ok(err)
	_, err = b.js.Publish(context.Background(), wire.WorkSubject(w.Pool, w.Job, w.Work, w.Attempt), body)
	b.ok(err)
}

// results waits until n results have come and returns all there are.
func (b *broker) results(n int) []wire.Result {
	b.t.Helper()
	ctx := context.Background()
	s, err := b.js.Stream(ctx, wire.ResultStream)
	b.ok(err)
	for end := time.Now().Add(15 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		info, err := s.Info(ctx)
		b.ok(err)
		if int(info.State.Msgs) >= n {
			break
		}
		if time.Now().After(end) {
			b.t.Fatalf("%d results, want %d", info.State.Msgs, n)
		}
	}
	var out []wire.Result
	info, err := s.Info(ctx)
	b.ok(err)
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
		m, err := s.GetMsg(ctx, seq)
		b.ok(err)
		r, err := wire.DecodeResult(m.Data)
		b.ok(err)
		if _, agent, work, attempt, err := wire.ParseResultSubject(m.Subject); err != nil || agent != r.Agent || work != r.Work || attempt != r.Attempt {
			b.t.Errorf("subject %s of %+v: %v", m.Subject, r, err)
		}
		out = append(out, r)
	}
	return out
}

// drained waits until no item is left in the queue.
func (b *broker) drained() {
	b.t.Helper()
	s, err := b.js.Stream(context.Background(), wire.WorkStream)
	b.ok(err)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		info, err := s.Info(context.Background())
		b.ok(err)
		if info.State.Msgs == 0 {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("%d items are left", info.State.Msgs)
		}
	}
}

// worker is a scripted handler.
type worker struct {
	do func(ctx context.Context, item wire.Work) wire.Code

	mu       sync.Mutex
	ran      []string
	progress time.Duration
	died     *wire.Result
	reported bool
}

func (w *worker) Do(ctx context.Context, item wire.Work) wire.Result {
	w.mu.Lock()
	w.ran = append(w.ran, item.Work)
	w.mu.Unlock()
	code := wire.OK
	if w.do != nil {
		code = w.do(ctx, item)
	}
	return wire.Result{Work: item.Work, Attempt: item.Attempt, Nonce: item.Nonce, Agent: "a1", Code: code,
		Entries: []wire.EntryResult{{Trial: item.Entries[0].Trial, Code: code}}}
}

func (w *worker) SinceProgress() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.progress
}

func (w *worker) DiedWith() (wire.Result, string, bool) {
	if w.died == nil || w.reported {
		return wire.Result{}, "", false
	}
	return *w.died, "job1", true
}

func (w *worker) Reported() error { w.reported = true; return nil }

func (w *worker) runs() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.ran)
}

// agent runs a link until the test ends or stop is called.
func (b *broker) agent(w *worker, slots int) (stop func()) {
	b.t.Helper()
	l, err := Connect(Config{URL: b.srv.ClientURL(), Seed: b.seed, Agent: "a1", Sources: []Source{{testPool, slots}}, Handler: w, Cancelled: errCancelled, Draining: errDraining,
		Heartbeat: 150 * time.Millisecond, PullWait: 3 * time.Second, Grace: 500 * time.Millisecond, Presence: 200 * time.Millisecond})
	b.ok(err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			select {
			case err := <-done:
				if err != nil {
					b.t.Error(err)
				}
			case <-time.After(10 * time.Second):
				b.t.Error("the agent does not stop")
			}
		})
	}
	b.t.Cleanup(stop)
	return stop
}

func TestItemsBecomeResults(t *testing.T) {
	b := startBroker(t)
	w := &worker{}
	b.agent(w, 1)
	for i := range 5 {
		b.publish(sample(fmt.Sprintf("w%d", i)))
	}
	got := b.results(5)
	b.drained()
	if len(got) != 5 || w.runs() != 5 || got[0].Deliveries != 1 || got[0].Clocks.Queue < 0 {
		t.Errorf("%d results of %d runs: %+v", len(got), w.runs(), got[0])
	}
}

func TestLongItemKeepsItsLease(t *testing.T) {
	b := startBroker(t)
	w := &worker{do: func(ctx context.Context, _ wire.Work) wire.Code { time.Sleep(1500 * time.Millisecond); return wire.OK }}
	b.agent(w, 1)
	b.publish(sample("long"))
	b.results(1)
	b.drained()
	if w.runs() != 1 {
		t.Errorf("%d runs of an item that made progress", w.runs())
	}
}

func TestWedgedWorkerLosesItsItem(t *testing.T) {
	b := startBroker(t)
	free := make(chan struct{})
	w := &worker{progress: time.Hour}
	w.do = func(context.Context, wire.Work) wire.Code { <-free; return wire.OK }
	b.agent(w, 1)
	b.publish(sample("stuck"))
	for w.runs() == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	// Another agent gets it when the lease has run out.
	s, err := b.js.Stream(context.Background(), wire.WorkStream)
	b.ok(err)
	c, err := s.Consumer(context.Background(), testPool)
	b.ok(err)
	msg, err := c.Next(jetstream.FetchMaxWait(5 * time.Second))
	b.ok(err)
	md, err := msg.Metadata()
	b.ok(err)
	if md.NumDelivered != 2 {
		t.Errorf("delivery %d", md.NumDelivered)
	}
	b.ok(msg.Ack())
	close(free)
	b.results(1) // the late answer comes as well; the coordinator absorbs it
}

func TestCancelAndDrain(t *testing.T) {
	b := startBroker(t)
	w := &worker{do: func(ctx context.Context, item wire.Work) wire.Code {
		if item.Work == "quick" {
			return wire.OK
		}
		<-ctx.Done()
		switch context.Cause(ctx) {
		case errCancelled:
			return wire.InfraCancelled
		case errDraining:
			return wire.InfraDraining
		}
		return wire.DeviceExecutor
	}}
	stop := b.agent(w, 1)
	b.publish(sample("victim"))
	for w.runs() == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	command := func(c wire.Control) {
		body, err := json.Marshal(c)
		b.ok(err)
		b.ok(b.nc.Publish("ctl.pool."+testPool, body))
		b.ok(b.nc.Flush())
	}
	command(wire.Control{Cmd: wire.CtlCancel, Job: "another"})
	command(wire.Control{Cmd: wire.CtlCancel, Job: "job1"})
	if got := b.results(1); got[0].Code != wire.InfraCancelled {
		t.Errorf("cancelled: %s", got[0].Code)
	}
	command(wire.Control{Cmd: wire.CtlDrain})
	time.Sleep(100 * time.Millisecond)
	b.publish(sample("quick"))
	time.Sleep(300 * time.Millisecond)
	if w.runs() != 1 {
		t.Error("a draining agent took an item")
	}
	if p := b.presence(); p.State != wire.AgentDraining {
		t.Errorf("presence %+v", p)
	}
	command(wire.Control{Cmd: wire.CtlUndrain})
	b.results(2)
	b.publish(sample("last"))
	for w.runs() < 3 {
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	if got := b.results(3); got[2].Code != wire.InfraDraining {
		t.Errorf("stopped: %s", got[2].Code)
	}
	b.drained()
}

// presence reads what the agent tells about itself.
func (b *broker) presence() wire.Presence {
	b.t.Helper()
	kv, err := b.js.KeyValue(context.Background(), wire.PresenceKV)
	b.ok(err)
	for end := time.Now().Add(3 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		e, err := kv.Get(context.Background(), "a1")
		if err == nil {
			var p wire.Presence
			b.ok(json.Unmarshal(e.Value(), &p))
			return p
		}
		if time.Now().After(end) {
			b.t.Fatal(err)
		}
	}
}

func TestBrokerRestarts(t *testing.T) {
	b := startBroker(t)
	w := &worker{do: func(context.Context, wire.Work) wire.Code { time.Sleep(300 * time.Millisecond); return wire.OK }}
	b.agent(w, 1)
	b.publish(sample("before"))
	for w.runs() == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	b.restart(500 * time.Millisecond) // the result is published to a broker that is not there
	b.publish(sample("after"))
	got := b.results(2)
	b.drained()
	works := map[string]bool{}
	for _, r := range got {
		works[r.Work] = true
	}
	if !works["before"] || !works["after"] {
		t.Errorf("results of %v", works)
	}
	if p := b.presence(); p.State == "" || len(p.Pools) != 1 || p.Read[1] != wire.Version {
		t.Errorf("presence %+v", p)
	}
}

func TestUnreadableItems(t *testing.T) {
	b := startBroker(t)
	w := &worker{}
	b.agent(w, 1)
	raw := func(work string, body []byte) {
		_, err := b.js.Publish(context.Background(), wire.WorkSubject(testPool, "job1", work, 1), body)
		b.ok(err)
	}
	raw("garbage", []byte("{"))
	future := sample("future")
	body, err := json.Marshal(future)
	b.ok(err)
	raw("future", []byte(strings.Replace(string(body), `{"v":1`, `{"v":99`, 1)))
	other, err := json.Marshal(sample("mismatch"))
	b.ok(err)
	raw("elsewhere", other)
	got := b.results(2)
	b.drained()
	for _, r := range got {
		if r.Code != wire.InfraMessage || r.Detail == "" {
			t.Errorf("%+v", r)
		}
	}
	if w.runs() != 0 || len(got) != 2 {
		t.Errorf("%d runs, %d results", w.runs(), len(got))
	}
}

func TestDeathIsReportedFirst(t *testing.T) {
	b := startBroker(t)
	b.publish(sample("next"))
	died := wire.Result{Work: "dead", Attempt: 1, Nonce: wire.NewNonce(), Agent: "a1", Code: wire.DeviceDied, DiedWith: &wire.DiedWith{Work: "dead", Trial: "t", Alone: true}}
	w := &worker{died: &died}
	b.agent(w, 1)
	got := b.results(2)
	if got[0].Code != wire.DeviceDied || got[0].DiedWith == nil || got[1].Work != "next" || !w.reported {
		t.Errorf("%+v", got)
	}
}

func TestTwoSlotsOverlap(t *testing.T) {
	b := startBroker(t)
	var mu sync.Mutex
	now, most := 0, 0
	w := &worker{do: func(context.Context, wire.Work) wire.Code {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(150 * time.Millisecond)
		mu.Lock()
		now--
		mu.Unlock()
		return wire.OK
	}}
	b.agent(w, 2)
	for i := range 4 {
		b.publish(sample(fmt.Sprintf("w%d", i)))
	}
	b.results(4)
	if most != 2 {
		t.Errorf("%d items at once in two slots", most)
	}
}

func TestConnectRefusesNonsense(t *testing.T) {
	for _, c := range []Config{{Agent: "A"}, {Agent: "a1"}, {Agent: "a1", Sources: []Source{{"p.*", 1}}}, {Agent: "a1", Sources: []Source{{"p", 0}}},
		{Agent: "a1", Sources: []Source{{"p", 1}}, Seed: []byte("not a seed")}} {
		if l, err := Connect(c); err == nil {
			l.nc.Close()
			t.Errorf("%+v was accepted", c)
		}
	}
}

// TestKeys connects with an nkey, and is turned away with another.
func TestKeys(t *testing.T) {
	good, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	pub, err := good.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, Nkeys: []*server.NkeyUser{{Nkey: pub}}})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	defer func() { srv.Shutdown(); srv.WaitForShutdown() }()
	if !srv.ReadyForConnections(10 * time.Second) {
		t.Fatal("the broker does not start")
	}
	bad, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	for kp, want := range map[nkeys.KeyPair]bool{good: true, bad: false} {
		seed, err := kp.Seed()
		if err != nil {
			t.Fatal(err)
		}
		l, err := Connect(Config{URL: srv.ClientURL(), Agent: "a1", Seed: seed, Sources: []Source{{testPool, 1}}, Handler: &worker{}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		if l.nc.IsConnected() != want {
			t.Errorf("connected: %v, want %v", l.nc.IsConnected(), want)
		}
		l.nc.Close()
	}
}

// TestPermissions runs an agent with the rights a fleet grants it, and no others.
func TestPermissions(t *testing.T) {
	agent := &server.NkeyUser{Permissions: &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{"$JS.API.CONSUMER.INFO.TASKS." + testPool, "$JS.API.CONSUMER.MSG.NEXT.TASKS." + testPool, "$JS.ACK.TASKS." + testPool + ".>",
			"r.*.a1.>", "ev.a1.>", "$KV.presence.a1"}},
		Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX_a1.>", "ctl.all", "ctl.pool." + testPool, "ctl.agent.a1"}}}}
	b := startBroker(t, &server.NkeyUser{}, agent)
	w := &worker{do: func(context.Context, wire.Work) wire.Code { time.Sleep(time.Second); return wire.OK }}
	b.agent(w, 1)
	b.publish(sample("allowed"))
	b.results(1)
	b.drained()
	if w.runs() != 1 || b.presence().Agent != "a1" {
		t.Errorf("%d runs", w.runs())
	}
}
