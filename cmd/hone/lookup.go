package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hone/api"
	"hone/cmd/hone/internal/local"
	"hone/compiler"
	"hone/compiler/target"
	"hone/db/store"
)

// foundRecords is a lookup's answer by workload.
type foundRecords struct {
	records  map[string]compiler.Record
	champion map[string]bool
	known    map[string]bool
	// stands are the workloads that were tuned on this target without anything
	// winning its race: the default schedule is the best that is known.
	stands map[string]bool
	// unraced are those whose jobs have not come to their races.
	unraced map[string]bool
	// ns are the times of what a build uses, measured on this target: the champion's or,
	// where nothing won its race, the fastest record's, which is then no faster than the
	// default schedule for all that is known.
	ns map[string]float64
}

func newFound() foundRecords {
	return foundRecords{map[string]compiler.Record{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]float64{}}
}

// lookup asks the database once for all workloads; why says what holds for all
// of them when there is nothing to ask.
func (f *stateFlags) lookup(ctx context.Context, tasks []compiler.Task, t target.Target) (out foundRecords, why string, err error) {
	out = newFound()
	r, err := local.Read(ctx, f.options(), false)
	if errors.Is(err, store.ErrNotFound) {
		return out, "nothing was tuned yet: " + strings.TrimSuffix(err.Error(), ": "+store.ErrNotFound.Error()), nil
	}
	if err != nil {
		return out, "", err
	}
	defer r.Close()
	q := api.LookupQuery{Target: targetOut(t)}
	for _, k := range tasks {
		if hash := hex.EncodeToString(k.Hash[:]); !slices.Contains(q.Workloads, hash) {
			q.Workloads = append(q.Workloads, hash)
		}
	}
	bundle, err := r.Lookup(ctx, q)
	if err != nil {
		return out, "", err
	}
	for _, e := range bundle.Entries {
		out.known[e.Workload] = e.Known
		if len(e.Hits) == 0 {
			continue
		}
		w, err := r.Store.Workload(ctx, e.Workload)
		if err != nil {
			return out, "", err
		}
		i := slices.IndexFunc(e.Hits, func(h api.Hit) bool { return h.Champion })
		if first := e.Hits[0]; first.Rung == int(store.RungExact) && !first.Champion {
			raced, err := anyDone(ctx, r.Store, e.Hits)
			if err != nil {
				return out, "", err
			}
			out.stands[e.Workload], out.unraced[e.Workload] = raced, !raced
			if raced {
				out.ns[e.Workload] = first.Record.Ns
			}
			continue
		}
		if i < 0 {
			continue
		}
		h := e.Hits[i]
		out.champion[e.Workload] = h.Champion
		if h.Rung == int(store.RungExact) {
			out.ns[e.Workload] = h.Record.Ns
		}
		out.records[e.Workload] = compiler.Record{ID: fmt.Sprint(h.Record.ID), Text: w.Text, Trace: h.Record.Trace, NS: h.Record.Ns, Rung: h.Label, Exact: h.Rung == int(store.RungExact)}
	}
	return out, "", nil
}

// anyDone says whether one of the jobs that made the hits of this very target has
// come to its end, where candidates race.
func anyDone(ctx context.Context, st store.Store, hits []api.Hit) (bool, error) {
	for _, h := range hits {
		if h.Rung != int(store.RungExact) {
			continue
		}
		j, err := st.Job(ctx, h.Record.Job)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return false, err
		}
		if j.State == store.JobDone {
			return true, nil
		}
	}
	return false, nil
}
