package target

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Native describes the machine this process runs on, with as many threads as
// physical cores it may use.
func Native() (Target, error) {
	t := Target{Kind: "cpu", ISA: hostISA(), Tag: "native"}
	if t.ISA == "" {
		return Target{}, fmt.Errorf("target native: no code generator for %s", runtime.GOARCH)
	}
	cpu := cpuid.CPU
	t.NumCores = usableCores(runtime.NumCPU(), cpu.ThreadsPerCore)
	t.L1D, t.L2, t.L3 = positive(cpu.Cache.L1D), positive(cpu.Cache.L2), positive(cpu.Cache.L3)
	if t.ISA == "x86_64" {
		t.Features = x86Features(cpu.Supports)
		t.MCPU = x86MicroArch(cpu.VendorID, cpu.Family, cpu.Model, t.Features)
		t.Model = modelSlug(cpu.BrandName)
	} else {
		t.Features = armFeatures(cpu.Supports)
		info, err := os.ReadFile("/proc/cpuinfo")
		if err == nil {
			t.MCPU = armMicroArch(string(info))
		}
		t.Model = boardModel("/proc/device-tree/model")
	}
	t.complete()
	return t, t.Validate()
}

func hostISA() string {
	switch runtime.GOARCH {
	case "amd64":
		return "x86_64"
	case "arm64":
		return "aarch64"
	}
	return ""
}

// usableCores is the number of physical cores behind the processors that this
// process may use.
func usableCores(cpus, threadsPerCore int) int {
	if threadsPerCore > 1 {
		cpus /= threadsPerCore
	}
	return min(max(1, cpus), maxCores)
}

func positive(n int) int64 { return int64(max(0, n)) }

// x86FeatureIDs maps the features Hone knows to those cpuid reports; those
// that the operating system does not save are not reported.
var x86FeatureIDs = []struct {
	name string
	id   cpuid.FeatureID
}{
	{"sse2", cpuid.SSE2}, {"sse3", cpuid.SSE3}, {"ssse3", cpuid.SSSE3}, {"sse4.1", cpuid.SSE4}, {"sse4.2", cpuid.SSE42}, {"popcnt", cpuid.POPCNT},
	{"avx", cpuid.AVX}, {"avx2", cpuid.AVX2}, {"fma", cpuid.FMA3}, {"f16c", cpuid.F16C}, {"bmi", cpuid.BMI1}, {"bmi2", cpuid.BMI2},
	{"lzcnt", cpuid.LZCNT}, {"movbe", cpuid.MOVBE}, {"gfni", cpuid.GFNI}, {"avxvnni", cpuid.AVXVNNI},
	{"avx512f", cpuid.AVX512F}, {"avx512bw", cpuid.AVX512BW}, {"avx512cd", cpuid.AVX512CD}, {"avx512dq", cpuid.AVX512DQ}, {"avx512vl", cpuid.AVX512VL},
	{"avx512vnni", cpuid.AVX512VNNI}, {"avx512bf16", cpuid.AVX512BF16}, {"avx512fp16", cpuid.AVX512FP16}, {"avx512ifma", cpuid.AVX512IFMA},
	{"avx512vbmi", cpuid.AVX512VBMI}, {"avx512vbmi2", cpuid.AVX512VBMI2}, {"avx512vpopcntdq", cpuid.AVX512VPOPCNTDQ},
	{"amx-tile", cpuid.AMXTILE}, {"amx-int8", cpuid.AMXINT8}, {"amx-bf16", cpuid.AMXBF16},
}

func x86Features(supports func(...cpuid.FeatureID) bool) []string {
	var out []string
	for _, f := range x86FeatureIDs {
		if supports(f.id) {
			out = append(out, f.name)
		}
	}
	return out
}

// x86MicroArch names the core by vendor, family and model (the numbering of
// the vendors' revision guides), or by the level of its features when it is
// not in the table.
func x86MicroArch(vendor cpuid.Vendor, family, model int, features []string) string {
	name := ""
	switch {
	case vendor == cpuid.AMD && family == 0x17:
		name = "znver1"
		if model >= 0x30 {
			name = "znver2"
		}
	case vendor == cpuid.AMD && family == 0x19:
		name = "znver3"
		if model >= 0x10 && model <= 0x1f || model >= 0x60 && model <= 0xaf {
			name = "znver4"
		}
	case vendor == cpuid.AMD && family == 0x1a:
		name = "znver5"
	case vendor == cpuid.Intel && family == 6:
		name = intelModels[model]
		if name == "skylake-avx512" && slices.Contains(features, "avx512vnni") {
			name = "cascadelake"
		}
	}
	if name != "" && supersetOf(features, microArchs[name].features) {
		return name
	}
	for _, level := range []string{"x86-64-v4", "x86-64-v3", "x86-64-v2"} {
		if supersetOf(features, isas["x86_64"].closure(microArchs[level].features)) {
			return level
		}
	}
	return "x86-64"
}

var intelModels = map[int]string{
	0x2a: "sandybridge", 0x2d: "sandybridge", 0x3c: "haswell", 0x3f: "haswell", 0x45: "haswell", 0x46: "haswell",
	0x3d: "broadwell", 0x47: "broadwell", 0x4f: "broadwell", 0x56: "broadwell",
	0x4e: "skylake", 0x5e: "skylake", 0x8e: "skylake", 0x9e: "skylake", 0xa5: "skylake", 0xa6: "skylake", 0x55: "skylake-avx512",
	0x7d: "icelake-client", 0x7e: "icelake-client", 0x6a: "icelake-server", 0x6c: "icelake-server", 0x8c: "tigerlake", 0x8d: "tigerlake",
	0x97: "alderlake", 0x9a: "alderlake", 0xb7: "alderlake", 0xba: "alderlake", 0xbf: "alderlake",
	0x8f: "sapphirerapids", 0xcf: "emeraldrapids", 0xad: "graniterapids", 0xae: "graniterapids",
}

func supersetOf(have, want []string) bool {
	for _, w := range want {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

func armFeatures(supports func(...cpuid.FeatureID) bool) []string {
	out := []string{"neon"}
	for _, f := range []struct {
		name string
		id   cpuid.FeatureID
	}{
		{"dotprod", cpuid.ASIMDDP}, {"fp16", cpuid.ASIMDHP}, {"rdm", cpuid.ASIMDRDM}, {"sve", cpuid.SVE}, {"sve2", cpuid.SVE2},
		{"bf16", cpuid.BF16}, {"i8mm", cpuid.I8MM}, {"crc", cpuid.CRC32}, {"lse", cpuid.ATOMICS},
	} {
		if supports(f.id) {
			out = append(out, f.name)
		}
	}
	return out
}

var cpuinfoField = regexp.MustCompile(`(?m)^CPU (implementer|part)\s*:\s*(0x[0-9a-f]+)`)

// armParts maps implementer and part of /proc/cpuinfo to core names. On chips
// with unequal cores the last, which is the largest, counts.
var armParts = map[string]string{
	"0x41/0xd03": "cortex-a53", "0x41/0xd07": "cortex-a57", "0x41/0xd08": "cortex-a72", "0x41/0xd09": "cortex-a73",
	"0x41/0xd0b": "cortex-a76", "0x41/0xd41": "cortex-a78", "0x41/0xd44": "cortex-x1", "0x41/0xd0c": "neoverse-n1",
	"0x41/0xd40": "neoverse-v1", "0x41/0xd49": "neoverse-n2", "0x41/0xd4f": "neoverse-v2",
	"0x61/0x022": "apple-m1", "0x61/0x023": "apple-m1", "0x61/0x032": "apple-m2", "0x61/0x033": "apple-m2",
}

func armMicroArch(cpuinfo string) string {
	implementer, name := "", "generic"
	for _, m := range cpuinfoField.FindAllStringSubmatch(cpuinfo, -1) {
		if m[1] == "implementer" {
			implementer = m[2]
		} else if n, ok := armParts[implementer+"/"+m[2]]; ok {
			name = n
		}
	}
	return name
}

var (
	brandNoise  = regexp.MustCompile(`(?i)\((r|tm)\)|\bcpu\b|\bprocessor\b|@.*$|\d+-core|with radeon.*$`)
	notSlugRune = regexp.MustCompile(`[^a-z0-9.]+`)
)

// modelSlug turns a processor's brand text into a device model.
func modelSlug(brand string) string {
	s := strings.ToLower(brandNoise.ReplaceAllString(brand, " "))
	s = strings.Trim(notSlugRune.ReplaceAllString(s, "-"), "-.")
	if len(s) > 48 {
		s = strings.Trim(s[:48], "-.")
	}
	return s
}

// boardModel reads a board's name from the device tree: "Raspberry Pi 4 Model
// B Rev 1.4" becomes "raspberry-pi-4b", as the tag spells it.
func boardModel(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	s := modelSlug(strings.TrimRight(string(b), "\x00\n"))
	s, _, _ = strings.Cut(s, "-rev-")
	if rest, ok := strings.CutPrefix(s, "raspberry-pi-"); ok {
		s = "raspberry-pi-" + strings.ReplaceAll(strings.ReplaceAll(rest, "-model-", ""), "-plus", "plus")
	}
	return s
}
