package jobrun

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/db/store"
	"hone/tuner"
)

// Donor is a function whose schedules may be repaired to fit another one.
type Donor struct {
	Func   *tir.PrimFunc
	Traces []trace.Trace // the fastest first
}

// How much is borrowed: traces of the nearest donors, out of those that were tuned
// last.
const (
	lenders = 4
	lent    = 4 // traces of one donor
	asked   = 32
)

// borrow gives a task the fastest schedules of related workloads that were measured
// before the job was created: later ones do not change what the session proposes.
func (d *driver) borrow(ctx context.Context, job store.Job, t store.Task, tt *tuner.Task) error {
	records, err := d.lib.Related(ctx, store.RelatedQuery{Project: job.Project, Workload: t.Workload, Target: t.Target, Before: job.CreatedAt, Each: lent, Limit: asked})
	if err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	var donors []Donor
	last := ""
	for _, r := range records {
		tr, err := trace.Parse(r.Trace)
		if err != nil {
			continue // a record of another version
		}
		if r.Workload != last {
			w, err := d.lib.Workload(ctx, r.Workload)
			if err != nil {
				return fmt.Errorf("task %s: %w", t.Name, err)
			}
			f, err := parseWorkload(w)
			if err != nil {
				continue // its text, too, may be
			}
			last, donors = r.Workload, append(donors, Donor{Func: f})
		}
		n := &donors[len(donors)-1]
		n.Traces = append(n.Traces, tr)
	}
	if tt.Transfer = Borrow(tt.Func, donors); len(tt.Transfer) > 0 {
		d.notes = append(d.notes, fmt.Sprintf("%s: tries %d schedules of %d related workloads first", t.Name, len(tt.Transfer), min(lenders, len(donors))))
	}
	return nil
}

// Borrow orders the traces of the nearest donors for a function: the fastest of
// each first, the nearest donor first among these.
func Borrow(f *tir.PrimFunc, donors []Donor) []trace.Trace {
	at := extents(f)
	near := slices.Clone(donors)
	slices.SortStableFunc(near, func(a, b Donor) int { return cmp.Compare(apart(at, extents(a.Func)), apart(at, extents(b.Func))) })
	near = near[:min(lenders, len(near))]
	var out []trace.Trace
	for place := 0; ; place++ {
		any := false
		for _, d := range near {
			if place < len(d.Traces) {
				out, any = append(out, d.Traces[place]), true
			}
		}
		if !any {
			return out
		}
	}
}

// extents are those of all iterators of all blocks, in order, in octaves.
func extents(f *tir.PrimFunc) []float64 {
	var out []float64
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		if b, ok := s.(*tir.BlockRealize); ok {
			for _, it := range b.Block.Iters {
				n, _ := tir.AsInt(it.Dom.Extent)
				out = append(out, math.Log2(float64(max(n, 1))))
			}
		}
		return true
	})
	return out
}

// apart is the distance of two lists of extents, which are equally long where the
// structure is the same.
func apart(a, b []float64) float64 {
	sum := math.Abs(float64(len(a) - len(b)))
	for i := range min(len(a), len(b)) {
		sum += math.Abs(a[i] - b[i])
	}
	return sum
}
