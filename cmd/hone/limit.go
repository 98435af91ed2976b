package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hone/cmd/hone/internal/live"
	"hone/compiler/tir/analysis"
	"hone/internal/atomicfile"
	"hone/tuner/task"
)

// limits are the times that no schedule can beat on this machine, by task: their
// operations at the peak. They are not known for what other machines measure.
func (t *tuning) limits(ctx context.Context) ([]float64, error) {
	if m, err := t.machine(); m == nil || err != nil {
		return nil, err
	}
	seen, err := multiplyAdds(ctx, t.target.Threads, t.home.AgentBin())
	if err != nil {
		return nil, err
	}
	peak, err := keepPeak(filepath.Join(t.home.Dir(), "peaks.json"), t.target.Key(), seen)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(t.model.workloads))
	for i, w := range t.model.workloads {
		out[i] = analysis.LeastFlops(w.fn) / peak
	}
	return out, nil
}

// keepPeak returns the highest rate seen of a target, in GFLOP/s, and keeps it in a
// file: neighbours take from a peak and never add to it, so one good moment tells.
func keepPeak(path, key string, seen float64) (float64, error) {
	peaks := map[string]float64{}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return 0, err
	default:
		if err := json.Unmarshal(text, &peaks); err != nil {
			return 0, fmt.Errorf("%s: %w (remove it, and peaks are measured again)", path, err)
		}
	}
	if peaks[key] >= seen {
		return peaks[key], nil
	}
	peaks[key] = seen
	return seen, atomicfile.Write(path, 0o600, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(peaks)
	})
}

// atLimit says how many tasks stopped because little is left to gain; nothing where
// none did.
func atLimit(tasks []live.Task, bounds []float64) string {
	n := 0
	for i, t := range tasks {
		if i < len(bounds) && t.Best > 0 && task.AtBound(t.Best, bounds[i]) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%-10s %d of %d tasks within 3 %% of the processor's peak, where they get no more trials\n", "limit", n, len(tasks))
}
