package target

import (
	"fmt"
	"regexp"
	"strings"
)

// KeyVersion is the version of Key's format; a new one comes with a mapping
// from the old.
const KeyVersion = 1

// Key is the identity under which times are comparable: kind, ISA, features,
// micro-architecture, device model and threads. Two devices with equal keys
// are interchangeable; caches and core counts are consequences of the model
// and stay out.
func (t *Target) Key() string {
	return fmt.Sprintf("%d|%s|%s|%s|%s|%s|t%d", KeyVersion, t.Kind, t.ISA, strings.Join(t.Features, ","), orDash(t.MCPU), orDash(t.Model), t.Threads)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

var notPoolRune = regexp.MustCompile(`[^a-z0-9_]+`)

// slug spells a word with the letters of a pool name, hyphens excluded where
// they would separate fields.
func slug(s string) string {
	s = strings.Trim(notPoolRune.ReplaceAllString(strings.ToLower(s), "_"), "_")
	if s == "" {
		return "any"
	}
	return s
}

// Pool is the queue of devices whose keys are equal apart from threads:
// d-<kind>-<isa>-<uarch>-<model> in [a-z0-9_-].
func (t *Target) Pool() string {
	return strings.Join([]string{"d", slug(t.Kind), slug(t.ISA), slug(t.MCPU), slug(t.Model)}, "-")
}

// BuilderPool is the queue of builders for the target's triple with a compiler
// of the given short name ("gcc-12"): b-<triple>-<compiler>.
func (t *Target) BuilderPool(compiler string) string {
	return strings.Join([]string{"b", slug(t.Triple), slug(compiler)}, "-")
}

// Rung is how close a record's target is to the one asked for; smaller is
// closer.
type Rung int

// The rungs of the lookup ladder.
const (
	SameKey       Rung = iota // the same key, threads included
	SameModel                 // the same device model and micro-architecture
	SameMicroArch             // the same micro-architecture
	SameISA                   // the same kind and ISA
	Unrelated
)

var rungNames = [...]string{"same key", "same device model", "same micro-architecture", "same ISA", "unrelated"}

// String names the rung.
func (r Rung) String() string { return rungNames[r] }

// Compare places another target on the ladder below t.
func (t *Target) Compare(other *Target) Rung {
	switch {
	case t.Kind != other.Kind || t.ISA != other.ISA:
		return Unrelated
	case t.Key() == other.Key():
		return SameKey
	case t.Model != "" && t.Model == other.Model && t.MCPU == other.MCPU:
		return SameModel
	case t.MCPU != "" && t.MCPU == other.MCPU:
		return SameMicroArch
	}
	return SameISA
}
