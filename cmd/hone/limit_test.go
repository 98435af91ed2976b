package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hone/cmd/hone/internal/live"
)

func TestKeepPeakKeepsTheHighest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "peaks.json")
	for _, c := range []struct {
		key        string
		seen, want float64
	}{{"a", 50, 50}, {"a", 40, 50}, {"b", 10, 10}, {"a", 60, 60}, {"b", 5, 10}} {
		if got, err := keepPeak(path, c.key, c.seen); err != nil || got != c.want {
			t.Errorf("%s at %g: %g, %v, want %g", c.key, c.seen, got, err, c.want)
		}
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := keepPeak(path, "a", 1); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged file: %v", err)
	}
}

func TestAtLimit(t *testing.T) {
	tasks := []live.Task{{Best: 102}, {Best: 104}, {}, {Best: 5}}
	got := atLimit(tasks, []float64{100, 100, 100, 0})
	if want := "limit      1 of 4 tasks within 3 % of the processor's peak, where they get no more trials\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := atLimit(tasks, nil); got != "" {
		t.Errorf("%q without bounds", got)
	}
}
