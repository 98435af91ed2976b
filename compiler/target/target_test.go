package target

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

func parse(t *testing.T, s string) Target {
	t.Helper()
	got, err := Parse(s)
	if err != nil {
		t.Fatalf("Parse(%q): %v", s, err)
	}
	return got
}

func TestEveryTagIsCompleteAndRoundTrips(t *testing.T) {
	for _, tag := range Tags() {
		got := parse(t, tag)
		if got.Tag != tag || got.L1D == 0 || got.VectorBits == 0 || got.Threads != got.NumCores {
			t.Errorf("%s: %+v", tag, got)
		}
		if again := parse(t, got.String()); !reflect.DeepEqual(again, got) {
			t.Errorf("%s changed over JSON:\n%+v\n%+v", tag, got, again)
		}
		if got.Pool() != strings.ToLower(got.Pool()) || strings.Count(got.Pool(), "-") != 4 {
			t.Errorf("pool %q", got.Pool())
		}
	}
}

func TestMicroArchTableIsConsistent(t *testing.T) {
	for _, name := range MicroArchs() {
		u := microArchs[name]
		got := parse(t, `{"kind":"cpu","mcpu":"`+name+`","num-cores":2}`)
		if got.ISA != u.isa {
			t.Errorf("%s: isa %s", name, got.ISA)
		}
		for _, f := range u.features {
			if !got.Has(f) {
				t.Errorf("%s: feature %s lost", name, f)
			}
		}
	}
	for n, i := range isas {
		if !slices.IsSorted(i.features) {
			t.Errorf("features of %s are not sorted", n)
		}
		for f, implied := range i.implies {
			for _, g := range append([]string{f}, implied...) {
				if !slices.Contains(i.features, g) {
					t.Errorf("%s: implication names %q", n, g)
				}
			}
		}
	}
}

func TestLanesAndBudget(t *testing.T) {
	for _, c := range []struct {
		tag                  string
		f32, f64, i8, budget int
	}{
		{"x86_64/avx512", 16, 8, 64, 31}, {"x86_64/avx2", 8, 4, 32, 16}, {"x86_64/sse4.2", 4, 2, 16, 16},
		{"raspberry-pi/4b", 4, 2, 16, 31}, {"aws/c7g.large", 4, 2, 16, 31},
	} {
		g := parse(t, c.tag)
		if g.Lanes(32) != c.f32 || g.Lanes(64) != c.f64 || g.Lanes(8) != c.i8 || g.RegisterBudget() != c.budget {
			t.Errorf("%s: lanes %d %d %d, budget %d", c.tag, g.Lanes(32), g.Lanes(64), g.Lanes(8), g.RegisterBudget())
		}
	}
	if (&Target{VectorBits: 64}).Lanes(128) != 1 {
		t.Error("fewer than one lane")
	}
}

func TestTVMSpellings(t *testing.T) {
	want := parse(t, `{"kind":"cpu","mcpu":"cascadelake","num-cores":4}`)
	for _, s := range []string{
		`{"kind":"llvm","mcpu":"cascadelake","num-cores":4,"keys":["cpu"],"mtriple":"x86_64-unknown-linux-gnu"}`,
		"llvm -mcpu=cascadelake -num-cores=4", "llvm -mcpu cascadelake --num-cores 4 -keys=cpu",
		`{"kind":"llvm","mcpu":"skylake-avx512","mattr":["+avx512vnni"],"num-cores":4}`,
	} {
		got := parse(t, s)
		if !slices.Equal(got.Features, want.Features) || got.NumCores != 4 || got.Triple != want.Triple {
			t.Errorf("%s: %+v", s, got)
		}
	}
	pi := parse(t, "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -mattr=+neon,+fullfp16 -model=bcm2711")
	if pi.ISA != "aarch64" || !pi.Has("fp16") || pi.Model != "bcm2711" {
		t.Errorf("%+v", pi)
	}
	if g := parse(t, `{"kind":"llvm","mcpu":"znver4","mattr":["-avx512vnni"]}`); g.Has("avx512vnni") || !g.Has("avx512f") {
		t.Errorf("%v", g.Features)
	}
}

func TestBadTargets(t *testing.T) {
	for s, want := range map[string]string{
		"":                                "empty target",
		"raspberry-pi/9":                  "there are raspberry-pi/3b, raspberry-pi/4b, raspberry-pi/5",
		"toaster":                         "use native, a JSON description, or a tag of aarch64, aws",
		`{"kind":"tpu"}`:                  `target kind "tpu" is not known`,
		`{"kind":"cpu","isa":"vax"}`:      `target isa "vax"`,
		`{"kind":"cpu","mcpu":"znver99"}`: `target mcpu "znver99" is not known`,
		`{"kind":"cpu","colour":"red"}`:   "colour",
		`{"kind":"cpu","isa":"x86_64","features":["neon"]}`:   `feature "neon" is not one of x86_64`,
		`{"kind":"cpu","isa":"x86_64","num-cores":-1}`:        "num-cores -1",
		`{"kind":"cpu","isa":"x86_64","vector-bits":512}`:     "vector-bits 512",
		`{"kind":"cpu","isa":"x86_64","vector-bits":100}`:     "vector-bits 100",
		`{"kind":"cpu","isa":"x86_64","model":"a b"}`:         `model "a b"`,
		`{"kind":"cpu","isa":"x86_64"} {}`:                    "text after the object",
		`{"kind":"llvm","isa":"x86_64","mattr":["avx2"]}`:     `write +avx2 or -avx2`,
		`{"kind":"llvm","isa":"x86_64","mattr":["+avx1024"]}`: `feature "avx1024"`,
		"llvm -mcpu": "has no value", "llvm fast": "not an option", "llvm -num-cores=two": "not a number", "llvm -turbo=1": "unknown option -turbo",
	} {
		_, err := Parse(s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) gave %v, want %q", s, err, want)
		}
	}
	var g Target
	if err := json.Unmarshal([]byte(`{"kind":"tpu"}`), &g); err == nil {
		t.Error("unmarshalling a bad target gave no error")
	}
}

func TestKeyPoolAndLadder(t *testing.T) {
	a := parse(t, "aws/c7a.large")
	if got, want := a.Key(), "1|cpu|x86_64|avx,avx2,avx512bf16,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,f16c,fma,gfni,lzcnt,movbe,popcnt,sse2,sse3,sse4.1,sse4.2,ssse3|znver4|aws-c7a.large|t2"; got != want {
		t.Errorf("key %s", got)
	}
	if got := a.Pool(); got != "d-cpu-x86_64-znver4-aws_c7a_large" {
		t.Errorf("pool %s", got)
	}
	if got := a.BuilderPool("gcc-12"); got != "b-x86_64_linux_gnu-gcc_12" {
		t.Errorf("builder pool %s", got)
	}
	one := a.WithThreads(1)
	if one.Key() == a.Key() || one.Pool() != a.Pool() {
		t.Error("threads belong to the key and not to the pool")
	}
	big := parse(t, "aws/c7a.4xlarge")
	intel := parse(t, "aws/c5.large")
	arm := parse(t, "aws/c7g.large")
	for _, c := range []struct {
		other *Target
		want  Rung
	}{{&a, SameKey}, {&one, SameModel}, {&big, SameMicroArch}, {&intel, SameISA}, {&arm, Unrelated}} {
		if got := a.Compare(c.other); got != c.want {
			t.Errorf("%s: %v, want %v", c.other.Tag, got, c.want)
		}
	}
}

func TestCFlags(t *testing.T) {
	avx2 := parse(t, "x86_64/avx2")
	flags := strings.Join(avx2.CFlags(), " ")
	for _, want := range []string{"-O2", "-mavx2", "-mfma", "-mf16c", "-mtune=generic", "-ffp-contract=fast", "-ffreestanding"} {
		if !strings.Contains(flags, want) {
			t.Errorf("flags %s lack %s", flags, want)
		}
	}
	for _, bad := range []string{"fast-math", "-march", "-mavx512", "-mtune=native"} {
		if strings.Contains(flags, bad) {
			t.Errorf("flags %s have %s", flags, bad)
		}
	}
	avx512 := parse(t, "x86_64/avx512")
	if !slices.Contains(avx512.CFlags(), "-mprefer-vector-width=512") || !slices.Contains(avx512.CFlags(), "-mavx512f") {
		t.Errorf("flags %v", avx512.CFlags())
	}
	arm := parse(t, "raspberry-pi/5")
	if !slices.Contains(arm.CFlags(), "-march=armv8.2-a+crc+dotprod+fp16+lse+rdma") {
		t.Errorf("flags %v", arm.CFlags())
	}
}

func TestNative(t *testing.T) {
	got, err := Native()
	if err != nil {
		t.Skip(err)
	}
	if got.NumCores > runtime.NumCPU() || got.Tag != "native" || got.MCPU == "" {
		t.Errorf("%+v", got)
	}
	if runtime.GOARCH == "amd64" {
		info, err := os.ReadFile("/proc/cpuinfo")
		if err == nil && got.Has("avx2") != strings.Contains(string(info), " avx2 ") {
			t.Errorf("features %v differ from /proc/cpuinfo", got.Features)
		}
	}
	again := parse(t, got.String())
	if again.Key() != got.Key() {
		t.Errorf("key changed over JSON: %s, %s", got.Key(), again.Key())
	}
}

func TestX86MicroArch(t *testing.T) {
	all := isas["x86_64"].features
	v3 := isas["x86_64"].closure(featV3)
	for _, c := range []struct {
		vendor        cpuid.Vendor
		family, model int
		features      []string
		want          string
	}{
		{cpuid.AMD, 0x19, 0x01, v3, "znver3"}, {cpuid.AMD, 0x19, 0x11, all, "znver4"}, {cpuid.AMD, 0x1a, 0x02, all, "znver5"},
		{cpuid.AMD, 0x17, 0x31, v3, "znver2"}, {cpuid.AMD, 0x17, 0x01, v3, "znver1"},
		{cpuid.Intel, 6, 0x55, isas["x86_64"].closure(featV4), "skylake-avx512"}, {cpuid.Intel, 6, 0x55, isas["x86_64"].closure(featCascade), "cascadelake"},
		{cpuid.Intel, 6, 0x8f, all, "sapphirerapids"}, {cpuid.Intel, 6, 0xff, v3, "x86-64-v3"},
		{cpuid.AMD, 0x19, 0x11, v3, "x86-64-v3"}, // a virtual machine that hides AVX-512
		{cpuid.VendorUnknown, 1, 1, []string{"sse2"}, "x86-64"},
	} {
		if got := x86MicroArch(c.vendor, c.family, c.model, c.features); got != c.want {
			t.Errorf("%v family %#x model %#x: %s, want %s", c.vendor, c.family, c.model, got, c.want)
		}
	}
}

func TestArmMicroArchAndBoard(t *testing.T) {
	info := "processor : 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\nprocessor : 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd09\n"
	if got := armMicroArch(info); got != "cortex-a73" {
		t.Errorf("%s", got)
	}
	if got := armMicroArch("CPU implementer : 0x99\nCPU part : 0x001\n"); got != "generic" {
		t.Errorf("%s", got)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := os.WriteFile(path, []byte("Raspberry Pi 4 Model B Rev 1.4\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := boardModel(path); got != parse(t, "raspberry-pi/4b").Model {
		t.Errorf("board %q", got)
	}
	for in, want := range map[string]string{
		"Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz": "intel-xeon-platinum-8375c",
		"AMD EPYC 7R13 48-Core Processor":               "amd-epyc-7r13", "": "",
	} {
		if got := modelSlug(in); got != want {
			t.Errorf("modelSlug(%q) = %q", in, got)
		}
	}
}

func TestUsableCores(t *testing.T) {
	for _, c := range []struct{ cpus, per, want int }{{2, 1, 2}, {8, 2, 4}, {1, 2, 1}, {4, 0, 4}} {
		if got := usableCores(c.cpus, c.per); got != c.want {
			t.Errorf("usableCores(%d, %d) = %d", c.cpus, c.per, got)
		}
	}
}
