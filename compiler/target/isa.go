package target

import (
	"slices"
	"sort"
	"strings"
)

// isa is what the code generator must know of an instruction set.
type isa struct {
	triple     string              // default triple
	features   []string            // every feature a target may name, sorted
	baseline   []string            // what every processor has
	implies    map[string][]string // feature → features it cannot be without
	vectorBits func(has func(string) bool) int
	registers  func(has func(string) bool) int
}

var isas = map[string]isa{
	"x86_64": {
		triple: "x86_64-linux-gnu",
		features: []string{
			"amx-bf16", "amx-int8", "amx-tile", "avx", "avx2", "avx512bf16", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512fp16",
			"avx512ifma", "avx512vbmi", "avx512vbmi2", "avx512vl", "avx512vnni", "avx512vpopcntdq", "avxvnni", "bmi", "bmi2", "f16c", "fma",
			"gfni", "lzcnt", "movbe", "popcnt", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3",
		},
		baseline: []string{"sse2"},
		implies: map[string][]string{
			"sse3": {"sse2"}, "ssse3": {"sse3"}, "sse4.1": {"ssse3"}, "sse4.2": {"sse4.1", "popcnt"}, "avx": {"sse4.2"},
			"avx2": {"avx"}, "fma": {"avx"}, "f16c": {"avx"}, "avx512f": {"avx2", "fma", "f16c"}, "avxvnni": {"avx2"},
			"avx512bw": {"avx512f"}, "avx512cd": {"avx512f"}, "avx512dq": {"avx512f"}, "avx512vl": {"avx512f"},
			"avx512vnni": {"avx512f"}, "avx512bf16": {"avx512bw"}, "avx512fp16": {"avx512bw", "avx512dq", "avx512vl"},
			"avx512ifma": {"avx512f"}, "avx512vbmi": {"avx512bw"}, "avx512vbmi2": {"avx512bw"}, "avx512vpopcntdq": {"avx512f"},
			"amx-bf16": {"amx-tile"}, "amx-int8": {"amx-tile"},
		},
		vectorBits: func(has func(string) bool) int {
			switch {
			case has("avx512f"):
				return 512
			case has("avx2"):
				return 256
			}
			// AVX without AVX2 has no 256-bit integer arithmetic, which masks and
			// transcendentals need.
			return 128
		},
		registers: func(has func(string) bool) int {
			if has("avx512f") {
				return 32
			}
			return 16
		},
	},
	"aarch64": {
		triple:     "aarch64-linux-gnu",
		features:   []string{"bf16", "crc", "dotprod", "fp16", "fp16fml", "i8mm", "lse", "neon", "rdm", "sve", "sve2"},
		baseline:   []string{"neon"},
		implies:    map[string][]string{"sve2": {"sve"}, "sve": {"fp16"}, "fp16fml": {"fp16"}, "fp16": {"neon"}, "dotprod": {"neon"}, "i8mm": {"neon"}, "bf16": {"neon"}},
		vectorBits: func(func(string) bool) int { return 128 },
		registers:  func(func(string) bool) int { return 32 },
	},
}

// closure adds what the features imply and the baseline; the result is sorted
// and free of duplicates.
func (i isa) closure(features []string) []string {
	set := map[string]bool{}
	var add func(f string)
	add = func(f string) {
		if set[f] {
			return
		}
		set[f] = true
		for _, g := range i.implies[f] {
			add(g)
		}
	}
	for _, f := range features {
		add(f)
	}
	for _, f := range i.baseline {
		add(f)
	}
	out := make([]string, 0, len(set))
	for f := range set {
		out = append(out, f)
	}
	sort.Strings(out)
	return slices.Clip(out)
}

// isaOfTriple is the instruction set a triple begins with, or "".
func isaOfTriple(triple string) string {
	arch, _, _ := strings.Cut(triple, "-")
	switch arch {
	case "x86_64", "amd64":
		return "x86_64"
	case "aarch64", "arm64":
		return "aarch64"
	}
	return ""
}
