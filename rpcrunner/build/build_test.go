package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hone/internal/cc"
	"hone/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func builder(t *testing.T) (*Builder, wire.Toolchain) {
	t.Helper()
	comp, err := cc.Default(context.Background(), "")
	if err != nil {
		t.Skip(err)
	}
	return &Builder{TempDir: t.TempDir()}, wire.Toolchain{CC: comp.Name(), Flags: []string{"-O2", "-fPIC", "-ffreestanding", "-fno-stack-protector"}}
}

func kernel(symbol, body string) wire.UnitKernel {
	return wire.UnitKernel{Symbol: symbol, Text: fmt.Sprintf("int %s(const void *r, void *const *a, void *w) { %s }\n", symbol, body)}
}

const fine = "((float *)a[0])[0] = 1; return 0;"

func request(tc wire.Toolchain, kernels ...wire.UnitKernel) Request {
	r := Request{Toolchain: tc, Source: wire.JoinUnit("typedef float f32;\n", kernels), Limits: wire.Limits{BuildMS: 20000, OutKB: 1000, MemMB: 16}}
	for _, k := range kernels {
		r.Entries = append(r.Entries, Entry{Symbol: k.Symbol})
	}
	return r
}

func codes(o Output) string {
	var s []string
	for _, e := range o.Entries {
		s = append(s, fmt.Sprintf("%s@%d", e.Code, e.Image))
	}
	return strings.Join(s, " ")
}

func TestBatchIsOneImage(t *testing.T) {
	b, tc := builder(t)
	o, err := b.Build(context.Background(), request(tc, kernel("k0", fine), kernel("k1", fine), kernel("k2", fine), kernel("k3", fine)))
	if err != nil || len(o.Images) != 1 || codes(o) != "ok@0 ok@0 ok@0 ok@0" {
		t.Errorf("%d images, %s, %v", len(o.Images), codes(o), err)
	}
	names, err := exported(o.Images[0])
	if err != nil || !names["k0"] || !names["k3"] || names["f32"] {
		t.Errorf("%v %v", names, err)
	}
}

func TestCulpritIsFoundAlone(t *testing.T) {
	b, tc := builder(t)
	o, err := b.Build(context.Background(), request(tc, kernel("k0", fine), kernel("k1", fine), kernel("k2", "return no_such_name;"), kernel("k3", fine)))
	if err != nil || codes(o) != "ok@0 ok@0 candidate.compile@-1 ok@1" {
		t.Fatalf("%s, %v", codes(o), err)
	}
	if !strings.Contains(o.Entries[2].Detail, "no_such_name") {
		t.Errorf("detail %q", o.Entries[2].Detail)
	}
}

// A unit that is split holds the machine for one compiler run at a time.
func TestEveryRunWaitsItsTurn(t *testing.T) {
	b, tc := builder(t)
	turns, held := 0, 0
	b.Turn = func(context.Context) (func(), error) {
		if held++; held > 1 {
			t.Error("two turns at once")
		}
		turns++
		return func() { held-- }, nil
	}
	o, err := b.Build(context.Background(), request(tc, kernel("k0", fine), kernel("k1", "return no_such_name;")))
	if err != nil || turns != 4 || held != 0 || o.Took <= 0 { // both, each alone, the shared text
		t.Errorf("%d turns, %d held, took %v, %v", turns, held, o.Took, err)
	}
	b.Turn = func(context.Context) (func(), error) { return nil, errors.New("no lock") }
	var ie *ItemError
	if _, err := b.Build(context.Background(), request(tc, kernel("k0", fine))); !errors.As(err, &ie) || ie.Code != wire.DeviceBusy {
		t.Errorf("without a turn: %v", err)
	}
}

func TestEveryFailureHasItsCode(t *testing.T) {
	b, tc := builder(t)
	for name, c := range map[string]struct {
		body string
		want wire.Code
	}{
		"undefined":   {"extern int other(void); return other();", wire.CandidateImage},
		"too big":     {"static char big[1l << 30]; big[(long)w & 7] = 1; return big[1];", wire.CandidateImage},
		"syntax":      {"return (;", wire.CandidateCompile},
		"thread data": {"static _Thread_local int x; return x++;", wire.CandidateImage},
	} {
		o, err := b.Build(context.Background(), request(tc, kernel("good", fine), kernel("bad", c.body)))
		if err != nil || o.Entries[0].Code != wire.OK || o.Entries[1].Code != c.want || o.Entries[1].Detail == "" {
			t.Errorf("%s: %s, %v", name, codes(o), err)
		}
	}
	r := request(tc, kernel("good", fine), kernel("bad", fine))
	r.Entries[1].Symbol, r.Entries[0].Packs = "absent", []string{"good"}
	if o, err := b.Build(context.Background(), r); err != nil || codes(o) != "ok@0 candidate.image@-1" {
		t.Errorf("missing entry: %s, %v", codes(o), err)
	}
}

func TestConstructorsAreRefused(t *testing.T) {
	b, tc := builder(t)
	k := kernel("bad", fine)
	k.Text += "int early_ran;\n__attribute__((constructor)) static void early(void) { early_ran = 1; }\n"
	if o, err := b.Build(context.Background(), request(tc, kernel("good", fine), k)); err != nil || codes(o) != "ok@0 candidate.image@-1" {
		t.Errorf("%s, %v", codes(o), err)
	}
}

// TestSlowCandidate uses a kernel that keeps the compiler busy for long: a statement that
// doubles with every level of macro expansion.
func TestSlowCandidate(t *testing.T) {
	b, tc := builder(t)
	var s strings.Builder
	s.WriteString("#define A0(x) x=x*1664525u+1013904223u; x^=x>>((x&7)+1);\n")
	for i := range 14 {
		fmt.Fprintf(&s, "#define A%d(x) A%d(x) A%d(x)\n", i+1, i, i)
	}
	slow := wire.UnitKernel{Symbol: "slow", Text: s.String() + "int slow(const void *r, void *const *a, void *w) { unsigned x = (unsigned)(long)w; A14(x) return (int)x; }\n"}
	r := request(tc, kernel("k0", fine), slow)
	r.Limits.BuildMS = 400
	start := time.Now()
	o, err := b.Build(context.Background(), r)
	if err != nil || codes(o) != "ok@0 candidate.compile_timeout@-1" {
		t.Errorf("%s, %v", codes(o), err)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestSharedTextIsNobodysFault(t *testing.T) {
	b, tc := builder(t)
	r := request(tc, kernel("k0", fine), kernel("k1", fine))
	r.Source = "typedef nonsense f32;\n" + r.Source
	var ie *ItemError
	if _, err := b.Build(context.Background(), r); !errors.As(err, &ie) || ie.Code != wire.InfraReference {
		t.Errorf("%v", err)
	}
	// A kernel that is no entry (the reference) stays in every part.
	r = request(tc, kernel("k0", fine), kernel("k1", "return (;"))
	r.Source = wire.JoinUnit("", append([]wire.UnitKernel{kernel("reference", fine)}, kernel("k0", fine), kernel("k1", "return (;")))
	o, err := b.Build(context.Background(), r)
	if err != nil || codes(o) != "ok@0 candidate.compile@-1" {
		t.Fatalf("%s, %v", codes(o), err)
	}
	if names, _ := exported(o.Images[0]); !names["reference"] {
		t.Error("the reference is not in the part")
	}
}

func TestToolchainMistakes(t *testing.T) {
	b, tc := builder(t)
	for _, edit := range []func(*wire.Toolchain){
		func(t *wire.Toolchain) { t.CC = "tcc" }, func(t *wire.Toolchain) { t.Version = "0.0.1" }, func(t *wire.Toolchain) { t.Triple = "vax-dec-ultrix" },
	} {
		bad := tc
		edit(&bad)
		var ie *ItemError
		if _, err := b.Build(context.Background(), request(bad, kernel("k", fine))); !errors.As(err, &ie) || ie.Code != wire.InfraToolchain {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.Build(ctx, request(tc, kernel("k", fine))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	b.TempDir = "/nonexistent"
	var ie *ItemError
	if _, err := b.Build(context.Background(), request(tc, kernel("k", fine))); !errors.As(err, &ie) || ie.Code != wire.InfraDisk {
		t.Errorf("no scratch: %v", err)
	}
}

func TestScratchIsLeftClean(t *testing.T) {
	b, tc := builder(t)
	if _, err := b.Build(context.Background(), request(tc, kernel("k0", fine), kernel("k1", "return (;"))); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(b.TempDir)
	if err != nil || len(left) != 0 {
		t.Errorf("%v left, %v", left, err)
	}
}
