package target

import "sort"

// microArch is what is known of a processor core by its compiler name: its
// features and its usual caches in bytes (L3 where it varies is left 0).
type microArch struct {
	isa         string
	features    []string
	l1d, l2, l3 int64
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

var (
	featSSE42   = []string{"sse4.2"}
	featV3      = []string{"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt"}
	featV4      = with(featV3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
	featCascade = with(featV4, "avx512vnni")
	featIce     = with(featCascade, "avx512ifma", "avx512vbmi", "avx512vbmi2", "avx512vpopcntdq", "gfni")
	featSPR     = with(featIce, "amx-bf16", "amx-int8", "amx-tile", "avx512bf16", "avx512fp16", "avxvnni")
	featZen4    = with(featIce, "avx512bf16")
	featV8      = []string{"crc", "neon"}
	featV82     = with(featV8, "dotprod", "fp16", "lse", "rdm")
	featV84     = with(featV82, "bf16", "fp16fml", "i8mm")
)

func with(base []string, more ...string) []string {
	return append(append([]string{}, base...), more...)
}

// microArchs is the table of known cores, under the names that -mcpu and
// -march take.
var microArchs = map[string]microArch{
	"x86-64":    {isa: "x86_64", features: []string{"sse2"}},
	"x86-64-v2": {isa: "x86_64", features: featSSE42},
	"x86-64-v3": {isa: "x86_64", features: featV3},
	"x86-64-v4": {isa: "x86_64", features: featV4},

	"sandybridge":    {"x86_64", with(featSSE42, "avx"), 32 * kib, 256 * kib, 0},
	"haswell":        {"x86_64", featV3, 32 * kib, 256 * kib, 0},
	"broadwell":      {"x86_64", featV3, 32 * kib, 256 * kib, 0},
	"skylake":        {"x86_64", featV3, 32 * kib, 256 * kib, 0},
	"skylake-avx512": {"x86_64", featV4, 32 * kib, 1 * mib, 0},
	"cascadelake":    {"x86_64", featCascade, 32 * kib, 1 * mib, 0},
	"icelake-client": {"x86_64", featIce, 48 * kib, 512 * kib, 0},
	"icelake-server": {"x86_64", featIce, 48 * kib, 1280 * kib, 0},
	"tigerlake":      {"x86_64", featIce, 48 * kib, 1280 * kib, 0},
	"alderlake":      {"x86_64", with(featV3, "avxvnni", "gfni"), 48 * kib, 1280 * kib, 0},
	"sapphirerapids": {"x86_64", featSPR, 48 * kib, 2 * mib, 0},
	"emeraldrapids":  {"x86_64", featSPR, 48 * kib, 2 * mib, 0},
	"graniterapids":  {"x86_64", featSPR, 48 * kib, 2 * mib, 0},
	"znver1":         {"x86_64", featV3, 32 * kib, 512 * kib, 0},
	"znver2":         {"x86_64", featV3, 32 * kib, 512 * kib, 0},
	"znver3":         {"x86_64", featV3, 32 * kib, 512 * kib, 32 * mib},
	"znver4":         {"x86_64", featZen4, 32 * kib, 1 * mib, 32 * mib},
	"znver5":         {"x86_64", with(featZen4, "avxvnni"), 48 * kib, 1 * mib, 32 * mib},

	"generic":     {isa: "aarch64", features: []string{"neon"}},
	"cortex-a53":  {"aarch64", featV8, 32 * kib, 512 * kib, 0},
	"cortex-a57":  {"aarch64", featV8, 32 * kib, 2 * mib, 0},
	"cortex-a72":  {"aarch64", featV8, 32 * kib, 1 * mib, 0},
	"cortex-a73":  {"aarch64", featV8, 32 * kib, 1 * mib, 0},
	"cortex-a76":  {"aarch64", featV82, 64 * kib, 512 * kib, 2 * mib},
	"cortex-a78":  {"aarch64", featV82, 64 * kib, 512 * kib, 4 * mib},
	"cortex-x1":   {"aarch64", featV82, 64 * kib, 1 * mib, 8 * mib},
	"neoverse-n1": {"aarch64", featV82, 64 * kib, 1 * mib, 0},
	"neoverse-v1": {"aarch64", with(featV84, "sve"), 64 * kib, 1 * mib, 0},
	"neoverse-n2": {"aarch64", with(featV84, "sve2"), 64 * kib, 1 * mib, 0},
	"neoverse-v2": {"aarch64", with(featV84, "sve2"), 64 * kib, 2 * mib, 0},
	"apple-m1":    {"aarch64", with(featV82, "fp16fml"), 64 * kib, 12 * mib, 8 * mib},
	"apple-m2":    {"aarch64", featV84, 64 * kib, 16 * mib, 8 * mib},
}

// MicroArchs lists the known micro-architectures, sorted.
func MicroArchs() []string {
	out := make([]string, 0, len(microArchs))
	for n := range microArchs {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}
