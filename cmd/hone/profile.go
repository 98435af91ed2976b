package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"hone/cmd/hone/internal/live"
	"hone/compiler"
	"hone/compiler/runtime"
	"hone/rpcrunner"
)

// kernelTime is one kernel's part: the medians of its calls, added up.
type kernelTime struct {
	Kernel string  `json:"kernel"` // its first call
	Calls  int     `json:"calls"`
	NS     float64 `json:"ns"`
	Share  float64 `json:"share"`
	Flops  float64 `json:"flops,omitempty"` // of all calls
	Bytes  int64   `json:"bytes,omitempty"`
}

// perKernel adds up the medians of each kernel's calls, slowest first. A library that
// does not say which calls are one kernel's has as many as calls.
func perKernel(m *runtime.Instance, calls [][]float64) []kernelTime {
	var meta compiler.Metadata
	names := m.Calls()
	if json.Unmarshal([]byte(m.Metadata()), &meta) != nil || !covers(meta, len(names)) {
		meta.Kernels = nil
		for i := range names {
			meta.Kernels = append(meta.Kernels, compiler.UsedKernel{At: []int{i}})
		}
	}
	var out []kernelTime
	sum := 0.0
	for _, k := range meta.Kernels {
		t := kernelTime{Kernel: names[k.At[0]], Calls: len(k.At), Flops: k.Flops * float64(len(k.At)), Bytes: k.Bytes * int64(len(k.At))}
		for _, i := range k.At {
			t.NS += median(calls[i])
		}
		sum += t.NS
		out = append(out, t)
	}
	for i := range out {
		out[i].Share = out[i].NS / max(sum, 1)
	}
	slices.SortStableFunc(out, func(a, b kernelTime) int { return cmp.Compare(b.NS, a.NS) })
	return out
}

// covers reports whether the kernels have each of n calls once.
func covers(meta compiler.Metadata, n int) bool {
	var at []int
	for _, k := range meta.Kernels {
		if len(k.At) == 0 {
			return false
		}
		at = append(at, k.At...)
	}
	slices.Sort(at)
	for i, j := range at {
		if i != j {
			return false
		}
	}
	return len(at) == n
}

var profileHeader = []string{"kernel", "calls", "time", "share", "GFLOP/s", "GB/s", "of peak"}

func profileRows(t *timing) [][]string {
	var rows [][]string
	for _, k := range t.Kernels {
		row := []string{k.Kernel, fmt.Sprint(k.Calls), live.Time(k.NS), fmt.Sprintf("%.1f %%", 100*k.Share), "-", "-", "-"}
		if k.Bytes > 0 && k.NS > 0 {
			row[4], row[5] = fmt.Sprintf("%.1f", k.Flops/k.NS), fmt.Sprintf("%.1f", float64(k.Bytes)/k.NS)
			if t.Peak > 0 {
				row[6] = fmt.Sprintf("%.0f %%", 100*k.Flops/k.NS/t.Peak)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// The peak is sought in bursts, of which the best counts: whatever else runs only
// slows one down.
const (
	peakBursts = 10
	peakBurst  = 20 * time.Millisecond
)

// multiplyAdds is the rate at which the processor was seen to multiply and add on
// some threads, in GFLOP/s. The executor is kept in bin, where that is not empty.
func multiplyAdds(ctx context.Context, threads int, bin string) (best float64, err error) {
	dir, err := os.MkdirTemp("", "hone-peak")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	w, err := rpcrunner.New(rpcrunner.Config{Dir: dir, BinDir: bin})
	if err != nil {
		return 0, err
	}
	defer w.Close()
	for range peakBursts {
		g, _, err := w.Peak(ctx, threads, peakBurst)
		if err != nil {
			return 0, err
		}
		best = max(best, g)
	}
	return best, nil
}
