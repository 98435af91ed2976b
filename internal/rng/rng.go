// Package rng gives Hone's searches their random numbers: seeded streams that
// are split by name, so that the numbers a step sees depend on what the step
// is (seed, task, round, member) and never on what ran before it.
//
// Equal seeds and labels give equal numbers on every platform and in every
// run. It is no source of secrets. It imports the standard library only. Start
// at [New] and [Rand.Split].
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Rand is one stream: a 256-bit key, which names it, and the state of a
// xoshiro256** generator (Blackman and Vigna, 2018) started from that key.
// A Rand is not safe for concurrent use: give each goroutine its own split.
// It satisfies math/rand/v2's Source.
type Rand struct {
	key   [32]byte
	state [4]uint64
}

// New returns the stream named by seed and labels. Labels are strings, byte
// slices, booleans or integers of any size; another type is a bug and panics.
// The order and the boundaries of labels count, their integer width does not.
func New(seed uint64, labels ...any) *Rand {
	return derive([32]byte{}, append([]any{seed}, labels...))
}

// Split returns the stream named by r's own name and labels. It depends on
// neither the numbers already drawn from r nor earlier splits, and it draws
// nothing from r: the same labels always name the same stream.
func (r *Rand) Split(labels ...any) *Rand { return derive(r.key, labels) }

// Clone returns a stream that goes on with the same numbers as r.
func (r *Rand) Clone() *Rand {
	c := *r
	return &c
}

func derive(parent [32]byte, labels []any) *Rand {
	buf := append(make([]byte, 0, 128), parent[:]...)
	for _, l := range labels {
		buf = appendLabel(buf, l)
	}
	r := &Rand{key: sha256.Sum256(buf)}
	for i := range r.state {
		r.state[i] = binary.LittleEndian.Uint64(r.key[8*i:])
	}
	if r.state == [4]uint64{} {
		r.state[0] = 1 // the generator's one fixed point
	}
	return r
}

// appendLabel writes l with its kind and its length, so that no two lists of
// labels have the same bytes.
func appendLabel(buf []byte, l any) []byte {
	switch v := l.(type) {
	case string:
		buf = append(buf, 's')
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(v)))
		return append(buf, v...)
	case []byte:
		buf = append(buf, 's')
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(v)))
		return append(buf, v...)
	case bool:
		if v {
			return append(buf, 'b', 1)
		}
		return append(buf, 'b', 0)
	}
	n, negative := integer(l)
	kind := byte('u')
	if negative {
		kind = 'n'
	}
	return binary.LittleEndian.AppendUint64(append(buf, kind), n)
}

// integer returns the two's complement of an integer label and its sign.
func integer(l any) (n uint64, negative bool) {
	switch v := l.(type) {
	case int:
		return uint64(v), v < 0
	case int8:
		return uint64(int64(v)), v < 0
	case int16:
		return uint64(int64(v)), v < 0
	case int32:
		return uint64(int64(v)), v < 0
	case int64:
		return uint64(v), v < 0
	case uint:
		return uint64(v), false
	case uint8:
		return uint64(v), false
	case uint16:
		return uint64(v), false
	case uint32:
		return uint64(v), false
	case uint64:
		return v, false
	}
	panic(fmt.Sprintf("BUG: rng: label %v has type %T, want a string, bytes, bool or integer", l, l))
}

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 {
	s := &r.state
	out := bits.RotateLeft64(s[1]*5, 7) * 9
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return out
}
