// Package rpcrunner is the agent: it builds and measures work items on this machine.
//
// Start from Worker, which turns one wire.Work into one wire.Result and is used directly
// by test harnesses and by the agent, whose own package feeds it from the broker. The parts
// are in sub-packages: build (compiler batches), executor (the disposable child), bench
// (ladder and statistics, pure), sandbox, link (the broker).
//
// It must not import tuner, cost, scheduler or db, and of compiler only target and
// runtime/csrc.
package rpcrunner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hone/internal/cc"
	"hone/internal/hostlock"
	"hone/internal/wire"
	"hone/rpcrunner/bench"
	"hone/rpcrunner/build"
	"hone/rpcrunner/executor"
	"hone/rpcrunner/sandbox"
)

// Config of a worker.
type Config struct {
	Dir     string // caches, scratch and the journal; private to this worker
	Agent   string // id in results; "local" when empty
	Device  string // "cpu" when empty
	BuildID string
	Blobs   Blobs  // nil: artifacts stay in the local cache
	CPUs    []int  // processors to measure on, best first; nil: all usable ones
	HostDir string // the machine's lock files; empty: the common place
	BinDir  string // where the executor is kept once compiled; empty: below Dir
	Bench   bench.Config
	Policy  sandbox.Policy
	// Roles: a worker may only build, only measure, or both.
	NoBuild, NoMeasure bool
}

// Causes with which the context of Do may be cancelled; they choose the code of what was
// not finished.
var (
	ErrCancelled = errors.New("the job was cancelled")
	ErrDraining  = errors.New("the agent is stopping")
)

// Worker does work items. Builds may run concurrently with each other and with one
// measurement; measurements wait for each other.
type Worker struct {
	cfg       Config
	host      *hostlock.Host
	artifacts *artifacts
	journal   *journal
	page      *executor.Page
	cpus      []int
	boot      string

	device chan struct{} // holds a token while somebody measures
	cached operandCache
	health bench.Health

	mu       sync.Mutex
	builders map[string]*build.Builder // by project
	program  string                    // the executor, once built
	lacks    []string                  // what the latest executor's sandbox lacked
	suspect  string                    // why the device left its own history

	touched atomic.Int64 // unix nanoseconds of the last sign of progress
}

// New prepares the directories of a worker. It starts no process.
func New(cfg Config) (*Worker, error) {
	cfg.Agent = orDefault(cfg.Agent, "local")
	cfg.Device = orDefault(cfg.Device, "cpu")
	if cfg.Bench == (bench.Config{}) {
		cfg.Bench = bench.Default
	}
	if cfg.Policy.OpenFiles == 0 {
		cfg.Policy = sandbox.DefaultPolicy()
	}
	if !wire.ValidAgent(cfg.Agent) {
		return nil, fmt.Errorf("agent id %q: want 1 to 32 of a-z, 0-9 and -", cfg.Agent)
	}
	cfg.BinDir = orDefault(cfg.BinDir, filepath.Join(cfg.Dir, "bin"))
	for _, d := range []string{cfg.Dir, filepath.Join(cfg.Dir, "scratch"), cfg.BinDir} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("agent directory: %w", err)
		}
	}
	w := &Worker{cfg: cfg, boot: bootID(), builders: map[string]*build.Builder{}, cpus: cfg.CPUs, device: make(chan struct{}, 1)}
	if w.cpus == nil {
		w.cpus = usableCPUs()
	}
	var err error
	if w.host, err = hostlock.Open(cfg.HostDir); err != nil {
		return nil, err
	}
	if w.artifacts, err = openArtifacts(filepath.Join(cfg.Dir, "artifacts"), cfg.Blobs); err != nil {
		return nil, err
	}
	w.journal = &journal{path: filepath.Join(cfg.Dir, "running.json"), page: filepath.Join(cfg.Dir, "running.page")}
	if err := w.journal.load(); err != nil {
		return nil, err
	}
	if w.page, err = executor.OpenPage(w.journal.page); err != nil {
		return nil, err
	}
	w.touch()
	return w, nil
}

// Close frees what the worker holds. No Do may be running.
func (w *Worker) Close() error {
	w.cached.clear()
	return w.page.Close()
}

func orDefault(s, d string) string {
	if s == "" {
		return d
	}
	return s
}

func (w *Worker) touch() { w.touched.Store(time.Now().UnixNano()) }

// SinceProgress is the time since the worker last got an answer from a compiler or an
// executor. A link stops extending an item's lease when it exceeds the item's own limits.
func (w *Worker) SinceProgress() time.Duration {
	return time.Duration(time.Now().UnixNano() - w.touched.Load())
}

// Do executes one item and always answers; what could not be done has a code. Cancelling
// the context (with ErrCancelled or ErrDraining as cause) ends it early.
func (w *Worker) Do(ctx context.Context, item wire.Work) wire.Result {
	r := wire.Result{V: wire.Version, Work: item.Work, Attempt: item.Attempt, Nonce: item.Nonce, Agent: w.cfg.Agent,
		Device: w.cfg.Device, Boot: w.boot, BuildID: w.cfg.BuildID, Deliveries: 1, Code: wire.OK}
	r.Conditions.Protocol = wire.Protocol
	w.touch()
	if err := w.accept(&item); err != nil {
		return failAll(r, &item, wire.InfraMessage, err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, item.Deadline())
	defer cancel()
	switch item.Kind {
	case wire.KindBuild:
		w.doBuild(ctx, &item, &r)
	case wire.KindSelftest:
		w.doSelftest(ctx, &r)
	default:
		w.doMeasure(ctx, &item, &r)
	}
	return r
}

// accept refuses items that this worker cannot serve at all.
func (w *Worker) accept(item *wire.Work) error {
	item.V = max(item.V, 1) // a harness may leave it out
	if err := item.Validate(); err != nil {
		return err
	}
	switch {
	case item.Protocol != 0 && item.Protocol != wire.Protocol:
		return fmt.Errorf("measuring protocol %d, this agent follows %d", item.Protocol, wire.Protocol)
	case item.Kind == wire.KindBuild && w.cfg.NoBuild:
		return fmt.Errorf("this agent does not build")
	case item.Kind != wire.KindBuild && w.cfg.NoMeasure:
		return fmt.Errorf("this agent does not measure")
	case item.Kind != wire.KindBuild && item.Threads > len(w.cpus):
		return fmt.Errorf("%d threads wanted, %d processors usable", item.Threads, len(w.cpus))
	}
	return nil
}

// failAll gives every entry that has no code yet the same one.
func failAll(r wire.Result, item *wire.Work, code wire.Code, detail string) wire.Result {
	done := map[string]bool{}
	for _, e := range r.Entries {
		done[e.Trial] = true
	}
	for _, e := range item.Entries {
		if !done[e.Trial] {
			r.Entries = append(r.Entries, wire.EntryResult{Trial: e.Trial, Code: code, Detail: detail})
		}
	}
	if len(done) == 0 {
		r.Code, r.Detail = code, detail
	}
	return r
}

// interrupted is the code of what was not finished when ctx ended.
func interrupted(ctx context.Context) wire.Code {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrCancelled):
		return wire.InfraCancelled
	case errors.Is(cause, context.DeadlineExceeded):
		return wire.InfraDeadline
	}
	return wire.InfraDraining
}

// builder of a project: projects share no compile cache.
func (w *Worker) builder(project string) (*build.Builder, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.builders[project]; b != nil {
		return b, nil
	}
	name := digestOf([]byte(project)).SHA256[:16]
	cache, err := cc.OpenCache(filepath.Join(w.cfg.Dir, "objects", name), 0)
	if err != nil {
		return nil, err
	}
	b := &build.Builder{Cache: cache, TempDir: filepath.Join(w.cfg.Dir, "scratch"), Turn: func(ctx context.Context) (func(), error) {
		release, err := w.host.Work(ctx)
		if err != nil {
			return nil, err
		}
		return func() { release(); w.touch() }, nil
	}}
	w.builders[project] = b
	return b, nil
}

// forgetProgram removes the executor that was built.
func (w *Worker) forgetProgram() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = os.Remove(w.program)
	w.program = ""
}

// executorProgram builds the executor on first use.
func (w *Worker) executorProgram(ctx context.Context) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.program != "" {
		return w.program, nil
	}
	comp, err := cc.Default(ctx, "")
	if err != nil {
		return "", err
	}
	tc := &cc.Toolchain{Compiler: comp, TempDir: filepath.Join(w.cfg.Dir, "scratch")}
	p, err := executor.Build(ctx, tc, w.cfg.BinDir)
	if err != nil {
		return "", err
	}
	w.program = p
	return p, nil
}

// Peak runs multiply-add bursts on the given number of threads for about d, on the
// processors the worker measures on, and returns the best rate in GFLOP/s with the
// instruction set it used.
func (w *Worker) Peak(ctx context.Context, threads int, d time.Duration) (gflops float64, isa string, err error) {
	if err := w.takeDevice(ctx); err != nil {
		return 0, "", err
	}
	defer w.leaveDevice()
	p, release, err := w.startExecutor(ctx, threads, nil)
	if err != nil {
		return 0, "", err
	}
	defer release()
	defer p.Close()
	return p.Peak(ctx, d)
}

// takeDevice waits until nobody else measures.
func (w *Worker) takeDevice(ctx context.Context) error {
	select {
	case w.device <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *Worker) leaveDevice() { <-w.device }

// startExecutor locks the processors a measurement needs and starts a child on them.
func (w *Worker) startExecutor(ctx context.Context, threads int, page *executor.Page) (*executor.Process, hostlock.Release, error) {
	program, err := w.executorProgram(ctx)
	if err != nil {
		return nil, nil, err
	}
	cpus, release, err := w.host.CPUs(ctx, w.cpus, threads)
	if err != nil {
		return nil, nil, err
	}
	o := executor.Options{Program: program, Threads: threads, CPUs: slices.Clone(cpus), Page: page, Policy: w.cfg.Policy}
	p, err := executor.Start(ctx, o)
	if err != nil && ctx.Err() == nil { // perhaps the file was damaged: it is built again, once
		w.forgetProgram()
		if o.Program, err = w.executorProgram(ctx); err == nil {
			p, err = executor.Start(ctx, o)
		}
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	w.touch()
	return p, release, nil
}
