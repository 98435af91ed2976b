package rpcrunner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hone/internal/hostlock"
	"hone/internal/wire"
	"hone/rpcrunner/executor"
)

// Numbers under which a session's operands and kernels are known to the executor.
const (
	opExpected = 64  // + output number
	opPacked   = 128 // from here on: packed constants

	tagIncumbent = -1
	tagReference = -2
)

// defaultRun bounds a kernel call when the item does not.
const defaultRun = 10 * time.Second

// session measures one item: it owns the current executor child and whatever was loaded
// into it, and starts a new child when one died.
type session struct {
	w        *Worker
	item     *wire.Work
	operands *operandSet
	release  hostlock.Release // of the processors

	sealed map[string]*executor.Sealed // images by digest
	own    *wire.Blob                  // the item's image

	p          *executor.Process
	cpu        int
	started    int // children
	candidates int // candidates that ran in this child
	images     map[string]int
	nextOp     int
	nextKernel int
	estimate   map[int]float64 // nanoseconds per call, by kernel
	copy       int             // where cold constants go on
	copies     int             // of each constant of a kernel that is timed
	incumbent  *loaded
}

// loaded is a kernel that the child can call.
type loaded struct {
	id        int
	packed    []int         // operands to drop with it
	constants map[int]int64 // operands that stay the same from call to call, with their sizes
}

// contextError is a failure that is no candidate's, with its code.
type contextError struct {
	code wire.Code
	err  error
}

func (e *contextError) Error() string { return e.err.Error() }
func (e *contextError) Unwrap() error { return e.err }

func blame(code wire.Code, err error) error { return &contextError{code, err} }

// close ends the child and frees the images.
func (s *session) close() {
	s.drop()
	for _, f := range s.sealed {
		_ = f.Close()
	}
	s.sealed = nil
}

// drop ends the current child.
func (s *session) drop() {
	if s.p != nil {
		s.p.Close()
		s.p = nil
		s.release()
	}
}

// image seals the artifact b for the children to map.
func (s *session) image(ctx context.Context, b *wire.Blob) (*executor.Sealed, error) {
	if f := s.sealed[b.SHA256]; f != nil {
		return f, nil
	}
	data, err := s.w.artifacts.get(ctx, *b)
	if err != nil {
		return nil, blame(fetchCode(ctx, err), err)
	}
	f, err := executor.SealImage(data)
	if err != nil {
		return nil, blame(wire.DeviceMemory, err)
	}
	s.sealed[b.SHA256] = f
	return f, nil
}

// ensure makes a child ready with operands, expected outputs and the incumbent. A child
// that dies meanwhile is tried once more: somebody outside may have killed it.
func (s *session) ensure(ctx context.Context) error {
	if s.p != nil {
		return nil
	}
	err := s.prepare(ctx)
	var d *executor.Death
	if errors.As(err, &d) && ctx.Err() == nil {
		err = s.prepare(ctx)
	}
	return err
}

func (s *session) prepare(ctx context.Context) error {
	p, release, err := s.w.startExecutor(ctx, s.item.Threads, s.w.page)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return blame(wire.DeviceExecutor, err)
	}
	s.p, s.release, s.cpu = p, release, p.CPU()
	s.started++
	s.candidates, s.copy = 0, 0
	s.images, s.estimate = map[string]int{}, map[int]float64{}
	s.nextOp, s.nextKernel, s.incumbent = opPacked, 0, nil
	if err := s.loadOperands(ctx); err != nil {
		return s.setupFailed(ctx, wire.DeviceMemory, err)
	}
	if err := s.loadExpected(ctx); err != nil {
		return s.setupFailed(ctx, wire.InfraReference, err)
	}
	if err := s.loadIncumbent(ctx); err != nil {
		return s.setupFailed(ctx, wire.InfraReference, err)
	}
	return nil
}

func (s *session) loadIncumbent(ctx context.Context) error {
	inc := s.item.Incumbent
	if inc == nil {
		return nil
	}
	l, err := s.load(ctx, &inc.Kernel, tagIncumbent)
	if err == nil {
		err = s.warm(ctx, l)
	}
	if err == nil {
		err = s.chill(ctx, l)
	}
	if err != nil {
		return fmt.Errorf("incumbent %s: %w", inc.Symbol, err)
	}
	s.incumbent = l
	return nil
}

// setupFailed ends a child that could not be made ready.
func (s *session) setupFailed(ctx context.Context, code wire.Code, err error) error {
	s.drop()
	var ce *contextError
	if errors.As(err, &ce) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return blame(code, err)
}

// loadOperands shows the child the inputs and makes room for the outputs.
func (s *session) loadOperands(ctx context.Context) error {
	for i := range s.item.Args {
		a := &s.item.Args[i]
		var err error
		if a.Role == wire.RoleOut {
			err = s.p.Output(ctx, i, a.DType, a.Bytes())
		} else {
			err = s.p.Input(ctx, i, a.DType, s.operands.inputs[i])
		}
		s.w.touch()
		if err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return nil
}

// runLimit is how long one call may take.
func (s *session) runLimit() time.Duration {
	if l := s.item.Limits.Run(); l > 0 {
		return l
	}
	return defaultRun
}

// blobOf is the image of a kernel.
func (s *session) blobOf(b *wire.Blob) (*wire.Blob, error) {
	if b == nil {
		b = s.own
	}
	if b == nil {
		return nil, blame(wire.InfraArtifact, errors.New("the item has no image of its own"))
	}
	return b, nil
}

// notTheEntrys tells an image that only the reference or the incumbent needs from one of
// the entries: building those again would not bring it back.
func (s *session) notTheEntrys(b *wire.Blob, err error) error {
	var ce *contextError
	if !errors.As(err, &ce) || ce.code != wire.InfraArtifact || s.own != nil && s.own.SHA256 == b.SHA256 {
		return err
	}
	if slices.ContainsFunc(s.item.Entries, func(e wire.Entry) bool { return e.Artifact != nil && e.Artifact.SHA256 == b.SHA256 }) {
		return err
	}
	return blame(wire.InfraReference, err)
}

// load maps a kernel's image, packs its constants and binds it to its operands.
func (s *session) load(ctx context.Context, k *wire.Kernel, tag int) (*loaded, error) {
	b, err := s.blobOf(k.Artifact)
	if err != nil {
		return nil, err
	}
	f, err := s.image(ctx, b)
	if err != nil {
		return nil, s.notTheEntrys(b, err)
	}
	image, mapped := s.images[b.SHA256]
	if !mapped {
		image = len(s.images)
	}
	if err := s.p.Budget(ctx, s.memory(k), s.item.Deadline()); err != nil {
		return nil, err
	}
	if !mapped {
		if err := s.p.Image(ctx, image, f); err != nil {
			return nil, err
		}
		s.images[b.SHA256] = image
	}
	l := &loaded{id: s.nextKernel, constants: map[int]int64{}}
	ops := make([]int, len(s.item.Args))
	for i := range ops {
		ops[i] = i
		if a := &s.item.Args[i]; a.Role == wire.RoleWeight {
			l.constants[i] = a.Bytes()
		}
	}
	for _, p := range k.Pack {
		id := s.nextOp
		s.nextOp++
		if err := s.p.Pack(ctx, s.runLimit(), tag, image, p.Symbol, p.Arg, id, p.Bytes); err != nil {
			return l, err
		}
		l.packed = append(l.packed, id)
		delete(l.constants, p.Arg)
		ops[p.Arg], l.constants[id] = id, p.Bytes
		s.w.touch()
	}
	if err := s.p.Kernel(ctx, l.id, tag, image, k.Symbol, k.Workspace, ops); err != nil {
		return l, err
	}
	s.nextKernel++
	return l, nil
}

// memory is what a kernel may add to the child: its own limit, and what is set aside for
// it. Zero is no limit.
func (s *session) memory(k *wire.Kernel) int64 {
	if s.item.Limits.MemMB == 0 {
		return 0
	}
	const guards = 5 << 20 // guard pages, huge page alignment and rounding of one operand
	n := s.item.Limits.MemMB<<20 + k.Workspace + guards
	for _, p := range k.Pack {
		n += (p.Bytes + guards) * int64(s.copies)
	}
	for i := range s.item.Args {
		if a := &s.item.Args[i]; a.Role == wire.RoleWeight {
			n += (a.Bytes() + guards) * int64(s.copies-1)
		}
	}
	return n
}

// chill makes the copies of a kernel's constants that it rotates over while it is timed,
// where they are to be cold. What is only checked needs none.
func (s *session) chill(ctx context.Context, l *loaded) error {
	if s.copies == 1 {
		return nil
	}
	for id, bytes := range l.constants {
		if err := s.p.Copies(ctx, id, bytes, s.copies); err != nil {
			return err
		}
		s.w.touch()
	}
	return nil
}

// unload forgets a kernel and frees its packed constants; the executor's numbers are
// handed out again from there.
func (s *session) unload(ctx context.Context, l *loaded) {
	if s.p == nil || l == nil {
		return
	}
	err := s.p.Unkernel(ctx, l.id)
	for _, id := range l.packed {
		if err == nil {
			err = s.p.Drop(ctx, id)
		}
	}
	if err != nil {
		s.drop() // the next candidate gets a new child
		return
	}
	s.nextKernel, s.nextOp = l.id, s.nextOp-len(l.packed)
}

// warm runs a kernel once and notes how long it takes.
func (s *session) warm(ctx context.Context, l *loaded) error {
	d, err := s.p.First(ctx, s.runLimit(), l.id)
	s.w.touch()
	if err == nil {
		s.estimate[l.id] = float64(d.Nanoseconds())
	}
	return err
}
