package bus

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"hone/internal/wire"
	"hone/scheduler"
	"hone/scheduler/schedtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testAckWait = 400 * time.Millisecond

func startServer(t *testing.T) *Server {
	t.Helper()
	s, err := Start(ServerConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

func openBus(t *testing.T, s *Server) *Bus {
	t.Helper()
	b, err := Open(t.Context(), Config{Server: s, AckWait: testAckWait, PresenceTTL: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// link is an agent's side, with the rights that agents have.
type link struct {
	t     *testing.T
	id    string
	pools []string
	nc    *nats.Conn
	js    jetstream.JetStream
	held  map[scheduler.Address]jetstream.Msg

	mu   sync.Mutex
	errs []string // what the broker refused
	stop chan struct{}
	once sync.Once
	wg   sync.WaitGroup
}

func join(t *testing.T, s *Server, id string, pools ...string) *link {
	t.Helper()
	cred, err := s.Enroll(id, pools...)
	if err != nil {
		t.Fatal(err)
	}
	l := &link{t: t, id: id, pools: pools, held: map[scheduler.Address]jetstream.Msg{}, stop: make(chan struct{})}
	key, err := keyOption(cred.Seed)
	if err != nil {
		t.Fatal(err)
	}
	l.nc, err = nats.Connect(cred.URL, key, nats.CustomInboxPrefix("_INBOX_"+id), nats.MaxReconnects(1), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.errs = append(l.errs, err.Error())
	}))
	if err != nil {
		t.Fatal(err)
	}
	if l.js, err = jetstream.New(l.nc, jetstream.WithDefaultTimeout(time.Second)); err != nil {
		t.Fatal(err)
	}
	l.wg.Go(l.tell)
	t.Cleanup(l.Break)
	return l
}

// tell puts the agent's presence while it lives.
func (l *link) tell() {
	body, err := json.Marshal(wire.Presence{V: 1, Agent: l.id, Pools: l.pools, State: wire.AgentIdle, Read: [2]int{wire.Version, wire.Version}, Protos: [2]int{wire.Protocol, wire.Protocol}})
	if err != nil {
		panic(err)
	}
	for {
		_ = l.nc.Publish("$KV."+wire.PresenceKV+"."+l.id, body) // it may be cut off
		select {
		case <-l.stop:
			return
		case <-time.After(300 * time.Millisecond):
		}
	}
}

func (l *link) Pull(wait time.Duration) (schedtest.Held, bool) {
	for _, p := range l.pools {
		c, err := l.js.Consumer(l.t.Context(), wire.WorkStream, p)
		if err != nil {
			continue // the pool has no queue yet
		}
		m, err := c.Next(jetstream.FetchMaxWait(wait))
		if err != nil {
			continue
		}
		pool, job, work, attempt, err := wire.ParseWorkSubject(m.Subject())
		if err != nil {
			l.t.Error(err)
			return schedtest.Held{}, false
		}
		md, err := m.Metadata()
		if err != nil {
			l.t.Error(err)
			return schedtest.Held{}, false
		}
		a := scheduler.Address{Pool: pool, Job: job, Work: work, Attempt: attempt}
		l.held[a] = m
		return schedtest.Held{Address: a, Body: m.Data(), Deliveries: int(md.NumDelivered)}, true
	}
	return schedtest.Held{}, false
}

func (l *link) InProgress(h schedtest.Held) error { return l.held[h.Address].InProgress() }

func (l *link) Result(h schedtest.Held, body []byte) error {
	_, err := l.js.Publish(l.t.Context(), wire.ResultSubject(wire.Shard(h.Job), l.id, h.Work, h.Attempt), body,
		jetstream.WithMsgID(wire.ResultMsgID(h.Work, h.Attempt, l.id)))
	return err
}

func (l *link) Ack(h schedtest.Held) error { return l.held[h.Address].DoubleAck(l.t.Context()) }

func (l *link) Break() {
	l.once.Do(func() {
		close(l.stop)
		l.wg.Wait()
		l.nc.Close()
	})
}

func TestConformance(t *testing.T) {
	schedtest.RunBus(t, func(t *testing.T) schedtest.Rig {
		s := startServer(t)
		return schedtest.Rig{Bus: openBus(t, s), AckWait: testAckWait, Pass: time.Sleep,
			Join: func(t *testing.T, id string, pools ...string) schedtest.Link { return join(t, s, id, pools...) }}
	})
}

// denied runs f and says whether the broker refused what it did.
func (l *link) denied(f func()) bool {
	l.mu.Lock()
	l.errs = nil
	l.mu.Unlock()
	f()
	_ = l.nc.Flush()
	for range 40 {
		l.mu.Lock()
		n := len(l.errs)
		l.mu.Unlock()
		if n > 0 {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// An agent can do its work, and nothing to others'.
func TestAgentsAreConfined(t *testing.T) {
	const own, foreign = "d-cpu-x-y-own", "d-cpu-x-y-foreign"
	s := startServer(t)
	b := openBus(t, s)
	for _, p := range []string{own, foreign} {
		if err := errors.Join(b.EnsurePool(t.Context(), p), b.Publish(t.Context(), scheduler.Address{Pool: p, Job: "j", Work: "w", Attempt: 1}, []byte("x"))); err != nil {
			t.Fatal(err)
		}
	}
	l := join(t, s, "a1", own)
	publish := func(subject string) func() { return func() { _ = l.nc.Publish(subject, nil) } }
	listen := func(subject string) func() { return func() { _, _ = l.nc.SubscribeSync(subject) } }
	ask := func(subject string) func() {
		return func() { _ = l.nc.PublishRequest(subject, "_INBOX_a1.x", []byte("1")) }
	}
	for name, c := range map[string]struct {
		do     func()
		denied bool
	}{
		"own presence":            {publish("$KV.presence.a1"), false},
		"own result":              {publish("r.3.a1.w.1"), false},
		"own event":               {publish("ev.a1.started"), false},
		"own control":             {listen("ctl.agent.a1"), false},
		"own pool":                {ask("$JS.API.CONSUMER.MSG.NEXT.TASKS." + own), false},
		"another's presence":      {publish("$KV.presence.a2"), true},
		"another's result":        {publish("r.3.a2.w.1"), true},
		"another's event":         {publish("ev.a2.started"), true},
		"work for itself":         {publish("t." + own + ".j.x.1"), true},
		"a command":               {publish("ctl.all"), true},
		"another pool":            {ask("$JS.API.CONSUMER.MSG.NEXT.TASKS." + foreign), true},
		"another pool's ack":      {publish("$JS.ACK.TASKS." + foreign + ".1.1.1.1.1"), true},
		"deleting a stream":       {ask("$JS.API.STREAM.DELETE.TASKS"), true},
		"making a consumer":       {ask("$JS.API.CONSUMER.CREATE.TASKS"), true},
		"listening to results":    {listen("r.>"), true},
		"listening to work":       {listen("t.>"), true},
		"listening to inboxes":    {listen("_INBOX.>"), true},
		"listening to another's":  {listen("_INBOX_a2.>"), true},
		"listening to everything": {listen(">"), true},
	} {
		if got := l.denied(c.do); got != c.denied {
			t.Errorf("%s: denied %v, want %v", name, got, c.denied)
		}
	}
}

func TestOnlyEnrolledKeysComeIn(t *testing.T) {
	s := startServer(t)
	openBus(t, s)
	if _, err := nats.Connect(s.URL(), nats.MaxReconnects(0)); err == nil {
		t.Fatal("a client without a key came in")
	}
	other := startServer(t)
	cred, err := other.Enroll("a1", "d-x")
	if err != nil {
		t.Fatal(err)
	}
	key, err := keyOption(cred.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nats.Connect(s.URL(), key, nats.MaxReconnects(0)); err == nil {
		t.Fatal("a key of another broker came in")
	}
	l := join(t, s, "a1", "d-x")
	if err := s.Revoke("a1"); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if !l.nc.IsConnected() {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if l.nc.IsConnected() {
		t.Fatal("a revoked agent is still connected")
	}
	for _, bad := range []string{"", "A", "a.b", strings.Repeat("a", 33)} {
		if _, err := s.Enroll(bad, "d-x"); err == nil {
			t.Errorf("agent %q was enrolled", bad)
		}
	}
	if _, err := s.Enroll("a1", "d.x"); err == nil {
		t.Error("a pool with a dot was let in")
	}
}

// A broker outside, here another process's, is reached by its URL and a key.
func TestBrokerOutside(t *testing.T) {
	s := startServer(t)
	b, err := Open(t.Context(), Config{URL: s.URL(), Seed: s.seed, AckWait: testAckWait, Limits: s.limits})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.EnsurePool(t.Context(), "d-x"), b.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Config{URL: "nats://127.0.0.1:1"}); err == nil || !strings.Contains(err.Error(), "nats://127.0.0.1:1") {
		t.Fatalf("nobody there: %v", err)
	}
}

func TestVersions(t *testing.T) {
	for v, ok := range map[string]bool{"2.12.0": true, "2.15.3": true, "3.0.1": true, "2.11.9": false, "1.4.1": false, "": false, "new": false} {
		if err := checkVersion(v); (err == nil) != ok {
			t.Errorf("version %q: %v", v, err)
		}
	}
}

// What a broker kept is gone with its next start, unless it is to be kept.
func TestStateIsDisposable(t *testing.T) {
	dir := t.TempDir()
	a := scheduler.Address{Pool: "d-x", Job: "j", Work: "w", Attempt: 1}
	run := func(keep bool, f func(*Bus)) {
		s, err := Start(ServerConfig{Dir: dir, Keep: keep})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Stop()
		b, err := Open(t.Context(), Config{Server: s})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		f(b)
	}
	has := func(b *Bus) bool {
		got, err := b.Has(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	run(false, func(b *Bus) {
		if err := errors.Join(b.EnsurePool(t.Context(), a.Pool), b.Publish(t.Context(), a, []byte("x"))); err != nil {
			t.Fatal(err)
		}
	})
	run(true, func(b *Bus) {
		if !has(b) {
			t.Error("the item did not outlive the broker")
		}
	})
	run(false, func(b *Bus) {
		if has(b) {
			t.Error("the item outlived a fresh start")
		}
	})
	if info, err := os.Stat(dir + "/broker"); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("the broker's directory: %v %v", info, err)
	}
}

// A batch of more than one is refused: an agent cannot hoard.
func TestNoHoarding(t *testing.T) {
	s := startServer(t)
	b := openBus(t, s)
	if err := b.EnsurePool(t.Context(), "d-x"); err != nil {
		t.Fatal(err)
	}
	l := join(t, s, "a1", "d-x")
	c, err := l.js.Consumer(t.Context(), wire.WorkStream, "d-x")
	if err != nil {
		t.Fatal(err)
	}
	batch, err := c.Fetch(2, jetstream.FetchMaxWait(time.Second))
	if err == nil {
		for range batch.Messages() {
			t.Fatal("a message came")
		}
		err = batch.Error()
	}
	if err == nil || !strings.Contains(err.Error(), "MaxRequestBatch") {
		t.Fatalf("a pull of two: %v", err)
	}
}
