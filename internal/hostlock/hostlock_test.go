package hostlock

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain lets the test binary be the second process that dies with a lock in hand.
func TestMain(m *testing.M) {
	if dir := os.Getenv("HOSTLOCK_TEST_HOLD"); dir != "" {
		h, err := Open(dir)
		if err == nil {
			_, err = h.Quiet(context.Background())
		}
		if err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		time.Sleep(time.Minute)
	}
	os.Exit(m.Run())
}

func open(t *testing.T) *Host {
	t.Helper()
	h, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestQuietExcludesWork(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	var working atomic.Int32
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				r, err := h.Work(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				working.Add(1)
				time.Sleep(3 * time.Millisecond)
				working.Add(-1)
				r()
			}
		}()
	}
	time.Sleep(20 * time.Millisecond)
	start := time.Now()
	q, err := h.Quiet(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("a steady stream of work kept quiet waiting for %v", d)
	}
	for range 10 {
		if n := working.Load(); n != 0 {
			t.Errorf("%d at work in a quiet period", n)
		}
		time.Sleep(2 * time.Millisecond)
	}
	q()
	close(stop)
	wg.Wait()
}

func TestQuietIsRationed(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	quiet := func(hold time.Duration) time.Duration {
		start := time.Now()
		r, err := h.Quiet(ctx)
		if err != nil {
			t.Fatal(err)
		}
		waited := time.Since(start)
		time.Sleep(hold)
		r()
		return waited
	}
	for i := range 3 { // short periods may follow each other at once
		if d := quiet(time.Millisecond); d > MinOpen/2 {
			t.Errorf("period %d waited %v", i, d)
		}
	}
	h.settle(time.Now().Add(-MaxQuiet), time.Now())
	if d := quiet(time.Millisecond); d < MinOpen*8/10 {
		t.Errorf("after %v of quiet the next period waited only %v", MaxQuiet, d)
	}
	if d := quiet(time.Millisecond); d > MinOpen/2 {
		t.Errorf("after an open time the account starts anew, but the wait was %v", d)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	h := open(t)
	r, err := h.Work(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := h.Quiet(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if r2, err := h.Work(context.Background()); err != nil { // the abandoned wait left the gate open
		t.Error(err)
	} else {
		r2()
	}
}

func TestKilledHolderHoldsNothing(t *testing.T) {
	h := open(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOSTLOCK_TEST_HOLD="+h.dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := h.Work(ctx); err == nil {
		t.Error("another process's quiet period was not seen")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	r, err := h.Work(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r()
}

func TestCPUs(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	a, ra, err := h.CPUs(ctx, []int{3, 2, 1, 0}, 1)
	if err != nil || !slices.Equal(a, []int{3}) {
		t.Fatalf("%v %v", a, err)
	}
	b, rb, err := h.CPUs(ctx, []int{3, 2, 1, 0}, 2)
	if err != nil || !slices.Equal(b, []int{2, 1}) {
		t.Fatalf("%v %v", b, err)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, _, err := h.CPUs(short, []int{3, 2, 1, 0}, 2); err == nil {
		t.Error("processors in use were given away")
	}
	ra()
	rb()
	if _, r, err := h.CPUs(ctx, []int{3, 2, 1, 0}, 4); err != nil {
		t.Error(err)
	} else {
		r()
	}
	if _, _, err := h.CPUs(ctx, []int{0}, 2); err == nil {
		t.Error("two of one processor")
	}
}
