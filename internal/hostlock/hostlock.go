// Package hostlock keeps the Hone processes of one machine out of each other's
// measurements. The host is open (building, search, training, kernels on one core of their
// own) or quiet (parallel kernels and final races: everything else waits). Quiet lasts for
// at most MaxQuiet at a stretch and is followed by at least MinOpen of open time. Cores
// that measure are locked one by one.
//
// It imports the standard library only. Start from Open; the locks are advisory file
// locks, so a killed process holds nothing.
package hostlock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// How long the host may be kept quiet at a stretch, and must be left open afterwards.
const (
	MaxQuiet = 2 * time.Second
	MinOpen  = time.Second
)

// poll is how often a busy lock is tried again: waiting in the system call could not be
// cancelled.
const poll = 2 * time.Millisecond

// Host is the lock of this machine. It is safe for concurrent use: every acquisition is a
// lock of its own.
type Host struct {
	dir string
}

// Open uses the lock files in dir, which all Hone processes of the machine must share;
// empty means a directory in the system's temporary one.
func Open(dir string) (*Host, error) {
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "hone-host")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("host lock: %w", err)
	}
	_ = os.Chmod(dir, 0o777|os.ModeSticky) // other users' processes take part; the owner's wish counts when it fails
	return &Host{dir: dir}, nil
}

// Release gives a lock back. Calling it twice does nothing.
type Release func()

// Work enters an open period: it waits while the host is quiet or about to be. Hold it for
// one unit of work (a compilation, a batch of samples), not longer: a process that wants
// quiet waits for it.
func (h *Host) Work(ctx context.Context) (Release, error) {
	gate, err := h.lock(ctx, "gate", syscall.LOCK_SH)
	if err != nil {
		return nil, err
	}
	defer gate()
	return h.lock(ctx, "host", syscall.LOCK_SH)
}

// Quiet waits until all work in hand is done, keeps new work out and returns. The caller
// releases it soon: quiet times that follow each other closely add up, and when they reach
// MaxQuiet the next one waits for MinOpen. The account is kept in the gate's file, so it
// holds for all processes together.
func (h *Host) Quiet(ctx context.Context) (Release, error) {
	gate, err := h.lock(ctx, "gate", syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	for acc := h.account(); ; acc = h.account() {
		wait := acc.mustWait(time.Now())
		if wait <= 0 {
			break
		}
		gate() // open: others get in
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
		if gate, err = h.lock(ctx, "gate", syscall.LOCK_EX); err != nil {
			return nil, err
		}
	}
	host, err := h.lock(ctx, "host", syscall.LOCK_EX)
	if err != nil {
		gate()
		return nil, err
	}
	start := time.Now()
	return func() {
		h.settle(start, time.Now())
		host()
		gate()
	}, nil
}

// account is how much quiet there was lately.
type account struct {
	end  time.Time     // of the last quiet period
	used time.Duration // quiet since the last MinOpen of open time
}

// mustWait is how long the host has still to stay open.
func (a account) mustWait(now time.Time) time.Duration {
	open := now.Sub(a.end)
	if a.used < MaxQuiet || open < 0 { // an end in the future: the clock was set
		return 0
	}
	return MinOpen - open
}

func (h *Host) account() account {
	b, err := os.ReadFile(filepath.Join(h.dir, "gate"))
	var end, used int64
	if err != nil {
		return account{}
	}
	if n, _ := fmt.Sscanf(string(b), "%d %d", &end, &used); n != 2 { // empty: nobody was quiet yet
		return account{}
	}
	return account{time.Unix(0, end), time.Duration(used)}
}

// settle books a quiet period; the gate is held.
func (h *Host) settle(start, end time.Time) {
	a := h.account()
	if start.Sub(a.end) >= MinOpen {
		a.used = 0
	}
	a.used += end.Sub(start)
	text := fmt.Sprintf("%d %d\n", end.UnixNano(), a.used.Nanoseconds())
	if f, err := os.OpenFile(filepath.Join(h.dir, "gate"), os.O_WRONLY, 0); err == nil { // a full disk costs fairness, not the lock
		_, _ = f.WriteString(text)
		_ = f.Truncate(int64(len(text)))
		f.Close()
	}
}

// CPUs locks n of the candidate processors, the first free ones in the order given; when
// too few are free it waits. The returned list is in the order of the candidates.
func (h *Host) CPUs(ctx context.Context, candidates []int, n int) ([]int, Release, error) {
	if n > len(candidates) {
		return nil, nil, fmt.Errorf("host lock: %d processors wanted, %d usable", n, len(candidates))
	}
	for {
		var got []int
		var held []Release
		for _, cpu := range candidates {
			r, err := h.try("cpu-"+strconv.Itoa(cpu), syscall.LOCK_EX)
			if err != nil {
				releaseAll(held)
				return nil, nil, err
			}
			if r != nil {
				got, held = append(got, cpu), append(held, r)
			}
			if len(got) == n {
				return got, func() { releaseAll(held) }, nil
			}
		}
		releaseAll(held) // holding some while waiting for others could wait for ever
		if err := sleep(ctx, 5*poll); err != nil {
			return nil, nil, err
		}
	}
}

func releaseAll(held []Release) {
	for _, r := range held {
		r()
	}
}

func (h *Host) lock(ctx context.Context, name string, how int) (Release, error) {
	for {
		r, err := h.try(name, how)
		if r != nil || err != nil {
			return r, err
		}
		if err := sleep(ctx, poll); err != nil {
			return nil, err
		}
	}
}

// file opens a lock file, which may belong to another user: reading it is enough to lock
// it, and creating it anew in a shared directory would be refused.
func (h *Host) file(name string) (*os.File, error) {
	path := filepath.Join(h.dir, name)
	f, err := os.Open(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err == nil {
		_ = f.Chmod(0o666) // against the umask: the account of quiet time is everybody's
	}
	return f, err
}

// try returns nil without an error when somebody else holds the lock.
func (h *Host) try(name string, how int) (Release, error) {
	f, err := h.file(name)
	if err != nil {
		return nil, fmt.Errorf("host lock: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return func() { // unlocked before it is closed: a child being started may hold a copy for a moment
			if f.Fd() != ^uintptr(0) {
				_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
			}
			f.Close()
		}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, fmt.Errorf("host lock: %s: %w", name, err)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
