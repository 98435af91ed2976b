package main

import (
	"context"

	"hone/db/store"
	"hone/internal/hostlock"
	"hone/scheduler"
	"hone/scheduler/jobrun"
)

// openDriver makes the sessions of jobs search in turn with what the agents of
// this machine time. This process searches from now on.
func openDriver() (func(store.Store) scheduler.OpenDriver, error) {
	host, err := hostlock.Open("")
	if err != nil {
		return nil, err
	}
	jobrun.RoomyHeap()
	turn := func(ctx context.Context) (func(), error) { return host.Work(ctx) }
	return func(s store.Store) scheduler.OpenDriver { return jobrun.Opener(s, jobrun.NewLearner, turn) }, nil
}
