package harness

import (
	"context"
	"fmt"

	"hone/internal/wire"
	"hone/rpcrunner"
	"hone/scheduler/emit"
)

// Sample times a tuned kernel once more, in a fresh process: samples of nanoseconds
// per call, as many as the measuring protocol takes. Cold, its weights are others at
// every call; copies is how many there are, 0 for a kernel without weights.
func Sample(ctx context.Context, w *rpcrunner.Worker, task *emit.Task, k wire.Kernel, cold bool) (ns []float64, copies int, err error) {
	entry := wire.Entry{Trial: "best", Symbol: k.Symbol, Workspace: k.Workspace, Pack: k.Pack}
	item := task.Item(wire.KindMeasure, nil, []wire.Entry{entry})
	item.Artifact, item.Cold = k.Artifact, cold
	item.Work, item.Job, item.Project, item.Attempt, item.Nonce = "final", "bench", "default", 1, wire.NewNonce()
	item.Expect = task.Expect(k)
	r := w.Do(ctx, item)
	if len(r.Entries) != 1 || r.Entries[0].Code != wire.OK {
		return nil, 0, fmt.Errorf("%s %s %+v", r.Code, r.Detail, r.Entries)
	}
	_, _ = fmt.Sscanf(r.Conditions.Mode, "cold x%d", &copies) // warm otherwise
	return r.Entries[0].SamplesNS, copies, nil
}
