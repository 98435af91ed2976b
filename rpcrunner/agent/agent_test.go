package agent

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hone/internal/cc"
	"hone/internal/wire"
	"hone/rpcrunner"
	"hone/rpcrunner/executor"
)

// TestMain lets the test binary be the agent.
func TestMain(m *testing.M) {
	if os.Getenv("HONE_TEST_AGENT") != "" {
		os.Exit(Main("hone-agent", os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

const pool = "d-test"

type fleet struct {
	t   *testing.T
	url string
	js  jetstream.JetStream
	dir string
}

// startFleet runs a broker with the fleet's streams and a consumer for the pool.
func startFleet(t *testing.T) *fleet {
	t.Helper()
	if _, err := cc.Default(context.Background(), ""); err != nil {
		t.Skip(err)
	}
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, StoreDir: t.TempDir(), JetStream: true, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(10 * time.Second) {
		t.Fatal("the broker does not start")
	}
	nc, err := nats.Connect(srv.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	f := &fleet{t: t, url: srv.ClientURL(), dir: t.TempDir()}
	f.js, err = jetstream.New(nc)
	f.ok(err)
	ctx := context.Background()
	tasks, err := f.js.CreateStream(ctx, jetstream.StreamConfig{Name: wire.WorkStream, Subjects: []string{wire.WorkSubjects}, Retention: jetstream.WorkQueuePolicy})
	f.ok(err)
	_, err = f.js.CreateStream(ctx, jetstream.StreamConfig{Name: wire.ResultStream, Subjects: []string{wire.ResultSubjects}})
	f.ok(err)
	_, err = tasks.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: pool, FilterSubject: wire.PoolFilter(pool), AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Second, MaxDeliver: -1})
	f.ok(err)
	return f
}

func (f *fleet) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// start runs an agent process. Closing live (or the test's end) ends it.
func (f *fleet) start() (cmd *exec.Cmd, live *os.File) {
	f.t.Helper()
	bundle, err := json.Marshal(Bundle{URL: f.url, Agent: "a1", Dir: f.dir, HostDir: filepath.Join(f.dir, "host"), Device: []Pool{{Name: pool}}})
	f.ok(err)
	br, bw, err := os.Pipe()
	f.ok(err)
	lr, lw, err := os.Pipe()
	f.ok(err)
	cmd = exec.Command(os.Args[0], "--bundle-fd", "3", "--live-fd", "4")
	cmd.Env = append(os.Environ(), "HONE_TEST_AGENT=1")
	cmd.ExtraFiles = []*os.File{br, lr}
	cmd.Stderr = testLog{f.t}
	f.ok(cmd.Start())
	br.Close()
	lr.Close()
	_, err = bw.Write(bundle)
	f.ok(err)
	f.ok(bw.Close())
	f.t.Cleanup(func() {
		lw.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, lw
}

// testLog shows an agent's log when the test fails.
type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(string(bytes.TrimSpace(p)))
	return len(p), nil
}

func (f *fleet) publish(w wire.Work) {
	f.t.Helper()
	body, err := wire.EncodeWork(w)
	f.ok(err)
	_, err = f.js.Publish(context.Background(), wire.WorkSubject(w.Pool, w.Job, w.Work, w.Attempt), body)
	f.ok(err)
}

// result waits for the nth result.
func (f *fleet) result(n uint64) wire.Result {
	f.t.Helper()
	s, err := f.js.Stream(context.Background(), wire.ResultStream)
	f.ok(err)
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if m, err := s.GetMsg(context.Background(), n); err == nil {
			r, err := wire.DecodeResult(m.Data)
			f.ok(err)
			return r
		}
		if time.Now().After(end) {
			f.t.Fatalf("result %d never came", n)
		}
	}
}

// item builds and measures kernels that add one to 256 numbers.
func item(t *testing.T, work string, bodies map[string]string, order ...string) wire.Work {
	t.Helper()
	ks := []wire.UnitKernel{}
	for _, n := range append([]string{"ref"}, order...) {
		body := bodies[n]
		if body == "" {
			body = "for (int i = 0; i < 256; i++) y[i] = x[i] + 1; return 0;"
		}
		ks = append(ks, wire.UnitKernel{Symbol: n, Text: fmt.Sprintf("int %s(const void *r, void *const *a, void *ws) { const float *x = a[0]; float *y = a[1]; %s }\n", n, body)})
	}
	src, err := rpcrunner.PackSource(wire.JoinUnit("", ks))
	if err != nil {
		t.Fatal(err)
	}
	w := wire.Work{V: 1, Work: work, Kind: wire.KindMeasure, Project: "default", Job: "job1", Pool: pool, Attempt: 1, Nonce: wire.NewNonce(), DeadlineMS: 30000,
		Limits: wire.Limits{BuildMS: 20000, RunMS: 500, MemMB: 64}, Threads: 1, Toolchain: &wire.Toolchain{CC: "gcc", Flags: []string{"-O2", "-fPIC", "-ffreestanding"}}, Source: &src,
		Args:   []wire.Arg{{DType: "float32", Shape: []int64{256}, Role: wire.RoleIn, Generator: wire.Ints(-9, 9)}, {DType: "float32", Shape: []int64{256}, Role: wire.RoleOut}},
		Expect: &wire.Expect{Reference: &wire.Kernel{Symbol: "ref"}, Rule: wire.RuleExact}}
	for _, n := range order {
		w.Entries = append(w.Entries, wire.Entry{Trial: "t-" + n, Symbol: n})
	}
	return w
}

// TestEndToEnd sends work through a broker to an agent process, kills the agent while a
// candidate runs, and finds the evidence after the restart.
func TestEndToEnd(t *testing.T) {
	f := startFleet(t)
	cmd, _ := f.start()
	f.publish(item(t, "first", map[string]string{"bad": "y[0] = 7; return 0;"}, "good", "bad"))
	r := f.result(1)
	if r.Work != "first" || len(r.Entries) != 2 || r.Entries[0].Code != wire.OK || r.Entries[1].Code != wire.CandidateMismatch || r.Agent != "a1" || r.Deliveries != 1 {
		t.Fatalf("%+v", r)
	}
	hang := item(t, "deadly", map[string]string{"hang": "for (;;) __asm__ volatile(\"\" ::: \"memory\"); return 0;"}, "hang")
	hang.Limits.RunMS = 20000
	f.publish(hang)
	for end := time.Now().Add(20 * time.Second); executor.LastTag(filepath.Join(f.dir, "running.page")) != 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the candidate never ran")
		}
	}
	f.ok(cmd.Process.Kill())
	_ = cmd.Wait()
	_, live := f.start()
	r = f.result(2)
	if r.Work != "deadly" || r.Code != wire.DeviceDied || r.DiedWith == nil || r.DiedWith.Trial != "t-hang" || !r.DiedWith.Alone {
		t.Fatalf("%+v %+v", r, r.DiedWith)
	}
	f.ok(live.Close())
}

func TestClosedPipeEndsTheAgent(t *testing.T) {
	f := startFleet(t)
	cmd, live := f.start()
	f.publish(item(t, "one", nil, "good"))
	f.result(1)
	f.ok(live.Close())
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the agent outlived its owner")
	}
}

// TestLocal supervises an agent: killed, it comes back and the work goes on; stopped, it
// is gone.
func TestLocal(t *testing.T) {
	f := startFleet(t)
	t.Setenv("HONE_TEST_AGENT", "1")
	l := Local{Program: os.Args[0], Log: slog.New(slog.DiscardHandler), Stderr: testLog{t},
		Bundle: Bundle{URL: f.url, Agent: "a1", Dir: f.dir, HostDir: filepath.Join(f.dir, "host"), Device: []Pool{{Name: pool, Slots: 2}}}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	f.publish(item(t, "one", nil, "good"))
	f.result(1)
	pids := children(t)
	if len(pids) != 1 {
		t.Fatalf("children %v", pids)
	}
	f.ok(syscall.Kill(pids[0], syscall.SIGKILL))
	f.publish(item(t, "two", nil, "good"))
	if r := f.result(2); r.Work != "two" || r.Entries[0].Code != wire.OK {
		t.Errorf("%+v", r)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if pids := children(t); len(pids) != 0 {
		t.Errorf("left: %v", pids)
	}
	l.Program = "/bin/false"
	if err := l.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "in a row") {
		t.Errorf("an agent that cannot run: %v", err)
	}
}

// children lists the processes this one has started.
func children(t *testing.T) (pids []int) {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lists {
		b, err := os.ReadFile(l)
		if err != nil {
			continue // the thread has ended
		}
		for _, w := range strings.Fields(string(b)) {
			n, err := strconv.Atoi(w)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, n)
		}
	}
	return pids
}

func TestCommandLineMistakes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no bundle": {nil, 1, "no bundle"},
		"absent":    {[]string{"--bundle", dir + "/absent"}, 1, "no such file"},
		"not JSON":  {[]string{"--bundle", write("bad", "{", 0o600)}, 1, "agent bundle"},
		"empty":     {[]string{"--bundle", write("empty", "{}", 0o600)}, 1, "url, agent and dir"},
		"readable":  {[]string{"--bundle", write("open", `{"seed":"x"}`, 0o644)}, 1, "chmod 600"},
		"argument":  {[]string{"now"}, 2, "unexpected argument"},
		"flag":      {[]string{"--frob"}, 2, "frob"},
	} {
		var out, errs bytes.Buffer
		if code := Main("hone-agent", c.args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: exit %d, %q", name, code, errs.String())
		}
	}
	var out bytes.Buffer
	if code := Main("hone-agent", []string{"--version"}, &out, &out); code != 0 || strings.TrimSpace(out.String()) == "" {
		t.Errorf("version: %d %q", code, out.String())
	}
}

func TestOneAgentPerDirectory(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockDir(dir); err == nil || !strings.Contains(err.Error(), "in use by another agent") {
		t.Errorf("%v", err)
	}
	unlock()
	if unlock, err = lockDir(dir); err != nil {
		t.Error(err)
	} else {
		unlock()
	}
}

// TestBinaryIsStatic builds the command the way it is shipped: no cgo, no interpreter.
func TestBinaryIsStatic(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a binary")
	}
	bin := filepath.Join(t.TempDir(), "hone-agent")
	cmd := exec.Command(filepath.Join(runtime.GOROOT(), "bin", "go"), "build", "-o", bin, "hone/cmd/hone-agent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	e, err := elf.Open(bin)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, p := range e.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the binary requests a program interpreter")
		}
	}
	if st, err := os.Stat(bin); err != nil || st.Size() > 24<<20 {
		t.Errorf("%d bytes, %v", st.Size(), err)
	}
}
