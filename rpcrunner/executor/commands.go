package executor

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hone/internal/wire"
)

// dtypeCodes are the executor's numbers for element types (enum dtype in honex.h).
var dtypeCodes = map[string]int{"float32": 0, "float16": 1, "float64": 2, "int64": 3, "int32": 4, "int8": 5, "uint8": 6, "bool": 7}

// Sealed is constant data in a file that nobody can change any more, laid out as the
// child maps it: ending within 64 bytes of the end of a page. It can be shown to any
// number of children.
type Sealed struct {
	file  *os.File
	bytes int64
}

// Seal copies data into a sealed file.
func Seal(data []byte) (*Sealed, error) {
	n := int64(len(data))
	page := int64(os.Getpagesize())
	size := roundUp(roundUp(n, 64), page)
	fd, err := unix.MemfdCreate("hone-operand", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("executor: memfd: %w", err)
	}
	f := os.NewFile(uintptr(fd), "operand")
	if err = f.Truncate(size); err == nil {
		_, err = f.WriteAt(data, size-roundUp(n, 64))
	}
	if err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("executor: sealing %d bytes: %w", n, err)
	}
	return &Sealed{file: f, bytes: n}, nil
}

// SealImage copies an image into a sealed file as it is.
func SealImage(image []byte) (*Sealed, error) {
	fd, err := unix.MemfdCreate("hone-image", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("executor: memfd: %w", err)
	}
	f := os.NewFile(uintptr(fd), "image")
	if _, err = f.WriteAt(image, 0); err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("executor: sealing an image: %w", err)
	}
	return &Sealed{file: f, bytes: int64(len(image))}, nil
}

// Close frees the file; children that map it keep it.
func (s *Sealed) Close() error { return s.file.Close() }

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// do is a request whose answer carries nothing.
func (p *Process) do(ctx context.Context, limit time.Duration, f *os.File, format string, args ...any) error {
	_, err := p.Request(ctx, limit, f, fmt.Sprintf(format, args...))
	return err
}

// copyLimit is the time a healthy child needs to touch n bytes.
func copyLimit(n int64) time.Duration { return startLimit + time.Duration(n>>20)*20*time.Millisecond }

// Input makes operand id a read-only view of s.
func (p *Process) Input(ctx context.Context, id int, dtype string, s *Sealed) error {
	return p.do(ctx, copyLimit(s.bytes), s.file, "operand %d %d %d", id, dtypeCodes[dtype], s.bytes)
}

// Output makes operand id writable memory of the given size, poisoned.
func (p *Process) Output(ctx context.Context, id int, dtype string, bytes int64) error {
	return p.do(ctx, copyLimit(bytes), nil, "operand %d %d %d", id, dtypeCodes[dtype], bytes)
}

// Copies makes so many copies of a constant of the given size, which kernels rotate over
// while they are timed. One that has copies keeps those.
func (p *Process) Copies(ctx context.Context, id int, bytes int64, copies int) error {
	return p.do(ctx, copyLimit(bytes*int64(copies)), nil, "copies %d %d", id, copies)
}

// Drop frees an operand.
func (p *Process) Drop(ctx context.Context, id int) error {
	return p.do(ctx, startLimit, nil, "drop %d", id)
}

// Read returns the bytes of an operand.
func (p *Process) Read(ctx context.Context, id int) ([]byte, error) {
	w, err := p.Request(ctx, startLimit, nil, fmt.Sprintf("read %d", id))
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(strings.Join(w, ""), 10, 64)
	if err != nil || n < 0 {
		p.abort()
		return nil, fmt.Errorf("executor: garbled size %q", w)
	}
	return p.readRaw(ctx, copyLimit(n), n)
}

// Image maps an image as number id.
func (p *Process) Image(ctx context.Context, id int, image *Sealed) error {
	return p.do(ctx, startLimit, image.file, "image %d", id)
}

// Unimage unmaps it and forgets its kernels.
func (p *Process) Unimage(ctx context.Context, id int) error {
	return p.do(ctx, startLimit, nil, "unimage %d", id)
}

// Pack runs the packing function symbol of an image on operand source and makes operand
// id its result of the given size.
func (p *Process) Pack(ctx context.Context, limit time.Duration, tag, image int, symbol string, source, id int, bytes int64) error {
	return p.do(ctx, limit+copyLimit(bytes), nil, "pack %d %d %s %d %d %d", tag, image, symbol, source, id, bytes)
}

// Kernel binds an entry to its operands as kernel id. tag names it in the shared page.
func (p *Process) Kernel(ctx context.Context, id, tag, image int, symbol string, workspace int64, operands []int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %d %d %d %s %d", id, tag, image, symbol, workspace)
	for _, o := range operands {
		fmt.Fprintf(&b, " %d", o)
	}
	return p.do(ctx, copyLimit(workspace), nil, "%s", b.String())
}

// Unkernel forgets a kernel.
func (p *Process) Unkernel(ctx context.Context, id int) error {
	return p.do(ctx, startLimit, nil, "unkernel %d", id)
}

// First poisons what the kernel may write, runs it once and looks at the canaries. It
// returns the wall time of the call.
func (p *Process) First(ctx context.Context, limit time.Duration, id int) (time.Duration, error) {
	w, err := p.Request(ctx, limit, nil, fmt.Sprintf("first %d", id))
	if err != nil {
		return 0, err
	}
	ns, err := p.floats(w, 1)
	if err != nil {
		return 0, err
	}
	return time.Duration(ns[0]), nil
}

// Verdict of a comparison.
type Verdict struct {
	MaxErr    float64 // largest |a-b|, infinite when a number is missing
	Bad       int64   // elements beyond the tolerance
	First     int64   // the first of them
	Got, Want float64
}

// Compare compares operand out with operand want under the rule.
func (p *Process) Compare(ctx context.Context, rule wire.Rule, rtol, atol float64, out, want int) (Verdict, error) {
	exact := 0
	if rule == wire.RuleExact {
		exact = 1
	}
	w, err := p.Request(ctx, 10*startLimit, nil, fmt.Sprintf("compare %d %g %g %d %d", exact, rtol, atol, out, want))
	if err != nil {
		return Verdict{}, err
	}
	v, err := p.floats(w, 5)
	if err != nil {
		return Verdict{}, err
	}
	return Verdict{MaxErr: v[0], Bad: int64(v[1]), First: int64(v[2]), Got: v[3], Want: v[4]}, nil
}

// Pick is a kernel and the number of back-to-back calls one sample of it covers.
type Pick struct {
	Kernel int
	Inner  int
}

// Time takes interleaved samples and returns them as [round][pick], in nanoseconds per
// call. wall selects elapsed time instead of the thread's processor time; warm is the
// number of untimed calls before each sample; copy is the first copy of cold constants.
func (p *Process) Time(ctx context.Context, limit time.Duration, wall bool, rounds, warm, copy int, picks []Pick) ([][]float64, error) {
	var b strings.Builder
	clock := 0
	if wall {
		clock = 1
	}
	fmt.Fprintf(&b, "time %d %d %d %d", clock, rounds, warm, copy)
	for _, k := range picks {
		fmt.Fprintf(&b, " %d %d", k.Kernel, k.Inner)
	}
	w, err := p.Request(ctx, limit, nil, b.String())
	if err != nil {
		return nil, err
	}
	flat, err := p.floats(w, rounds*len(picks))
	if err != nil {
		return nil, err
	}
	out := make([][]float64, rounds)
	for r := range out {
		out[r] = flat[r*len(picks) : (r+1)*len(picks)]
	}
	return out, nil
}

// Peak runs multiply-add bursts on all threads for about d and returns the best rate in
// GFLOP/s and the instruction set used.
func (p *Process) Peak(ctx context.Context, d time.Duration) (gflops float64, isa string, err error) {
	w, err := p.Request(ctx, d+startLimit, nil, fmt.Sprintf("peak %d", max(1, d.Milliseconds())))
	if err != nil {
		return 0, "", err
	}
	if len(w) != 2 {
		p.abort()
		return 0, "", fmt.Errorf("executor: garbled answer %q", w)
	}
	v, err := p.floats(w[:1], 1)
	if err != nil {
		return 0, "", err
	}
	return v[0], w[1], nil
}

// Reference times the reference burst on one thread, in nanoseconds of processor time.
func (p *Process) Reference(ctx context.Context) (float64, error) {
	w, err := p.Request(ctx, startLimit, nil, "reference")
	if err != nil {
		return 0, err
	}
	v, err := p.floats(w, 1)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// Budget limits what may be used from now on: memory beyond what is mapped (0 lifts the
// limit) and processor time.
func (p *Process) Budget(ctx context.Context, bytes int64, cpu time.Duration) error {
	return p.do(ctx, startLimit, nil, "budget %d %d", bytes, max(1, int64(cpu.Seconds()+1)))
}

// floats parses the n numbers of an answer; anything else means the child was taken over.
func (p *Process) floats(words []string, n int) ([]float64, error) {
	if len(words) != n {
		p.abort()
		return nil, fmt.Errorf("executor: %d numbers in the answer, want %d", len(words), n)
	}
	out := make([]float64, n)
	for i, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil {
			p.abort()
			return nil, fmt.Errorf("executor: garbled number %q", w)
		}
		out[i] = v
	}
	return out, nil
}
