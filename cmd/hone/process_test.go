package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hone/db"
	"hone/db/store"
	"hone/internal/cc"
)

// demoModel is the sample model.
const demoModel = "../../testdata/models/demo/model.onnx"

// smallFuncs holds two small functions to tune.
const smallFuncs = `from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def matmul(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    T.func_attr({"tirx.noalias": True, "layout_free_buffers": [1]})
    for i, j, k in T.grid(64, 64, 64):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

@T.prim_func(s_tir=True)
def scale(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    T.func_attr({"tirx.noalias": True})
    for i, j in T.grid(64, 64):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2.0)
`

// needCompiler skips what cannot work without one.
func needCompiler(t *testing.T) {
	t.Helper()
	if _, err := cc.Default(t.Context(), ""); err != nil {
		t.Skip("a C compiler: ", err)
	}
}

// process is a running hone.
type process struct {
	t   *testing.T
	cmd *exec.Cmd

	mu   sync.Mutex
	text bytes.Buffer
	done chan struct{}
}

// start runs hone in the background.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command("hone", args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	p.cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(t.TempDir(), "cache"))
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // the code is asked for below
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

// Write collects output.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// wait returns the exit code, -1 after a signal.
func (p *process) wait(limit time.Duration) int {
	p.t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(limit):
		p.t.Fatalf("%v runs for more than %s:\n%s", p.cmd.Args, limit, p.output())
	}
	return 0
}

// hone runs a command to its end and wants success.
func hone(t *testing.T, args ...string) string {
	t.Helper()
	p := start(t, args...)
	if code := p.wait(5 * time.Minute); code != 0 {
		t.Fatalf("%v: exit code %d\n%s", p.cmd.Args, code, p.output())
	}
	return p.output()
}

// children are the processes that a process started.
func children(t *testing.T, pid int) []int {
	t.Helper()
	var out []int
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		after := string(b[bytes.LastIndexByte(b, ')')+1:]) // the name may hold anything
		f := strings.Fields(after)
		if len(f) > 1 && f[1] == fmt.Sprint(pid) {
			id, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, id)
		}
	}
	return out
}

// child is the process below pid, at any depth, whose command line holds text;
// 0 when there is none now.
func child(t *testing.T, pid int, text string) int {
	t.Helper()
	for _, c := range children(t, pid) {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", c))
		if err == nil && strings.Contains(strings.ReplaceAll(string(line), "\x00", " "), text) {
			return c
		}
		if found := child(t, c, text); found != 0 {
			return found
		}
	}
	return 0
}

// ledger is what the database of a data directory holds of its newest job.
type ledger struct {
	job      store.Job
	tasks    []store.Task
	trials   []store.Trial
	attempts map[int64][]store.Attempt
	records  []store.Record
}

// readLedger opens the database beside whoever works in it.
func readLedger(t *testing.T, url string) (ledger, error) {
	t.Helper()
	ctx := context.Background()
	s, err := db.Open(ctx, url, db.Options{ReadOnly: true})
	if err != nil {
		return ledger{}, err
	}
	defer s.Close()
	jobs, err := s.ListJobs(ctx, store.JobFilter{})
	if err != nil || len(jobs) == 0 {
		return ledger{}, errors.Join(err, store.ErrNotFound)
	}
	return readJob(ctx, s, jobs[0].ID)
}

// ledgerOf is the ledger of a job.
func ledgerOf(t *testing.T, url, job string) ledger {
	t.Helper()
	s, err := db.Open(t.Context(), url, db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := readJob(t.Context(), s, job)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func readJob(ctx context.Context, s store.Store, job string) (l ledger, err error) {
	l.attempts = map[int64][]store.Attempt{}
	if l.job, err = s.Job(ctx, job); err != nil {
		return l, err
	}
	if l.tasks, err = s.Tasks(ctx, l.job.ID); err != nil {
		return l, err
	}
	if l.trials, err = s.Trials(ctx, l.job.ID, 0, 0); err != nil {
		return l, err
	}
	for _, tr := range l.trials {
		if l.attempts[tr.ID], err = s.Attempts(ctx, tr.ID); err != nil {
			return l, err
		}
	}
	l.records, err = s.ListRecords(ctx, store.RecordFilter{Job: l.job.ID, Limit: 1 << 20})
	return l, err
}

// closed are the measured trials that have ended, by their sequence number.
func (l ledger) closed() map[int64]store.Trial {
	out := map[int64]store.Trial{}
	for _, tr := range l.trials {
		if tr.Kind == store.Measure && tr.State == store.TrialClosed {
			out[tr.Seq] = tr
		}
	}
	return out
}

// waitFor polls the ledger until the job has n trials closed.
func waitFor(t *testing.T, p *process, url string, n int) ledger {
	t.Helper()
	for range 1200 {
		l, err := readLedger(t, url)
		if err == nil && len(l.closed()) >= n {
			return l
		}
		select {
		case <-p.done:
			t.Fatalf("it ended before %d trials:\n%s", n, p.output())
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatalf("no %d trials in two minutes:\n%s", n, p.output())
	return ledger{}
}

// check holds the ledger of a finished job against its rules: the budget is
// exact, every right trial has one record, no trial that was finished was
// measured again, and what was finished before is as it was.
func (l ledger) check(t *testing.T, budget int64, before map[int64]store.Trial) {
	t.Helper()
	if l.job.State != store.JobDone || l.job.Charged != budget {
		t.Errorf("the job is %s (%s) with %d of %d trials", l.job.State, l.job.Reason, l.job.Charged, budget)
	}
	charged, right := int64(0), 0
	for _, tr := range l.trials {
		if tr.State != store.TrialClosed {
			t.Errorf("trial %d is %s", tr.Seq, tr.State)
		}
		if tr.Charged {
			charged++
		}
		if tr.Kind == store.Measure && tr.Code == store.CodeOK {
			right++
		}
		measured := 0
		for _, a := range l.attempts[tr.ID] {
			if a.Kind == tr.Kind && a.Code == store.CodeOK {
				measured++
			}
		}
		if measured > 1 {
			t.Errorf("trial %d was measured %d times", tr.Seq, measured)
		}
	}
	if charged != budget || len(l.records) != right {
		t.Errorf("%d trials are charged, %d are right, %d records", charged, right, len(l.records))
	}
	now := l.closed()
	for seq, tr := range before {
		if got := now[seq]; got.Ns != tr.Ns || got.Code != tr.Code || got.Order != tr.Order || got.Accepted != tr.Accepted {
			t.Errorf("trial %d was %s with %g ns, now it is %s with %g ns", seq, tr.Code, tr.Ns, got.Code, got.Ns)
		}
	}
}
