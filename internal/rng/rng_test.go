package rng

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

var _ rand.Source = (*Rand)(nil)

// The generator itself, against the published reference sequence: from the
// state {1, 2, 3, 4} xoshiro256** gives these first numbers.
func TestGeneratorMatchesItsReference(t *testing.T) {
	r := &Rand{state: [4]uint64{1, 2, 3, 4}}
	want := []uint64{11520, 0, 1509978240, 1215971899390074240, 1216172134540287360, 607988272756665600}
	for i, w := range want {
		if got := r.Uint64(); got != w {
			t.Fatalf("number %d is %d, want %d", i, got, w)
		}
	}
}

// Stored jobs are resumed from their seeds: the streams may never change.
func TestStreamsNeverChange(t *testing.T) {
	for i, c := range []struct {
		r    *Rand
		want uint64
	}{
		{New(0), 0x547402d8d9269a7a},
		{New(42, "task", 3), 0x4f25910c34e4d518},
		{New(1).Split("a"), 0x914e5232b5f53ad4},
	} {
		if got := c.r.Uint64(); got != c.want {
			t.Errorf("case %d: the first number is %#x, want %#x", i, got, c.want)
		}
	}
}

func TestLabelsKeepTheirBoundaries(t *testing.T) {
	seen := map[uint64]string{}
	for name, r := range map[string]*Rand{
		"ab,c": New(1, "ab", "c"), "a,bc": New(1, "a", "bc"), "abc": New(1, "abc"),
		"5": New(1, 5), "str 5": New(1, "5"), "-5": New(1, -5), "true": New(1, true), "1": New(1, 1),
		"none": New(1), "split a": New(1).Split("a", 0), "seed 2": New(2),
	} {
		v := r.Uint64()
		if other, dup := seen[v]; dup {
			t.Fatalf("%q and %q name the same stream", name, other)
		}
		seen[v] = name
	}
	if firstOf(New(1, 7)) != firstOf(New(1, uint8(7))) || firstOf(New(1, "x")) != firstOf(New(1, []byte("x"))) {
		t.Fatal("a label's width or string form must not matter")
	}
}

func TestSplitIsIndependentOfDraws(t *testing.T) {
	a, b := New(9), New(9)
	for range 100 {
		a.Uint64()
	}
	a.Split("other").Uint64()
	if firstOf(a.Split("x")) != firstOf(b.Split("x")) {
		t.Fatal("a split depends on what was drawn")
	}
	before := a.Clone()
	a.Split("y")
	if a.Uint64() != before.Uint64() {
		t.Fatal("a split drew from its parent")
	}
}

// Streams of neighbouring names must not resemble each other: their bits agree
// half of the time.
func TestNeighbouringStreamsDiffer(t *testing.T) {
	const n = 2000
	agree := 0
	for i := range n {
		x := firstOf(New(7, i)) ^ firstOf(New(7, i+1))
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], ^x)
		for _, c := range b {
			for ; c > 0; c &= c - 1 {
				agree++
			}
		}
	}
	// 128,000 fair coins: six standard deviations are 1,073.
	if d := agree - n*32; d > 1100 || d < -1100 {
		t.Fatalf("%d of %d bits agree", agree, n*64)
	}
}

func TestUnknownLabelPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Fatal("a float label must panic")
		}
	}()
	New(1, 0.5)
}

func firstOf(r *Rand) uint64 { return r.Clone().Uint64() }

func BenchmarkSplit(b *testing.B) {
	r := New(1)
	for i := range b.N {
		r.Split("member", i)
	}
}
