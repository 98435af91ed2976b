package executor

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"hone/internal/cc"
	"hone/internal/wire"
	"hone/rpcrunner/sandbox"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if shared.dir != "" {
			os.RemoveAll(shared.dir)
		}
		os.Exit(code)
	}))
}

var shared struct {
	once    sync.Once
	dir     string
	program string
	images  map[string][]byte
	err     error
}

// tools compiles the executor and the test images once.
func tools(t *testing.T) (program string, images map[string][]byte) {
	t.Helper()
	ctx := context.Background()
	comp, err := cc.Default(ctx, "")
	if err != nil {
		t.Skip(err)
	}
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "executor-test-"); shared.err != nil {
			return
		}
		tc := &cc.Toolchain{Compiler: comp}
		if shared.program, shared.err = Build(ctx, tc, shared.dir); shared.err != nil {
			return
		}
		shared.images = map[string][]byte{}
		for _, name := range []string{"kernels", "bss", "ctor"} {
			src, err := os.ReadFile("testdata/" + name + ".c")
			if err != nil {
				shared.err = err
				return
			}
			obj, err := tc.Compile(ctx, cc.Unit{Text: string(src), Flags: []string{"-O1", "-fPIC", "-ffreestanding", "-fno-stack-protector"}})
			if err == nil {
				shared.images[name], err = tc.LinkShared(ctx, [][]byte{obj}, cc.LinkOptions{})
			}
			if err != nil {
				shared.err = err
				return
			}
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.program, shared.images
}

// bench is a child with the operands of the test kernels: a and b (inputs), c (output).
type bench struct {
	*Process
	t *testing.T
}

const (
	opA, opB, opC, opWant, opPacked = 0, 1, 2, 3, 4
	n                               = 1024
)

func start(t *testing.T, threads int) *bench {
	t.Helper()
	program, images := tools(t)
	ctx := context.Background()
	p, err := Start(ctx, Options{Program: program, Threads: threads, Policy: sandbox.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	b := &bench{p, t}
	arg := wire.Arg{DType: "float32", Shape: []int64{n}, Generator: wire.Ints(-3, 3)}
	for i := range 2 {
		data, err := wire.Generate(arg, i, 1)
		b.ok(err)
		s, err := Seal(data)
		b.ok(err)
		b.ok(p.Input(ctx, i, "float32", s))
		b.ok(s.Close())
	}
	b.ok(p.Output(ctx, opC, "float32", 4*n))
	b.ok(p.Output(ctx, opWant, "float32", 4*n))
	b.image(0, images["kernels"])
	return b
}

func (b *bench) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) image(id int, image []byte) {
	b.t.Helper()
	s, err := SealImage(image)
	b.ok(err)
	defer s.Close()
	b.ok(b.Image(context.Background(), id, s))
}

// first binds symbol as kernel id (its tag) and runs it once.
func (b *bench) first(id int, symbol string, workspace int64, operands ...int) error {
	b.t.Helper()
	if operands == nil {
		operands = []int{opA, opB, opC}
	}
	b.ok(b.Kernel(context.Background(), id, id, 0, symbol, workspace, operands))
	_, err := b.First(context.Background(), 500*time.Millisecond, id)
	return err
}

func (b *bench) compare(rule wire.Rule, rtol float64) Verdict {
	b.t.Helper()
	v, err := b.Compare(context.Background(), rule, rtol, 0, opC, opWant)
	b.ok(err)
	return v
}

// A fault tells its reason on whichever thread it happens: every thread opens itself,
// even where another is done with its own opening before that one starts.
func TestEveryThreadReportsItsFaults(t *testing.T) {
	for range 12 {
		b := start(t, 2)
		var d *Death
		if err := b.first(9, "par_past", 0); !errors.As(err, &d) || !d.Guard {
			t.Fatalf("%v (%+v)", err, d)
		}
	}
}

func TestRightAndWrong(t *testing.T) {
	b := start(t, 1)
	b.ok(b.first(0, "good", 0, opA, opB, opWant))
	b.ok(b.first(1, "good", 0))
	if v := b.compare(wire.RuleExact, 0); v.Bad != 0 || v.MaxErr != 0 {
		t.Errorf("the same kernel: %+v", v)
	}
	b.ok(b.first(2, "wrong", 0))
	if v := b.compare(wire.RuleExact, 0); v.Bad != 1 || v.First != 77 || v.MaxErr != 1 || v.Got != v.Want+1 {
		t.Errorf("one element off: %+v", v)
	}
	if v := b.compare(wire.RuleClose, 10); v.Bad != 0 || v.MaxErr != 1 {
		t.Errorf("within a wide tolerance: %+v", v)
	}
	b.ok(b.first(3, "partial", 0))
	if v := b.compare(wire.RuleClose, 1e9); v.Bad != 24 || v.First != 1000 || !math.IsInf(v.MaxErr, 1) {
		t.Errorf("unwritten elements must stay NaN: %+v", v)
	}
	var r *Refusal
	if err := b.first(4, "refuses", 0); !errors.As(err, &r) || r.Class != ClassRefused || !strings.Contains(r.Text, "7") {
		t.Errorf("refuses: %v", err)
	}
	raw, err := b.Read(context.Background(), opWant)
	if err != nil || len(raw) != 4*n || math.IsNaN(float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))) {
		t.Errorf("read: %d bytes, %v", len(raw), err)
	}
}

func TestDeaths(t *testing.T) {
	for _, c := range []struct {
		symbol    string
		workspace int64
		threads   int
		want      Death
	}{
		{"segv", 0, 1, Death{Signal: syscall.SIGSEGV}},
		{"ill", 0, 1, Death{Signal: syscall.SIGILL}},
		{"past", 0, 1, Death{Signal: syscall.SIGSEGV, Guard: true}},
		{"before", 0, 1, Death{Signal: syscall.SIGSEGV, Guard: true}},
		{"scribble", 0, 1, Death{Signal: syscall.SIGSEGV}},
		{"hang", 0, 1, Death{Signal: syscall.SIGKILL, Timeout: true}},
		{"par_past", 0, 2, Death{Signal: syscall.SIGSEGV, Guard: true}},
	} {
		b := start(t, c.threads)
		err := b.first(9, c.symbol, c.workspace)
		var d *Death
		if !errors.As(err, &d) || d.Signal != c.want.Signal || d.Guard != c.want.Guard || d.Timeout != c.want.Timeout || d.Tag != 9 || d.Phase != PhaseFirst {
			t.Errorf("%s: %v (%+v)", c.symbol, err, d)
		}
		if _, err := os.Stat("/proc/" + itoa(b.PID())); err == nil {
			t.Errorf("%s: the child was not reaped", c.symbol)
		}
	}
}

func itoa(i int) string { return string(appendInt(nil, i)) }
func appendInt(b []byte, i int) []byte {
	if i >= 10 {
		b = appendInt(b, i/10)
	}
	return append(b, byte('0'+i%10))
}

func TestBoundsWithoutAFault(t *testing.T) {
	b := start(t, 1)
	b.ok(b.Output(context.Background(), 7, "int8", 13))
	var r *Refusal
	if err := b.first(1, "slack", 0, 7); !errors.As(err, &r) || r.Class != ClassBounds || !strings.Contains(r.Text, "argument 0") {
		t.Errorf("slack: %v", err)
	}
	b.ok(b.first(2, "uses_ws", 400))
	if err := b.first(3, "past_ws", 400); !errors.As(err, &r) || r.Class != ClassBounds || !strings.Contains(r.Text, "workspace") {
		t.Errorf("past_ws: %v", err)
	}
	b.ok(b.first(4, "uses_ws", 4000))
	b.ok(b.first(5, "uses_ws", 400))
}

func TestKilledFromOutside(t *testing.T) {
	b := start(t, 1)
	b.ok(b.Kernel(context.Background(), 1, 1, 0, "hang", 0, []int{opA, opB, opC}))
	time.AfterFunc(50*time.Millisecond, func() { _ = syscall.Kill(b.PID(), syscall.SIGKILL) })
	var d *Death
	if _, err := b.First(context.Background(), 10*time.Second, 1); !errors.As(err, &d) || d.Signal != syscall.SIGKILL || d.Timeout || d.Tag != 1 {
		t.Errorf("%v (%+v)", err, d)
	}
	if _, err := b.Request(context.Background(), time.Second, nil, "reference"); !errors.As(err, &d) {
		t.Errorf("a dead child answered: %v", err)
	}
}

func TestCancel(t *testing.T) {
	b := start(t, 1)
	b.ok(b.Kernel(context.Background(), 1, 1, 0, "hang", 0, []int{opA, opB, opC}))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.First(ctx, 10*time.Second, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestPacking(t *testing.T) {
	ctx := context.Background()
	b := start(t, 1)
	b.ok(b.first(0, "good", 0, opA, opB, opWant))
	b.ok(b.Pack(ctx, time.Second, 5, 0, "pack", opB, opPacked, 4*n))
	b.ok(b.Copies(ctx, opPacked, 4*n, 3))
	b.ok(b.first(1, "packed", 0, opA, opPacked, opC))
	if v := b.compare(wire.RuleExact, 0); v.Bad != 0 {
		t.Errorf("%+v", v)
	}
	// Every cold copy must hold the packed data: the timed calls rotate over them.
	for copy := range 3 {
		if _, err := b.Time(ctx, time.Second, false, 1, 0, copy, []Pick{{1, 1}}); err != nil {
			t.Fatal(err)
		}
		if v := b.compare(wire.RuleExact, 0); v.Bad != 0 {
			t.Errorf("copy %d: %+v", copy, v)
		}
	}
	var r *Refusal
	if err := b.Pack(ctx, time.Second, 5, 0, "no_such", opB, 5, 64); !errors.As(err, &r) || r.Class != ClassImage {
		t.Errorf("missing pack function: %v", err)
	}
	var d *Death
	if err := b.Pack(ctx, -startLimit+100*time.Millisecond, 5, 0, "pack_hang", opB, 5, 64); !errors.As(err, &d) || d.Tag != 5 || d.Phase != PhasePack {
		t.Errorf("hanging pack function: %v", err)
	}
}

func TestTimesAreInterleavedAndPlausible(t *testing.T) {
	b := start(t, 1)
	b.ok(b.first(0, "good", 0))
	b.ok(b.first(1, "slow", 0))
	s, err := b.Time(context.Background(), 10*time.Second, false, 9, 1, 0, []Pick{{0, 200}, {1, 50}})
	b.ok(err)
	faster := 0
	for _, r := range s {
		if r[0] < r[1] {
			faster++
		}
		if r[0] <= 0 || r[0] > 1e6 {
			t.Errorf("%g ns for 1024 products", r[0])
		}
	}
	if len(s) != 9 || faster < 7 {
		t.Errorf("the kernel that works four times as much won %d of 9 rounds: %v", 9-faster, s)
	}
}

func TestThreads(t *testing.T) {
	b := start(t, 2)
	b.ok(b.first(0, "good", 0, opA, opB, opWant))
	b.ok(b.first(1, "par", 0))
	if v := b.compare(wire.RuleExact, 0); v.Bad != 0 {
		t.Errorf("%+v", v)
	}
	if _, err := b.Time(context.Background(), 10*time.Second, true, 3, 1, 0, []Pick{{1, 10}}); err != nil {
		t.Error(err)
	}
}

// Threads that may go anywhere share a processor for tens of milliseconds after a wake,
// and a parallel kernel then takes twice its time.
func TestThreadsHaveProcessorsOfTheirOwn(t *testing.T) {
	program, _ := tools(t)
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	var cpus []int
	for cpu := 0; len(cpus) < 2 && cpu < 8*len(set)*8; cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	if len(cpus) < 2 {
		t.Skip("one processor")
	}
	p, err := Start(t.Context(), Options{Program: program, Threads: 2, CPUs: cpus, Policy: sandbox.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	// A thread takes its processor as the first thing it does, which may be later.
	want := []string{fmt.Sprint(cpus[0]), fmt.Sprint(cpus[1])}
	got := allowed(t, p.PID())
	for end := time.Now().Add(5 * time.Second); !slices.Equal(got, want) && time.Now().Before(end); got = allowed(t, p.PID()) {
		time.Sleep(5 * time.Millisecond)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the threads may run on %q, want %q", got, want)
	}
}

// allowed are the processors that each thread of a process may run on, sorted.
func allowed(t *testing.T, pid int) []string {
	t.Helper()
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, th := range threads {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/status", pid, th.Name()))
		if err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(string(status), "Cpus_allowed_list:")
		list, _, _ = strings.Cut(list, "\n")
		got = append(got, strings.TrimSpace(list))
	}
	slices.Sort(got)
	return got
}

// What lies in small pages is fast or slow by the luck of their placement.
func TestLargeOperandsLieInHugePages(t *testing.T) {
	thp, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || strings.Contains(string(thp), "[never]") {
		t.Skip("transparent huge pages are off")
	}
	program, _ := tools(t)
	p, err := Start(t.Context(), Options{Program: program, Threads: 1, Policy: sandbox.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	data := bytes.Repeat([]byte{1, 2, 3}, 100_000)
	in, err := Seal(data)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := errors.Join(p.Input(t.Context(), 0, "uint8", in), p.Copies(t.Context(), 0, int64(len(data)), 2), p.Output(t.Context(), 1, "uint8", 5<<20)); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Read(t.Context(), 0); err != nil || !bytes.Equal(got, data) {
		t.Errorf("the input came back as %d other bytes, %v", len(got), err)
	}
	if kb := hugeKB(t, p); kb < (2*2+6)<<10 {
		t.Errorf("%d KB in huge pages, want two copies of one page and three pages", kb)
	}
	// What is dropped serves the next operand of its size, and goes with one of another.
	before := hugeKB(t, p)
	data = data[5:]
	again, err := Seal(data)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := errors.Join(p.Drop(t.Context(), 0), p.Input(t.Context(), 0, "uint8", again), p.Copies(t.Context(), 0, int64(len(data)), 2)); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Read(t.Context(), 0); err != nil || !bytes.Equal(got, data) {
		t.Errorf("the second input came back as %d other bytes, %v", len(got), err)
	}
	if kb := hugeKB(t, p); kb != before {
		t.Errorf("%d KB in huge pages, %d before", kb, before)
	}
	if err := errors.Join(p.Drop(t.Context(), 0), p.Output(t.Context(), 2, "uint8", 3<<20)); err != nil {
		t.Fatal(err)
	}
	if kb := hugeKB(t, p); kb != before {
		t.Errorf("%d KB in huge pages after one of two pages took the place of two of one, %d before", kb, before)
	}
}

func hugeKB(t *testing.T, p *Process) (kb int) {
	t.Helper()
	smaps, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.PID()))
	if err != nil {
		t.Skip(err)
	}
	_, huge, _ := strings.Cut(string(smaps), "AnonHugePages:")
	if _, err := fmt.Sscan(huge, &kb); err != nil {
		t.Fatal(err)
	}
	return kb
}

// A child that may open no files loses the descriptors that come with requests, and
// would take an input for an output.
func TestADescriptorThatIsLostIsNoticed(t *testing.T) {
	program, _ := tools(t)
	p, err := Start(t.Context(), Options{Program: program, Threads: 1})
	if err == nil {
		defer p.Close()
		in, sealErr := Seal([]byte{1})
		if sealErr != nil {
			t.Fatal(sealErr)
		}
		defer in.Close()
		err = p.Input(t.Context(), 0, "uint8", in)
	}
	if err == nil || !strings.Contains(err.Error(), "descriptor was lost") {
		t.Errorf("an input without its file: %v", err)
	}
}

func TestPeakAndReference(t *testing.T) {
	b := start(t, 1)
	g, isa, err := b.Peak(context.Background(), 30*time.Millisecond)
	if err != nil || g < 1 || g > 1000 || isa == "" {
		t.Errorf("peak %g GFLOP/s (%s), %v", g, isa, err)
	}
	ns, err := b.Reference(context.Background())
	if err != nil || ns < 1e3 || ns > 1e8 {
		t.Errorf("reference %g ns, %v", ns, err)
	}
	t.Logf("peak %.1f GFLOP/s (%s), reference %.0f ns", g, isa, ns)
}

func TestImagesThatAreRefused(t *testing.T) {
	_, images := tools(t)
	b := start(t, 1)
	ctx := context.Background()
	try := func(image []byte) error {
		s, err := SealImage(image)
		b.ok(err)
		defer s.Close()
		return b.Image(ctx, 1, s)
	}
	b.ok(b.Budget(ctx, 256<<20, time.Minute))
	for name, want := range map[string]Class{"bss": ClassMemory, "ctor": ClassImage} {
		var r *Refusal
		if err := try(images[name]); !errors.As(err, &r) || r.Class != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := images["kernels"]
	for _, cut := range []int{0, 10, 64, 200, len(good) / 2} {
		var r *Refusal
		if err := try(good[:cut]); !errors.As(err, &r) || r.Class != ClassImage {
			t.Errorf("the first %d bytes: %v", cut, err)
		}
	}
	var r *Refusal
	if err := b.Kernel(ctx, 1, 1, 0, "no_such_entry", 0, []int{opA}); !errors.As(err, &r) || r.Class != ClassImage {
		t.Errorf("missing entry: %v", err)
	}
	if err := b.Output(ctx, 9, "float32", 1<<30); !errors.As(err, &r) || r.Class != ClassMemory {
		t.Errorf("a gigabyte over the budget: %v", err)
	}
	b.ok(b.first(2, "good", 0))
}

func TestConfinement(t *testing.T) {
	b := start(t, 1)
	ctx := context.Background()
	rep := b.Report()
	for _, must := range []string{"rlimit core", "rlimit fsize", "rlimit nproc", "privileges"} {
		if !strings.Contains(strings.Join(rep.Applied, ","), must) {
			t.Errorf("%s is not applied: %+v", must, rep)
		}
	}
	t.Logf("applied %q, lacks %q", rep.Applied, rep.Lacks)
	if strings.Contains(strings.Join(rep.Applied, ","), "seccomp") {
		b.ok(b.first(1, "escape", 0))
	}
	b.ok(b.Budget(ctx, 1<<30, time.Minute))
	var r *Refusal
	if err := b.first(2, "greedy", 0); !errors.As(err, &r) || !strings.Contains(r.Text, "12") {
		t.Errorf("8 GiB were granted: %v", err)
	}
	env, err := os.ReadFile("/proc/" + itoa(b.PID()) + "/environ")
	if err == nil && !bytes.Equal(env, []byte("LC_ALL=C\x00")) {
		t.Errorf("environment %q", env)
	}
}

func TestGarbledRequests(t *testing.T) {
	b := start(t, 1)
	for _, line := range []string{"", "nonsense", "kernel", "kernel 1 1 5 x 0", "first 99", "time 0 1 1 0 99 1", "operand 1 1 -5 1", "operand x", "compare 0 nan 0 0 1 -1",
		"time 0 1000000 1 0 0 1", "pack 1 0 pack 0 4 0 1", "image 0", "rlimit none 5", "drop 400"} {
		var r *Refusal
		if _, err := b.Request(context.Background(), time.Second, nil, line); !errors.As(err, &r) {
			t.Errorf("%q: %v", line, err)
		}
	}
	b.ok(b.first(1, "good", 0))
}

func TestStartFailsClearly(t *testing.T) {
	if _, err := Start(context.Background(), Options{Program: "/nonexistent/honex", Threads: 1}); err == nil || !strings.Contains(err.Error(), "/nonexistent/honex") {
		t.Errorf("%v", err)
	}
	if _, err := Start(context.Background(), Options{Program: "/bin/true", Threads: 1}); err == nil {
		t.Error("a program that is no executor was accepted")
	}
}
