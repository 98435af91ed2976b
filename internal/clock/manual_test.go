package clock

import (
	"context"
	"testing"
	"time"
)

var epoch = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

func TestManualFiresEachTimerAtItsOwnTime(t *testing.T) {
	m := NewManual(epoch)
	late, early, past := m.After(3*time.Second), m.After(time.Second), m.After(0)
	if got := <-past; !got.Equal(epoch) {
		t.Fatalf("a wait of zero fired at %v", got)
	}
	if at, ok := m.Next(); !ok || !at.Equal(epoch.Add(time.Second)) {
		t.Fatalf("Next = %v %v", at, ok)
	}
	m.Advance(2 * time.Second)
	if got := <-early; !got.Equal(epoch.Add(time.Second)) {
		t.Fatalf("the early timer saw %v", got)
	}
	select {
	case <-late:
		t.Fatal("the late timer fired early")
	default:
	}
	m.Set(epoch.Add(time.Hour))
	if got := <-late; !got.Equal(epoch.Add(3 * time.Second)) {
		t.Fatalf("the late timer saw %v", got)
	}
	m.Set(epoch)
	if !m.Now().Equal(epoch.Add(time.Hour)) {
		t.Fatal("the clock went backwards")
	}
}

func TestManualTickerDropsUnreadTicks(t *testing.T) {
	m := NewManual(epoch)
	tk := m.NewTicker(time.Second)
	m.Advance(5 * time.Second)
	if got := <-tk.C(); !got.Equal(epoch.Add(time.Second)) {
		t.Fatalf("first tick at %v", got)
	}
	select {
	case at := <-tk.C():
		t.Fatalf("a tick of %v was queued", at)
	default:
	}
	m.Advance(time.Second)
	if got := <-tk.C(); !got.Equal(epoch.Add(6 * time.Second)) {
		t.Fatalf("tick at %v", got)
	}
	tk.Stop()
	if m.Waiters() != 0 {
		t.Fatal("a stopped ticker is still pending")
	}
}

func TestManualStopAndBlockUntil(t *testing.T) {
	m := NewManual(epoch)
	tm := m.NewTimer(time.Second)
	if !tm.Stop() || tm.Stop() {
		t.Fatal("Stop must report true once")
	}
	done := make(chan error)
	go func() { done <- Sleep(context.Background(), m, time.Minute) }()
	m.BlockUntil(1)
	m.Advance(time.Minute)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestManualTickerRefusesZero(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Fatal("a ticker of zero must panic")
		}
	}()
	NewManual(epoch).NewTicker(0)
}
