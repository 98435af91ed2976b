package lower

import (
	"fmt"
	"slices"
	"strings"
)

// Align is the alignment of every buffer and argument, in bytes.
const Align = 64

// Plan is where temporaries lie. Arena is the size of the one block that holds
// them all; Peak the most bytes that are alive during any one kernel, a lower
// bound of Arena.
type Plan struct {
	Arena int64
	Peak  int64
	Lives []Life
}

// Life is a temporary's time and place: the kernels that first and last touch
// it, and its stretch of the arena.
type Life struct {
	Buffer      BufferID
	First, Last int
	Offset      int64
	Bytes       int64
}

// planMemory computes lifetimes over the kernels and places the temporaries,
// largest first, each at the lowest offset that is free during its whole life.
func planMemory(p *Program) {
	lives := lifetimes(p)
	p.Plan = Plan{Peak: peak(lives, len(p.Kernels))}
	byLife := slices.Clone(lives)
	slices.SortStableFunc(lives, func(a, b Life) int {
		if a.Bytes != b.Bytes {
			return int(min(max(b.Bytes-a.Bytes, -1), 1))
		}
		return int(a.Buffer - b.Buffer)
	})
	var placed []Life
	at := map[BufferID]int64{}
	for _, l := range lives {
		l.Offset = lowestGap(placed, l)
		placed = append(placed, l)
		at[l.Buffer] = l.Offset
		p.Buffers[l.Buffer].Offset = l.Offset
		p.Plan.Arena = max(p.Plan.Arena, l.Offset+l.Bytes)
	}
	for i := range byLife {
		byLife[i].Offset = at[byLife[i].Buffer]
	}
	p.Plan.Lives = byLife
}

func lifetimes(p *Program) []Life {
	index := map[BufferID]int{}
	var lives []Life
	for k, kernel := range p.Kernels {
		for _, a := range kernel.Args {
			b := p.Buffer(a.Buffer)
			if b.Kind != Temp {
				continue
			}
			i, ok := index[a.Buffer]
			if !ok {
				i = len(lives)
				index[a.Buffer] = i
				lives = append(lives, Life{Buffer: a.Buffer, First: k, Bytes: alignUp(b.Bytes)})
			}
			lives[i].Last = k
		}
	}
	return lives
}

func alignUp(n int64) int64 { return (n + Align - 1) / Align * Align }

func peak(lives []Life, kernels int) int64 {
	most := int64(0)
	for k := range kernels {
		sum := int64(0)
		for _, l := range lives {
			if l.First <= k && k <= l.Last {
				sum += l.Bytes
			}
		}
		most = max(most, sum)
	}
	return most
}

// lowestGap finds room beside the placed buffers that live at the same time.
func lowestGap(placed []Life, l Life) int64 {
	var busy []Life
	for _, x := range placed {
		if x.First <= l.Last && l.First <= x.Last {
			busy = append(busy, x)
		}
	}
	slices.SortFunc(busy, func(a, b Life) int { return int(min(max(a.Offset-b.Offset, -1), 1)) })
	at := int64(0)
	for _, x := range busy {
		if x.Offset-at >= l.Bytes {
			break
		}
		at = max(at, x.Offset+x.Bytes)
	}
	return at
}

// String prints the plan, one line per temporary in order of first use.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "arena %d bytes, peak %d\n", p.Arena, p.Peak)
	for _, l := range p.Lives {
		fmt.Fprintf(&b, "  b%d: kernels %d..%d, bytes %d..%d\n", l.Buffer, l.First, l.Last, l.Offset, l.Offset+l.Bytes)
	}
	return b.String()
}
