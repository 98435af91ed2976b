package local

import (
	"context"
	"errors"
	"fmt"

	"hone/api"
	"hone/db/store"
)

// SetOthersAside pauses the jobs of this data directory that an interrupted
// command left behind, so that they do not share the device with the job at
// hand; running their command again continues them. Stores and brokers outside
// are shared with others, whose jobs are theirs.
func (h *Home) SetOthersAside(ctx context.Context, job string) (paused []api.Job, err error) {
	if h.opt.DB != "" || h.opt.NATS != "" {
		return nil, nil
	}
	js, err := h.Coordinator.Jobs(ctx, api.JobQuery{States: []string{string(store.JobQueued), string(store.JobRunning)}, Limit: 1000})
	if err != nil {
		return nil, err
	}
	for _, j := range js {
		if j.ID == job {
			continue
		}
		p, err := h.Coordinator.PauseJob(ctx, j.ID)
		if errors.Is(err, api.ErrConflict) {
			continue
		}
		if err != nil {
			return paused, fmt.Errorf("job %s: %w", j.ID, err)
		}
		paused = append(paused, p)
	}
	return paused, nil
}
