// Package build compiles batches of kernels: one translation unit and one shared object
// for all candidates of a work item, and when that fails, smaller and smaller parts until
// the culprit is alone. Compilers run through internal/cc (process group, limits, cache).
//
// It must not import the executor or the link. Start from Builder.Build.
package build

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hone/internal/cc"
	"hone/internal/wire"
)

// Builder compiles with the machine's compilers. The zero value works, without a cache.
type Builder struct {
	Cache   *cc.Cache
	TempDir string // scratch; empty is the system's
	// Turn, if set, waits until a compiler may run and returns what ends the run.
	Turn func(ctx context.Context) (release func(), err error)

	mu    sync.Mutex
	found map[string]*cc.Compiler
}

// Entry is a kernel that the image must export.
type Entry struct {
	Symbol string
	Packs  []string // packing functions exported beside it
}

// Request is one unit to build.
type Request struct {
	Toolchain wire.Toolchain
	Source    string // C text, with markers where it may be split
	Entries   []Entry
	Limits    wire.Limits // BuildMS, OutKB and MemMB (of the mapped image) count here; 0 is no limit
}

// EntryResult says where an entry ended up: Image indexes Output.Images when Code is OK.
type EntryResult struct {
	Code   wire.Code
	Detail string
	Image  int
}

// Output of a build. A unit that had to be split leaves several images.
type Output struct {
	Images  [][]byte
	Entries []EntryResult // in the order of the request
	Took    time.Duration // without waiting for a turn
}

// ItemError says that nothing could be built for reasons that are no entry's fault.
type ItemError struct {
	Code wire.Code
	Err  error
}

func (e *ItemError) Error() string { return fmt.Sprintf("%s: %v", e.Code, e.Err) }
func (e *ItemError) Unwrap() error { return e.Err }

// Build compiles the request. The error is an *ItemError or the context's.
func (b *Builder) Build(ctx context.Context, r Request) (Output, error) {
	for _, err := range []error{CheckFlags(r.Toolchain.Flags), CheckSource(r.Source)} {
		if err != nil {
			return Output{}, &ItemError{wire.InfraMessage, err}
		}
	}
	comp, err := b.compiler(ctx, r.Toolchain)
	if err != nil {
		return Output{}, err
	}
	shared, kernels, err := wire.SplitUnit(r.Source)
	if err != nil {
		return Output{}, &ItemError{wire.InfraMessage, err}
	}
	j := &job{ctx: ctx, r: r, turn: b.Turn, shared: shared, kernels: kernels, tc: &cc.Toolchain{
		Compiler: comp, Cache: b.Cache, TempDir: b.TempDir, Limits: limits(r.Limits)}}
	j.out.Entries = make([]EntryResult, len(r.Entries))
	all := make([]int, len(r.Entries))
	for i := range all {
		all[i] = i
		j.out.Entries[i].Image = -1
	}
	if err := j.part(all); err != nil {
		return Output{Took: j.out.Took}, err
	}
	return j.out, nil
}

// Compiler finds the compiler a toolchain asks for; the error is an *ItemError.
func (b *Builder) compiler(ctx context.Context, t wire.Toolchain) (*cc.Compiler, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := t.Triple + " " + t.CC
	comp := b.found[key]
	if comp == nil {
		var err error
		if comp, err = cc.Named(ctx, t.Triple, t.CC); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, &ItemError{wire.InfraToolchain, err}
		}
		if b.found == nil {
			b.found = map[string]*cc.Compiler{}
		}
		b.found[key] = comp
	}
	if t.Version != "" && t.Version != comp.Version {
		return nil, &ItemError{wire.InfraToolchain, fmt.Errorf("%s here is version %s, the item wants %s", t.CC, comp.Version, t.Version)}
	}
	return comp, nil
}

// nice lets compilers run on every processor: what is timed, or searches, comes first.
const nice = 10

func limits(l wire.Limits) cc.Limits {
	wall := l.Build()
	if wall <= 0 {
		return cc.Limits{Nice: nice}
	}
	return cc.Limits{Wall: wall, CPU: wall + time.Second, Nice: nice}
}

// job is one build in progress.
type job struct {
	ctx     context.Context
	r       Request
	turn    func(ctx context.Context) (release func(), err error)
	tc      *cc.Toolchain
	shared  string
	kernels []wire.UnitKernel
	out     Output

	sharedChecked bool
}

// part builds the entries with the given indices into one image, or splits them.
func (j *job) part(idx []int) error {
	image, failure := j.image(idx)
	if failure == nil {
		return j.accept(idx, image)
	}
	if err := j.ctx.Err(); err != nil {
		return err
	}
	if failure.item {
		return &ItemError{failure.code, failure.err}
	}
	if len(idx) > 1 && len(j.kernels) > 0 {
		if err := j.part(idx[:len(idx)/2]); err != nil {
			return err
		}
		return j.part(idx[len(idx)/2:])
	}
	if err := j.checkShared(failure); err != nil {
		return err
	}
	for _, i := range idx {
		j.out.Entries[i] = EntryResult{Code: failure.code, Detail: failure.err.Error(), Image: -1}
	}
	return nil
}

// accept records a good image; entries it does not export are blamed alone.
func (j *job) accept(idx []int, image []byte) error {
	symbols, err := exported(image)
	if err != nil {
		return &ItemError{wire.InfraToolchain, err}
	}
	at := len(j.out.Images)
	used := false
	for _, i := range idx {
		if missing := absent(symbols, j.r.Entries[i]); missing != "" {
			j.out.Entries[i] = EntryResult{Code: wire.CandidateImage, Detail: "the image does not export " + missing, Image: -1}
			continue
		}
		j.out.Entries[i] = EntryResult{Code: wire.OK, Image: at}
		used = true
	}
	if used {
		j.out.Images = append(j.out.Images, image)
	}
	return nil
}

func absent(symbols map[string]bool, e Entry) string {
	for _, s := range append([]string{e.Symbol}, e.Packs...) {
		if !symbols[s] {
			return s
		}
	}
	return ""
}

// checkShared tells a candidate's failure from one of the text all candidates share:
// when that does not compile by itself, no candidate is to blame.
func (j *job) checkShared(f *failure) error {
	if j.sharedChecked || len(j.kernels) == 0 || f.code != wire.CandidateCompile {
		return nil
	}
	if _, err := j.image(nil); err != nil {
		return &ItemError{wire.InfraReference, fmt.Errorf("the part that all entries share does not build: %w", err.err)}
	}
	j.sharedChecked = true
	return nil
}

// unit is the text for some entries: the shared text, kernels that are no entry of the
// request, and those asked for.
func (j *job) unit(idx []int) string {
	if len(j.kernels) == 0 {
		return j.shared
	}
	skip := map[string]bool{}
	for _, e := range j.r.Entries {
		skip[e.Symbol] = true
	}
	for _, i := range idx {
		delete(skip, j.r.Entries[i].Symbol)
	}
	var keep []wire.UnitKernel
	for _, k := range j.kernels {
		if !skip[k.Symbol] {
			keep = append(keep, k)
		}
	}
	return wire.JoinUnit(j.shared, keep)
}

// failure of one attempt; item says that splitting cannot help.
type failure struct {
	code wire.Code
	item bool
	err  error
}

// image compiles and links one part and inspects the result.
func (j *job) image(idx []int) ([]byte, *failure) {
	if j.turn != nil {
		release, err := j.turn(j.ctx)
		if err != nil {
			return nil, &failure{code: wire.DeviceBusy, item: true, err: err}
		}
		defer release()
	}
	start := time.Now()
	defer func() { j.out.Took += time.Since(start) }()
	obj, err := j.tc.Compile(j.ctx, cc.Unit{Text: j.unit(idx), Flags: j.r.Toolchain.Flags})
	if err != nil {
		return nil, classify(err)
	}
	image, err := j.tc.LinkShared(j.ctx, [][]byte{obj}, cc.LinkOptions{})
	if err != nil {
		return nil, classify(err)
	}
	if kb := int64(len(image)+1023) >> 10; j.r.Limits.OutKB > 0 && kb > j.r.Limits.OutKB*int64(max(1, len(idx))) {
		return nil, &failure{code: wire.CandidateCompileMemory, err: fmt.Errorf("the image has %d KiB, more than %d for each of %d entries", kb, j.r.Limits.OutKB, len(idx))}
	}
	if err := inspect(image, j.r.Limits.MemMB<<20); err != nil {
		return nil, &failure{code: wire.CandidateImage, err: err}
	}
	return image, nil
}

// classify turns a compiler's or linker's error into a code.
func classify(err error) *failure {
	var limit *cc.LimitError
	var refused *cc.Error
	switch {
	case errors.As(err, &limit) && limit.Timeout():
		return &failure{code: wire.CandidateCompileTimeout, err: err}
	case errors.As(err, &limit):
		return &failure{code: wire.CandidateCompileMemory, err: err}
	case errors.As(err, &refused) && refused.Stage == "link":
		return &failure{code: wire.CandidateImage, err: err}
	case errors.As(err, &refused):
		return &failure{code: wire.CandidateCompile, err: err}
	}
	return &failure{code: wire.InfraDisk, item: true, err: err}
}
