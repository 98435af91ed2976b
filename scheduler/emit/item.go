package emit

import (
	"fmt"

	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/internal/wire"
)

// Symbols of the kernels that every task has besides its candidates.
const (
	NaiveSymbol   = "naive"
	DefaultSymbol = "zero"
)

// Limits of one candidate: compile time and memory, run time of one call, size
// of an artifact.
var limits = wire.Limits{BuildMS: 30_000, RunMS: 10_000, MemMB: 2048, OutKB: 16 << 10}

// naiveNS is what the loops as written, which prove candidate zero, may take for an
// operation, beyond the limit of a call: a product of large powers of two misses every
// cache and the TLB, and neighbours have the rest of the bandwidth.
const naiveNS = 8

// deadlineMS is the time an agent may spend on one item, beyond what its loops as
// written take.
const deadlineMS = 180_000

// Task assembles the work items of one workload on one target.
type Task struct {
	Func   *tir.PrimFunc
	Target target.Target
	CC     string // "gcc", "clang" or a cross compiler's name
	Cold   bool   // rotate weights over more than the last-level cache

	limits     wire.Limits
	args       []wire.Arg
	rule       wire.Rule
	rtol, atol float64
}

// NewTask prepares a workload; the error says which parameter cannot be filled.
func NewTask(f *tir.PrimFunc, t target.Target, cc string) (*Task, error) {
	args, rule, rtol, atol, err := Operands(f)
	if err != nil {
		return nil, err
	}
	l := limits
	l.RunMS += int64(analysis.EstimateFlops(f) * naiveNS / 1e6)
	return &Task{Func: f, Target: t, CC: cc, limits: l, args: args, rule: rule, rtol: rtol, atol: atol}, nil
}

// Item is the part of a work item that the task decides: operands, tolerances,
// toolchain and limits. Identity (work, job, attempt, nonce) is the sender's.
func (t *Task) Item(kind wire.Kind, source *wire.Source, entries []wire.Entry) wire.Work {
	w := wire.Work{
		V: wire.Version, Kind: kind, Pool: t.Target.Pool(), DeadlineMS: deadlineMS + t.limits.RunMS - limits.RunMS, Limits: t.limits, Protocol: wire.Protocol,
		Source: source, Entries: entries, Threads: t.Target.Threads, Args: t.args, Cold: t.Cold, Seed: 1,
	}
	if source != nil {
		w.Toolchain = &wire.Toolchain{CC: t.CC, Flags: t.Target.CFlags(), Triple: t.Target.Triple}
	}
	return w
}

// ExpectNaive compares with the loops of the unscheduled function, which are in
// the same unit under NaiveSymbol.
func (t *Task) ExpectNaive(naive wire.Entry) *wire.Expect {
	return t.expect(wire.Kernel{Symbol: naive.Symbol, Workspace: naive.Workspace, Pack: naive.Pack})
}

// Expect compares with a kernel of another artifact, candidate zero's.
func (t *Task) Expect(k wire.Kernel) *wire.Expect { return t.expect(k) }

func (t *Task) expect(k wire.Kernel) *wire.Expect {
	return &wire.Expect{Reference: &k, Rule: t.rule, RTol: t.rtol, ATol: t.atol}
}

// Unit emits kernels for the task. The first error of Unit that is not nil for a
// kernel belongs to that candidate.
func (t *Task) Unit(ks []Kernel) (string, []wire.Entry, []error) { return Unit(ks, &t.Target) }

// ZeroUnit is the unit of candidate zero: its kernel and the naive one that
// proves it.
func (t *Task) ZeroUnit(zero *tir.PrimFunc) (source string, entry, naive wire.Entry, err error) {
	src, entries, errs := t.Unit([]Kernel{{NaiveSymbol, t.Func}, {DefaultSymbol, zero}})
	for i, e := range errs {
		if e != nil {
			return "", entry, naive, fmt.Errorf("%s: kernel %d of candidate zero: %w", t.Func.Name, i, e)
		}
	}
	return src, entries[1], entries[0], nil
}
