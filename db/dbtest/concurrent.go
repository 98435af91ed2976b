package dbtest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hone/db/store"
)

// together runs f in n goroutines that start at once.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}

// testConcurrentClaim: several dispatchers reach for the same trials; each
// trial goes out once.
func testConcurrentClaim(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(0))
	trials := propose(t, s, j, tasks[0].ID, 12)
	var mu sync.Mutex
	taken := map[int64]int{}
	together(6, func(i int) {
		for k := range trials {
			w, err := s.Send(ctx, workDraft(store.Build, trials[(k+2*i)%len(trials)]))
			if err != nil {
				if !errors.Is(err, store.ErrConflict) {
					t.Error(err)
				}
				continue
			}
			mu.Lock()
			for _, id := range w.Trials {
				taken[id]++
			}
			mu.Unlock()
		}
	})
	equal(t, "trials taken", len(taken), len(trials))
	for id, n := range taken {
		if n != 1 {
			t.Errorf("trial %d went out %d times", id, n)
		}
	}
	equal(t, "items out", len(must[[]store.WorkItem](t)(s.OpenItems(ctx, j.ID))), len(trials))
}

// testConcurrentResults: every trial gets several results at once; one counts.
func testConcurrentResults(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(8))
	trials := propose(t, s, j, tasks[0].ID, 8)
	items := make([]store.WorkItem, len(trials))
	for i, tr := range trials {
		trials[i] = built(t, s, tr)
		items[i] = send(t, s, store.Measure, trials[i])
	}
	var took atomic.Int64
	together(6, func(i int) {
		for k := range trials {
			at := (k + i) % len(trials)
			out, err := s.Apply(ctx, store.Batch{Job: j.ID, CloseItem: items[at].ID, ItemCode: "ok",
				Outcomes: []store.Outcome{okOutcome(trials[at], items[at], fmt.Sprint("agent-", i%3), float64(10+i))}})
			if err != nil {
				t.Error(err)
				continue
			}
			if out[0].Took {
				took.Add(1)
			}
		}
	})
	equal(t, "results that counted", took.Load(), int64(len(trials)))
	equal(t, "charged", must[store.Job](t)(s.Job(ctx, j.ID)).Charged, int64(len(trials)))
	equal(t, "records", len(must[[]store.Record](t)(s.ListRecords(ctx, store.RecordFilter{}))), len(trials))
	Conserved(t, s, j.ID)
}

// testConcurrentChampion: of many who raced the same champion one replaces it.
func testConcurrentChampion(t *testing.T, s store.Store) {
	recs := found(t, s, newJob(0), 9, 8, 7, 6, 5, 4)
	against := int64(0)
	for round := range 3 {
		var won atomic.Int64
		together(len(recs), func(i int) {
			_, err := s.Promote(ctx, promotion(recs[i], against))
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, store.ErrStale):
				t.Error(err)
			}
		})
		equal(t, fmt.Sprint("winners of round ", round), won.Load(), int64(1))
		against = must[store.Champion](t)(s.Champion(ctx, store.LocalProject, "h-matmul", zen3.Key)).ID
	}
	history := must[[]store.Champion](t)(s.Champions(ctx, store.LocalProject, "h-matmul", zen3.Key))
	equal(t, "champions", len(history), 3)
}

// testConcurrentPropose: two sessions of one job propose the same numbers.
func testConcurrentPropose(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(0))
	var stored atomic.Int64
	together(4, func(int) {
		for seq := int64(1); seq <= 9; seq += 3 {
			got, err := s.Propose(ctx, j.ID, drafts(tasks[0].ID, seq, 3))
			if err != nil {
				t.Error(err)
			}
			stored.Add(int64(len(got)))
			if _, err := s.AppendEvents(ctx, j.ID, store.EventDraft{Kind: "tick"}); err != nil {
				t.Error(err)
			}
		}
	})
	equal(t, "trials stored", stored.Load(), int64(9))
	for i, e := range must[[]store.Event](t)(s.EventsAfter(ctx, j.ID, 0, 0)) {
		equal(t, "event numbers have no gaps", e.Seq, int64(i+1))
	}
	Conserved(t, s, j.ID)
}

func testConcurrentLeases(t *testing.T, s store.Store) {
	var held atomic.Int64
	together(8, func(i int) {
		_, err := s.Acquire(ctx, "pool/x", fmt.Sprint("owner-", i), time.Hour)
		switch {
		case err == nil:
			held.Add(1)
		case !errors.Is(err, store.ErrHeld):
			t.Error(err)
		}
	})
	equal(t, "holders", held.Load(), int64(1))
}
