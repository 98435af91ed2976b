package jobrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"hone/cost/feature"
	"hone/db/store"
)

// modelMeta is what is known of a kept model besides its text.
type modelMeta struct {
	Samples int `json:"samples"` // of the job that kept it
}

// earlierModel is the text of the cost model that the last job before this one
// kept, nil when there is none or it is damaged: that costs the search its start,
// not the job.
func (d *driver) earlierModel(ctx context.Context, job store.Job) ([]byte, error) {
	m, err := d.lib.CostModel(ctx, job.Project, d.spec.Target.Key(), feature.Version, job.CreatedAt)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case errors.Is(err, store.ErrCorrupt):
		d.notes = append(d.notes, "the cost model of earlier jobs is damaged: the search starts without one")
		return nil, nil
	case err != nil:
		return nil, err
	case untrained().Load([]byte(m.Text)) != nil:
		d.notes = append(d.notes, "the cost model of earlier jobs is of another version: the search starts without one")
		return nil, nil
	}
	d.notes = append(d.notes, fmt.Sprintf("the search starts with the cost model of %s", m.At.Format("2006-01-02 15:04")))
	return []byte(m.Text), nil
}

// keep stores the cost model at the end of the search, once. That it could not be
// stored is no reason to fail: the next job starts with the one before.
func (d *driver) keep(ctx context.Context) {
	if d.model == nil || d.kept {
		return
	}
	d.kept = true
	release, err := d.turn(ctx)
	if err != nil {
		return
	}
	samples := d.session.Samples()
	text := string(d.model.Text(samples))
	release()
	if text == "" {
		return
	}
	meta, err := json.Marshal(modelMeta{len(samples)})
	if err != nil {
		return
	}
	_ = d.lib.PutCostModel(ctx, store.CostModel{
		Project: d.project, Target: d.spec.Target.Key(), Features: feature.Version, Width: feature.Width,
		Text: text, Checksum: store.Sum(text), Meta: meta,
	})
}
