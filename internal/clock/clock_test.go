package clock

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestRealClockFires(t *testing.T) {
	var c Clock = Real{}
	start := c.Now()
	<-c.After(5 * time.Millisecond)
	tk := c.NewTicker(time.Millisecond)
	<-tk.C()
	tk.Stop()
	if got := Since(c, start); got < 6*time.Millisecond {
		t.Fatalf("waited %v, want at least 6ms", got)
	}
	tm := c.NewTimer(time.Hour)
	if !tm.Stop() {
		t.Fatal("Stop of a pending timer must report true")
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Sleep(ctx, Real{}, time.Hour); !errors.Is(err, context.Canceled) {
		t.Fatalf("Sleep on a cancelled context: %v", err)
	}
	if err := Sleep(context.Background(), Real{}, time.Millisecond); err != nil {
		t.Fatal(err)
	}
}
