package scheduler

import (
	"context"

	"hone/db/store"
	"hone/internal/wire"
	"hone/scheduler/job"
)

// Stages under which deaths are kept: how sure one can be of the culprit.
const (
	stageAlone   = "alone"
	stageCompany = "company"
)

// acceptDeath takes in the report of an agent that came back to life: what it
// was doing when it or its machine died. The trial that ran is suspected; all
// of the item's go back.
func (c *Coordinator) acceptDeath(ctx context.Context, r wire.Result) error {
	dw := r.DiedWith
	item, err := c.itemOf(ctx, dw.Work, dw.Attempt, dw.Nonce)
	if err != nil {
		return err
	}
	trials, err := c.trialsOf(ctx, item)
	if err != nil {
		return err
	}
	task, err := c.taskOf(ctx, item)
	if err != nil {
		return err
	}
	b := store.Batch{Job: item.Job, CloseItem: item.ID, ItemCode: string(wire.DeviceDied)}
	for _, t := range trials {
		o, err := c.died(ctx, item, t, r)
		if err != nil {
			return err
		}
		o.Event = closedEvent(task, t, o)
		b.Outcomes = append(b.Outcomes, o)
	}
	if err := c.apply(ctx, item, b); err != nil {
		return err
	}
	// The message is still there, and would kill again.
	return c.Bus.Purge(ctx, addressOf(item))
}

func (c *Coordinator) died(ctx context.Context, item store.WorkItem, t store.Trial, r wire.Result) (store.Outcome, error) {
	dw := r.DiedWith
	a := store.Attempt{Work: item.ID, Attempt: item.Attempt, Kind: item.Kind, Agent: r.Agent, Device: r.Device, Boot: dw.Boot, BuildID: r.BuildID,
		Code: string(wire.DeviceDied), Message: r.Detail}
	v := job.Judge(t, wire.Kind(item.Kind), wire.DeviceDied, len(t.Build) > 0)
	if dw.Trial == TrialName(t.ID) {
		a.Stage = stageCompany
		if dw.Alone {
			a.Stage = stageAlone
		}
		deaths, err := c.deathsOf(ctx, t)
		if err != nil {
			return store.Outcome{}, err
		}
		v = job.JudgeDeath(t, append(deaths, job.Death{Boot: dw.Boot, Alone: dw.Alone}), len(t.Build) > 0)
	}
	return store.Outcome{Trial: t.ID, Move: v.Move, Code: string(v.Code), Charged: v.Charged, Solo: v.Solo, Held: v.Held, Attempt: a}, nil
}

// deathsOf are the earlier deaths with a trial.
func (c *Coordinator) deathsOf(ctx context.Context, t store.Trial) ([]job.Death, error) {
	as, err := c.Store.Attempts(ctx, t.ID)
	var out []job.Death
	for _, a := range as {
		if a.Code == string(wire.DeviceDied) && a.Stage != "" {
			out = append(out, job.Death{Boot: a.Boot, Alone: a.Stage == stageAlone})
		}
	}
	return out, err
}
