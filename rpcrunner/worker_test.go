package rpcrunner

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hone/internal/cc"
	"hone/internal/wire"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("RPCRUNNER_TEST_VICTIM"); dir != "" {
		victim(dir)
	}
	var err error
	if binDir, err = os.MkdirTemp("", "rpcrunner-test-"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(binDir)
		os.Exit(code)
	}))
}

// binDir keeps the executor for all tests: it is compiled once.
var binDir string

// The kernels of the tests multiply two vectors of 1024 elements: a (in), b (weight), c
// (out). Those named p* read b reversed, as their packing function leaves it.
const testPrelude = "typedef struct { int version, threads; void *ctx; void (*parallel)(void *, void (*)(void *, long, long, int), void *, long); } rt;\n"

var testBodies = map[string]string{
	"ref":   "for (int i = 0; i < 1024; i++) c[i] = a[i] * b[i]; return 0;",
	"good":  "for (int i = 0; i < 1024; i++) c[i] = a[i] * b[i]; return 0;",
	"good2": "for (int i = 0; i < 1024; i++) c[i] = a[i] * b[i]; return 0;",
	"slow":  "for (int k = 0; k < 8; k++) for (int i = 0; i < 1024; i++) { c[i] = a[i] * b[i]; __asm__ volatile(\"\" ::: \"memory\"); } return 0;",
	"wrong": "for (int i = 0; i < 1024; i++) c[i] = a[i] * b[i]; c[3] += 1; return 0;",
	"nan":   "for (int i = 0; i < 1023; i++) c[i] = a[i] * b[i]; return 0;",
	"segv":  "*(volatile int *)16 = 1; return 0;",
	"ill":   "__builtin_trap(); return 0;",
	"hang":  "for (;;) __asm__ volatile(\"\" ::: \"memory\"); return 0;",
	"oob":   "for (int i = 0; i < 1100; i++) c[i] = 1; return 0;",
	"no":    "return 3;",
	"text":  "return no_such_thing;",
	"big":   "static char x[1l << 36]; x[(long)ws & 255] = 1; return x[3];",
	"ws":    "float *w = ws; for (int i = 0; i < 1024; i++) w[i] = b[i]; for (int i = 0; i < 1024; i++) c[i] = a[i] * w[i]; return 0;",
	"wsoob": "float *w = ws; for (int i = 0; i < 1040; i++) w[i] = 1; return 0;",
	"pgood": "for (int i = 0; i < 1024; i++) c[i] = a[i] * b[1023 - i]; return 0;",
}

func unit(names ...string) string {
	var ks []wire.UnitKernel
	for _, n := range append([]string{"ref"}, names...) {
		ks = append(ks, wire.UnitKernel{Symbol: n, Text: fmt.Sprintf(
			"int %s(const rt *r, void *const *args, void *ws) { const float *a = args[0], *b = args[1]; float *c = args[2]; %s }\n", n, testBodies[n]) + packText(n)})
	}
	ks = append(ks, wire.UnitKernel{Symbol: "par", Text: `static void par_body(void *e, long lo, long hi, int w) { void *const *x = e; for (long i = lo; i < hi; i++) ((float *)x[2])[i] = ((const float *)x[0])[i] * ((const float *)x[1])[i]; }
int par(const rt *r, void *const *args, void *ws) { r->parallel(r->ctx, par_body, (void *)args, 1024); return 0; }
`})
	return wire.JoinUnit(testPrelude, ks)
}

func packText(n string) string {
	if !strings.HasPrefix(n, "p") {
		return ""
	}
	return "void " + n + "_pack(const float *s, float *d) { for (int i = 0; i < 1024; i++) d[i] = s[1023 - i]; }\n"
}

func newWorker(t *testing.T) *Worker {
	t.Helper()
	if _, err := cc.Default(context.Background(), ""); err != nil {
		t.Skip(err)
	}
	w, err := New(Config{Dir: t.TempDir(), HostDir: t.TempDir(), BinDir: binDir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

var workNumber int

// item is a measure item that builds the named kernels.
func item(t *testing.T, names ...string) wire.Work {
	t.Helper()
	src, err := PackSource(unit(names...))
	if err != nil {
		t.Fatal(err)
	}
	workNumber++
	vec := func(role wire.Role, g wire.Generator) wire.Arg {
		return wire.Arg{DType: "float32", Shape: []int64{1024}, Role: role, Generator: g}
	}
	w := wire.Work{V: 1, Work: "w" + strconv.Itoa(workNumber), Kind: wire.KindMeasure, Project: "default", Job: "j1", Pool: "d-test", Attempt: 1, Nonce: wire.NewNonce(),
		DeadlineMS: 30000, Limits: wire.Limits{BuildMS: 20000, RunMS: 300, MemMB: 64}, Threads: 1, Seed: 7,
		Toolchain: &wire.Toolchain{CC: "gcc", Flags: []string{"-O2", "-fPIC", "-ffreestanding", "-fno-stack-protector", "-fno-tree-vectorize"}}, Source: &src,
		Args:   []wire.Arg{vec(wire.RoleIn, wire.Ints(-3, 3)), vec(wire.RoleWeight, wire.Ints(1, 4)), vec(wire.RoleOut, wire.Generator{})},
		Expect: &wire.Expect{Reference: &wire.Kernel{Symbol: "ref"}, Rule: wire.RuleExact}}
	for _, n := range names {
		e := wire.Entry{Trial: "t-" + n, Symbol: n}
		switch n[0] {
		case 'p':
			if n != "par" {
				e.Pack = []wire.Pack{{Arg: 1, Symbol: n + "_pack", Bytes: 4096}}
			}
		case 'w':
			e.Workspace = 4096
		}
		w.Entries = append(w.Entries, e)
	}
	return w
}

func codesOf(r wire.Result) string {
	var s []string
	for _, e := range r.Entries {
		s = append(s, strings.TrimPrefix(e.Trial, "t-")+"="+string(e.Code))
	}
	return strings.Join(s, " ")
}

func entryOf(t *testing.T, r wire.Result, name string) wire.EntryResult {
	t.Helper()
	for _, e := range r.Entries {
		if e.Trial == "t-"+name {
			return e
		}
	}
	t.Fatalf("no entry %s in %s", name, codesOf(r))
	return wire.EntryResult{}
}

// noChildren fails when this process has a child left, reaped or not.
func noChildren(t *testing.T) {
	t.Helper()
	for _, pid := range childPIDs(t) {
		t.Errorf("child %d is left: %s", pid, readLine(fmt.Sprintf("/proc/%d/stat", pid)))
	}
}

func childPIDs(t *testing.T) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, s := range stats {
		line := readLine(s)
		at := strings.LastIndexByte(line, ')')
		if at < 0 {
			continue
		}
		f := strings.Fields(line[at+1:])
		if len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			pid, err := strconv.Atoi(line[:strings.IndexByte(line, ' ')])
			if err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func TestMisbehavingBatch(t *testing.T) {
	w := newWorker(t)
	it := item(t, "good", "segv", "wrong", "hang", "pgood", "oob", "text", "nan", "ill", "no", "big", "ws", "wsoob", "good2")
	r := w.Do(context.Background(), it)
	want := "good=ok segv=candidate.crash wrong=candidate.mismatch hang=candidate.timeout pgood=ok oob=candidate.bounds text=candidate.compile " +
		"nan=candidate.mismatch ill=candidate.crash no=candidate.refused big=candidate.image ws=ok wsoob=candidate.bounds good2=ok"
	if got := codesOf(r); got != want {
		t.Errorf("codes\n got %s\nwant %s", got, want)
	}
	for _, e := range r.Entries {
		if e.Code == wire.OK && (e.Stage != 3 || len(e.SamplesNS) != 10 || e.NS <= 0 || e.MaxErr != 0) {
			t.Errorf("%s: stage %d, %d samples, %g ns", e.Trial, e.Stage, len(e.SamplesNS), e.NS)
		}
		if e.Code != wire.OK && e.Detail == "" {
			t.Errorf("%s: %s without a detail", e.Trial, e.Code)
		}
	}
	if !math.IsInf(entryOf(t, r, "nan").MaxErr, 1) || entryOf(t, r, "wrong").MaxErr != 1 {
		t.Errorf("errors: nan %g, wrong %g", entryOf(t, r, "nan").MaxErr, entryOf(t, r, "wrong").MaxErr)
	}
	if r.Nonce != it.Nonce || r.Work != it.Work || r.Boot == "" || len(r.Conditions.ReferenceNS) != 2 || r.Conditions.Executors < 5 {
		t.Errorf("result %+v", r)
	}
	if _, err := wire.EncodeResult(r); err != nil {
		t.Error(err)
	}
	noChildren(t)
}

func TestBuildThenMeasure(t *testing.T) {
	w := newWorker(t)
	ctx := context.Background()
	b := item(t, "good", "text", "good2")
	b.Kind = wire.KindBuild
	built := w.Do(ctx, b)
	if codesOf(built) != "good=ok text=candidate.compile good2=ok" || built.Entries[0].Artifact == nil {
		t.Fatalf("%s %+v", codesOf(built), built)
	}
	m := item(t, "good", "good2")
	m.Source, m.Toolchain = nil, nil
	m.Artifact = built.Entries[0].Artifact
	m.Entries[1].Artifact = built.Entries[2].Artifact
	if r := w.Do(ctx, m); codesOf(r) != "good=ok good2=ok" {
		t.Errorf("%s %s", codesOf(r), r.Detail)
	}
	gone := *m.Artifact
	gone.SHA256 = strings.Repeat("ab", 32)
	m.Entries[1].Artifact = &gone
	if r := w.Do(ctx, m); codesOf(r) != "good=ok good2=infra.artifact" || wire.InfraArtifact.Info().Retry != wire.RetryBuild {
		t.Errorf("a missing artifact: %s", codesOf(r))
	}
	// A damaged cache entry is a missing one.
	path := w.artifacts.path(m.Artifact.SHA256)
	if err := os.WriteFile(path, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.Entries[1].Artifact = nil
	w.cached.clear()
	if r := w.Do(ctx, m); codesOf(r) != "good=infra.artifact good2=infra.artifact" || r.Code != wire.InfraArtifact {
		t.Errorf("a damaged artifact: %s", codesOf(r))
	}
}

// measured builds the named kernels and returns their image for use by other items.
func measured(t *testing.T, w *Worker, names ...string) *wire.Blob {
	t.Helper()
	b := item(t, names...)
	b.Kind = wire.KindBuild
	r := w.Do(context.Background(), b)
	if r.Artifact == nil {
		t.Fatalf("%s: %s", codesOf(r), r.Detail)
	}
	return r.Artifact
}

func withIncumbent(it wire.Work, b *wire.Blob, symbol string) wire.Work {
	it.Source, it.Toolchain, it.Artifact = nil, nil, b
	it.Incumbent = &wire.Incumbent{Kernel: wire.Kernel{Artifact: b, Symbol: symbol}, NS: 1}
	if strings.HasPrefix(symbol, "p") && symbol != "par" {
		it.Incumbent.Pack = []wire.Pack{{Arg: 1, Symbol: symbol + "_pack", Bytes: 4096}}
	}
	return it
}

func TestIncumbentAndTheLadder(t *testing.T) {
	w := newWorker(t)
	b := measured(t, w, "good", "good2", "slow", "pgood")
	r := w.Do(context.Background(), withIncumbent(item(t, "good2", "slow", "pgood"), b, "pgood"))
	if codesOf(r) != "good2=ok slow=ok pgood=ok" {
		t.Fatalf("%s %s", codesOf(r), r.Detail)
	}
	slow, aa := entryOf(t, r, "slow"), entryOf(t, r, "pgood")
	if slow.Stage != 1 || slow.Ratio < 2 || len(slow.SamplesNS) > 2 || len(slow.IncumbentNS) != len(slow.SamplesNS) {
		t.Errorf("slow: stage %d ratio %g", slow.Stage, slow.Ratio)
	}
	if aa.Stage != 3 || len(aa.SamplesNS) < 14 || len(aa.IncumbentNS) != len(aa.SamplesNS) || aa.CILow > aa.Ratio || aa.CIHigh < aa.Ratio {
		t.Errorf("pgood: %+v", aa)
	}
}

func TestBrokenIncumbent(t *testing.T) {
	w := newWorker(t)
	b := measured(t, w, "good", "segv")
	r := w.Do(context.Background(), withIncumbent(item(t, "good"), b, "segv"))
	if codesOf(r) != "good=infra.reference" {
		t.Errorf("%s", codesOf(r))
	}
	it := withIncumbent(item(t, "good"), b, "good")
	it.Incumbent = nil
	it.Expect.Reference = &wire.Kernel{Artifact: b, Symbol: "segv"}
	if r := w.Do(context.Background(), it); codesOf(r) != "good=infra.reference" || r.Code != wire.InfraReference {
		t.Errorf("broken reference: %s", codesOf(r))
	}
}

// TestEqualKernelsAreEqual is the A/A test: one kernel as candidate and as incumbent.
func TestEqualKernelsAreEqual(t *testing.T) {
	w := newWorker(t)
	b := measured(t, w, "slow", "good")
	const runs = 20
	within := 0
	var ratios []float64
	for range runs {
		r := w.Do(context.Background(), withIncumbent(item(t, "slow"), b, "slow"))
		e := entryOf(t, r, "slow")
		if e.Code != wire.OK {
			t.Fatalf("%s: %s", e.Code, e.Detail)
		}
		ratios = append(ratios, e.Ratio)
		if math.Abs(e.Ratio-1) <= 0.02 {
			within++
		} else {
			t.Logf("stage %d: %.0f against %.0f", e.Stage, e.SamplesNS, e.IncumbentNS)
		}
	}
	t.Logf("%d of %d within 2 %%: %.3f", within, runs, ratios)
	if within < runs*3/4 { // 95 % on a machine to itself; tests share theirs
		t.Errorf("only %d of %d A/A comparisons were within 2 %%: %v", within, runs, ratios)
	}
}

func TestADamagedExecutorIsBuiltAgain(t *testing.T) {
	w := newWorker(t)
	program, err := w.executorProgram(t.Context())
	if err != nil {
		t.Skip(err)
	}
	for _, damage := range []string{"", "junk"} {
		if err := os.Remove(program); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, []byte(damage), 0o700); err != nil {
			t.Fatal(err)
		}
		p, release, err := w.startExecutor(t.Context(), 1, nil)
		if err != nil {
			t.Fatalf("after %q was put in its place: %v", damage, err)
		}
		p.Close()
		release()
	}
}

func TestRace(t *testing.T) {
	w := newWorker(t)
	b := measured(t, w, "good", "good2", "slow", "segv", "wrong", "pgood")
	it := withIncumbent(item(t, "good2", "segv", "slow", "wrong", "pgood"), b, "good2")
	it.Kind, it.Seed = wire.KindRace, 99
	r := w.Do(context.Background(), it)
	if codesOf(r) != "good2=ok segv=candidate.crash slow=ok wrong=candidate.mismatch pgood=ok" {
		t.Fatalf("%s %s", codesOf(r), r.Detail)
	}
	slow, good := entryOf(t, r, "slow"), entryOf(t, r, "good2")
	if slow.Stage != 4 || slow.CILow < 1.5 || len(slow.SamplesNS)%20 != 0 || len(slow.SamplesNS) == 0 || len(slow.IncumbentNS) != len(slow.SamplesNS) {
		t.Errorf("slow: stage %d ratio %g [%g, %g]", slow.Stage, slow.Ratio, slow.CILow, slow.CIHigh)
	}
	if math.Abs(good.Ratio-1) > 0.15 || good.CIHigh < 0.95 { // tests share their machine
		t.Errorf("a kernel against itself: %g [%g, %g]", good.Ratio, good.CILow, good.CIHigh)
	}
	noChildren(t)
}

func TestThreadsAndCold(t *testing.T) {
	w := newWorker(t)
	it := item(t, "good")
	it.Entries = append(it.Entries, wire.Entry{Trial: "t-par", Symbol: "par"})
	if len(w.cpus) > 1 {
		it.Threads = 2
		if r := w.Do(context.Background(), it); codesOf(r) != "good=ok par=ok" || r.Conditions.Timer != "wall" {
			t.Errorf("two threads: %s %+v", codesOf(r), r.Conditions)
		}
	}
	it.Threads, it.Cold = 1, true
	if r := w.Do(context.Background(), it); codesOf(r) != "good=ok par=ok" || !strings.HasPrefix(r.Conditions.Mode, "cold x") {
		t.Errorf("cold: %s %+v", codesOf(r), r.Conditions)
	}
	it.Threads = len(w.cpus) + 1
	if r := w.Do(context.Background(), it); r.Code != wire.InfraMessage {
		t.Errorf("too many threads: %s", r.Code)
	}
}

func TestDigestOfOutputs(t *testing.T) {
	w := newWorker(t)
	it := item(t, "good", "wrong")
	a, err := wire.Generate(it.Args[0], 0, it.Seed)
	if err != nil {
		t.Fatal(err)
	}
	b, err := wire.Generate(it.Args[1], 1, it.Seed)
	if err != nil {
		t.Fatal(err)
	}
	it.Expect = &wire.Expect{Rule: wire.RuleExact, OutputsSHA256: digestOf(product(a, b)).SHA256}
	if r := w.Do(context.Background(), it); codesOf(r) != "good=ok wrong=candidate.mismatch" {
		t.Errorf("%s %s", codesOf(r), r.Detail)
	}
}

// product multiplies two vectors of little-endian float32 values.
func product(a, b []byte) []byte {
	var out []byte
	for i := 0; i < len(a); i += 4 {
		f := func(p []byte) float32 {
			return math.Float32frombits(uint32(p[i]) | uint32(p[i+1])<<8 | uint32(p[i+2])<<16 | uint32(p[i+3])<<24)
		}
		v := math.Float32bits(f(a) * f(b))
		out = append(out, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return out
}

func TestExecutorKilledMidRun(t *testing.T) {
	w := newWorker(t)
	w.Do(context.Background(), item(t, "good")) // the executor is compiled now
	stop := make(chan struct{})
	killed := make(chan int)
	go func() {
		n := 0
		for n < 2 {
			select {
			case <-stop:
				killed <- n
				return
			case <-time.After(20 * time.Millisecond):
			}
			for _, pid := range childPIDs(t) {
				if strings.Contains(readLine(fmt.Sprintf("/proc/%d/stat", pid)), "(honex") && syscall.Kill(pid, syscall.SIGKILL) == nil {
					n++
				}
			}
		}
		killed <- n
	}()
	it := item(t, "hang", "good", "good2", "pgood")
	r := w.Do(context.Background(), it)
	close(stop)
	n := <-killed
	if n == 0 {
		t.Fatal("nothing was killed")
	}
	for _, e := range r.Entries[1:] {
		if e.Code != wire.OK {
			t.Errorf("after %d kills: %s (%s)", n, codesOf(r), e.Detail)
		}
	}
	if e := r.Entries[0]; e.Code != wire.CandidateTimeout && e.Code != wire.CandidateMemory {
		t.Errorf("the victim: %s", e.Code)
	}
	noChildren(t)
}

func TestInterruption(t *testing.T) {
	w := newWorker(t)
	b := measured(t, w, "good", "hang", "good2")
	it := withIncumbent(item(t, "good", "hang", "good2"), b, "good")
	it.Limits.RunMS, it.DeadlineMS = 20000, 1500
	if r := w.Do(context.Background(), it); codesOf(r) != "good=ok hang=infra.deadline good2=infra.deadline" {
		t.Errorf("deadline: %s", codesOf(r))
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(time.Second, func() { cancel(ErrCancelled) })
	start := time.Now()
	it.DeadlineMS = 60000
	if r := w.Do(ctx, it); codesOf(r) != "good=ok hang=infra.cancelled good2=infra.cancelled" {
		t.Errorf("cancel: %s", codesOf(r))
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("cancelling took %v", d)
	}
	noChildren(t)
}

// TestWaitingForTheDevice: an item that waits for another one's measurement can be
// cancelled.
func TestWaitingForTheDevice(t *testing.T) {
	w := newWorker(t)
	b := measured(t, w, "good")
	if err := w.takeDevice(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(50*time.Millisecond, func() { cancel(ErrCancelled) })
	if r := w.Do(ctx, withIncumbent(item(t, "good"), b, "good")); codesOf(r) != "good=infra.cancelled" || r.Code != wire.InfraCancelled {
		t.Errorf("%s %s", r.Code, codesOf(r))
	}
	w.leaveDevice()
}

func TestBadItems(t *testing.T) {
	w := newWorker(t)
	for name, c := range map[string]struct {
		edit func(*wire.Work)
		want wire.Code
	}{
		"message":   {func(i *wire.Work) { i.Expect = nil }, wire.InfraMessage},
		"protocol":  {func(i *wire.Work) { i.Protocol = 99 }, wire.InfraMessage},
		"source":    {func(i *wire.Work) { i.Source.SHA256 = strings.Repeat("0", 64) }, wire.InfraSource},
		"zstd":      {func(i *wire.Work) { i.Source.Inline = []byte("not zstd") }, wire.InfraSource},
		"lost text": {func(i *wire.Work) { i.Source.Inline = nil }, wire.InfraSource},
		"big text":  {func(i *wire.Work) { i.Source.Size = maxSource + 1 }, wire.InfraSource},
		"flag":      {func(i *wire.Work) { i.Toolchain.Flags = []string{"-fplugin=x"} }, wire.InfraMessage},
		"compiler":  {func(i *wire.Work) { i.Toolchain.Version = "1.0" }, wire.InfraToolchain},
		"reference": {func(i *wire.Work) { i.Expect.Reference.Symbol = "absent" }, wire.InfraReference},
	} {
		it := item(t, "good")
		c.edit(&it)
		if r := w.Do(context.Background(), it); r.Code != c.want || codesOf(r) != "good="+string(c.want) || r.Detail == "" {
			t.Errorf("%s: %s %s %s", name, r.Code, codesOf(r), r.Detail)
		}
	}
}

func TestKeptSource(t *testing.T) {
	w := newWorker(t)
	it := item(t, "good")
	if _, err := w.Keep([]byte(unit("good"))); err != nil {
		t.Fatal(err)
	}
	it.Source.Inline = nil
	if r := w.Do(context.Background(), it); codesOf(r) != "good=ok" {
		t.Errorf("%s %s", codesOf(r), r.Detail)
	}
}

func TestSelftest(t *testing.T) {
	w := newWorker(t)
	it := wire.Work{V: 1, Work: "s", Kind: wire.KindSelftest, Project: "default", Job: "j", Pool: "d-test", Attempt: 1, Nonce: wire.NewNonce(), DeadlineMS: 20000}
	r := w.Do(context.Background(), it)
	if r.Code != wire.OK && r.Code != wire.DeviceUnstable || r.Conditions.PeakGFLOPS < 1 || len(r.Conditions.ReferenceNS) != selftestTimes {
		t.Errorf("%s %s %+v", r.Code, r.Detail, r.Conditions)
	}
	g, isa, err := w.Peak(context.Background(), 1, 20*time.Millisecond)
	if err != nil || g < 1 || isa == "" {
		t.Errorf("peak %g %s %v", g, isa, err)
	}
}

// victim is the body of the process that TestDiedWith kills.
func victim(dir string) {
	w, err := New(Config{Dir: dir, HostDir: filepath.Join(dir, "host"), BinDir: os.Getenv("RPCRUNNER_TEST_BIN")})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	t := &testing.T{}
	it := item(t, "hang")
	it.Work, it.Limits.RunMS, it.DeadlineMS = "victim", 600000, 600000
	w.Do(context.Background(), it)
	os.Exit(0)
}

// BenchmarkMeasure is the cost of measuring one candidate of a batch of 16 that was built
// before, beside an incumbent, all stages: what remains is not the compiler.
func BenchmarkMeasure(b *testing.B) {
	w, err := New(Config{Dir: b.TempDir(), HostDir: b.TempDir(), BinDir: binDir})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	t := &testing.T{}
	image := measured(t, w, "slow", "good")
	it := withIncumbent(item(t, "slow"), image, "slow")
	for i := range 15 {
		e := it.Entries[0]
		e.Trial = fmt.Sprintf("t-%d", i)
		it.Entries = append(it.Entries, e)
	}
	w.Do(context.Background(), it)
	b.ResetTimer()
	for range b.N {
		if r := w.Do(context.Background(), it); r.Entries[15].Code != wire.OK {
			b.Fatal(codesOf(r))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(16*b.N)/1000, "ms/candidate")
}
