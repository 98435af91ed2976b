// Package target says what a device is, as plain data: what the compiler
// generates code for, what agents describe themselves as and what records are
// filed under. It imports nothing of Hone and does nothing but describe.
//
// Start from [Target]. Parse reads a tag, a JSON description or TVM's target
// spelling; Native describes this machine.
package target

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
)

// Target describes one device. Fields left zero by a description are filled by
// Parse from the micro-architecture and ISA; a Target that came from Parse or
// Native is complete and valid.
type Target struct {
	Kind     string   `json:"kind"`               // a registered kind: "cpu"
	ISA      string   `json:"isa"`                // "x86_64", "aarch64"
	MCPU     string   `json:"mcpu,omitempty"`     // micro-architecture: "znver5", "cortex-a72"
	Features []string `json:"features,omitempty"` // sorted, as the compilers spell them: "avx2", "dotprod"
	Tag      string   `json:"tag,omitempty"`      // the tag it was made from
	Model    string   `json:"model,omitempty"`    // device model: "raspberry-pi-4b"
	Triple   string   `json:"triple"`             // "x86_64-linux-gnu"

	NumCores int   `json:"num-cores"`     // physical cores
	Threads  int   `json:"threads"`       // threads kernels run on; at most what the device schedules
	L1D      int64 `json:"l1d,omitempty"` // bytes, per core
	L2       int64 `json:"l2,omitempty"`  // bytes, per core
	L3       int64 `json:"l3,omitempty"`  // bytes, shared; 0 when there is none

	VectorBits      int `json:"vector-bits"`      // widest vector used for arithmetic
	VectorRegisters int `json:"vector-registers"` // architectural vector registers of that width
}

// maxCores bounds what a description may claim.
const maxCores = 4096

var (
	wordPattern   = regexp.MustCompile(`^[a-z0-9][a-z0-9._+-]{0,63}$`)
	triplePattern = regexp.MustCompile(`^[a-z0-9_]+(-[a-z0-9_]+){1,3}$`)
)

// Validate reports the first field that makes no sense.
func (t *Target) Validate() error {
	if _, ok := kinds[t.Kind]; !ok {
		return fmt.Errorf("target kind %q is not known: use one of %s", t.Kind, kindNames())
	}
	if _, ok := isas[t.ISA]; !ok {
		return fmt.Errorf("target isa %q is not known: use one of %s", t.ISA, isaNames())
	}
	for _, w := range []struct{ name, value string }{{"mcpu", t.MCPU}, {"model", t.Model}} {
		if w.value != "" && !wordPattern.MatchString(w.value) {
			return fmt.Errorf("target %s %q: use lower-case letters, digits and . _ + - only", w.name, w.value)
		}
	}
	if !triplePattern.MatchString(t.Triple) {
		return fmt.Errorf("target triple %q is malformed", t.Triple)
	}
	for _, f := range t.Features {
		if !slices.Contains(isas[t.ISA].features, f) {
			return fmt.Errorf("target feature %q is not one of %s", f, t.ISA)
		}
	}
	switch {
	case t.NumCores < 1 || t.NumCores > maxCores:
		return fmt.Errorf("target num-cores %d is outside 1 … %d", t.NumCores, maxCores)
	case t.Threads < 1 || t.Threads > maxCores:
		return fmt.Errorf("target threads %d is outside 1 … %d", t.Threads, maxCores)
	case t.L1D < 0 || t.L2 < 0 || t.L3 < 0:
		return fmt.Errorf("target cache sizes must not be negative")
	case t.VectorBits != 64 && t.VectorBits != 128 && t.VectorBits != 256 && t.VectorBits != 512:
		return fmt.Errorf("target vector-bits %d: use 64, 128, 256 or 512", t.VectorBits)
	case t.VectorBits > t.nativeVectorBits():
		return fmt.Errorf("target vector-bits %d: features %v have vectors of %d bits", t.VectorBits, t.Features, t.nativeVectorBits())
	case t.VectorRegisters < 8 || t.VectorRegisters > 64:
		return fmt.Errorf("target vector-registers %d is outside 8 … 64", t.VectorRegisters)
	}
	return nil
}

// Has reports whether the device has a feature.
func (t *Target) Has(feature string) bool {
	_, ok := slices.BinarySearch(t.Features, feature)
	return ok
}

// Lanes is how many elements of the given width fit one vector register, 1 at
// least.
func (t *Target) Lanes(bits int) int {
	if bits <= 0 {
		return 1
	}
	return max(1, t.VectorBits/bits)
}

// DotOperand is the type of what the device's dot products of bytes multiply by
// int8: "uint8" for VNNI, "int8" for ARM's, "" where there is no such instruction.
func (t *Target) DotOperand() string {
	switch {
	case t.Has("dotprod"):
		return "int8"
	case t.VectorBits == 512 && t.Has("avx512vnni"), t.VectorBits == 256 && (t.Has("avxvnni") || t.Has("avx512vnni") && t.Has("avx512vl")):
		return "uint8"
	}
	return ""
}

// RegisterBudget is how many vector registers a tile may occupy: accumulators,
// loaded operand vectors and one broadcast scalar together. With 32 registers
// one stays free; with 16 the broadcast folds into the multiply-add.
func (t *Target) RegisterBudget() int {
	if t.VectorRegisters >= 32 {
		return t.VectorRegisters - 1
	}
	return t.VectorRegisters
}

// WithThreads returns the target running its kernels on n threads.
func (t Target) WithThreads(n int) Target {
	t.Threads = n
	return t
}

// complete fills derived and defaulted fields.
func (t *Target) complete() {
	if t.Kind == "" {
		t.Kind = "cpu"
	}
	if u, ok := microArchs[t.MCPU]; ok {
		if t.ISA == "" {
			t.ISA = u.isa
		}
		if t.Features == nil && t.ISA == u.isa {
			t.Features = slices.Clone(u.features)
		}
		t.L1D, t.L2, t.L3 = orElse(t.L1D, u.l1d), orElse(t.L2, u.l2), orElse(t.L3, u.l3)
	}
	if t.ISA == "" {
		t.ISA = isaOfTriple(t.Triple)
	}
	isa, ok := isas[t.ISA]
	if !ok {
		return
	}
	if t.Triple == "" {
		t.Triple = isa.triple
	}
	if t.Features == nil {
		t.Features = slices.Clone(isa.baseline)
	}
	t.Features = isa.closure(t.Features)
	t.L1D, t.L2 = orElse(t.L1D, 32<<10), orElse(t.L2, 256<<10)
	if t.NumCores == 0 {
		t.NumCores = max(1, t.Threads)
	}
	if t.Threads == 0 {
		t.Threads = t.NumCores
	}
	if t.VectorBits == 0 {
		t.VectorBits = t.nativeVectorBits()
	}
	if t.VectorRegisters == 0 {
		t.VectorRegisters = isa.registers(t.Has)
	}
}

func (t *Target) nativeVectorBits() int { return isas[t.ISA].vectorBits(t.Has) }

func orElse(v, d int64) int64 {
	if v != 0 {
		return v
	}
	return d
}

// kind is a family of devices with one code generator and pass pipeline.
type kind struct{ isas []string }

// kinds is the registry of target kinds.
var kinds = map[string]kind{
	"cpu": {isas: []string{"aarch64", "x86_64"}},
}

func kindNames() string { return joinKeys(kinds) }
func isaNames() string  { return joinKeys(isas) }

func joinKeys[V any](m map[string]V) string {
	var names []string
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	s := ""
	for i, n := range names {
		if i > 0 {
			s += ", "
		}
		s += n
	}
	return s
}
