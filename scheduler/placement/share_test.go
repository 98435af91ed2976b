package placement

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hone/db/store"
)

var t0 = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// pool simulates one pool: every item costs its job's own time.
type pool struct {
	shares Shares
	jobs   []store.Backlog
	cost   map[string]time.Duration
	served map[string]time.Duration
	now    time.Time
}

func newPool(jobs ...store.Backlog) *pool {
	p := &pool{cost: map[string]time.Duration{}, served: map[string]time.Duration{}, now: t0}
	for _, j := range jobs {
		p.add(j, time.Second)
	}
	return p
}

func (p *pool) add(j store.Backlog, cost time.Duration) {
	j.Weight = max(j.Weight, 1)
	if j.Class == "" {
		j.Class = store.CI
	}
	if j.Waiting == 0 {
		j.Waiting = 1 << 20
	}
	j.Since = p.now
	p.jobs = append(p.jobs, j)
	p.cost[j.Job] = cost
}

// step gives one credit and returns who got it.
func (p *pool) step() string {
	i, start := p.shares.Pick(p.now, p.jobs)
	if i < 0 {
		return ""
	}
	b := &p.jobs[i]
	p.now = p.now.Add(p.cost[b.Job])
	b.VTime = p.shares.Served(start, p.cost[b.Job], b.Weight)
	b.Since = p.now
	b.Waiting--
	p.served[b.Job] += p.cost[b.Job]
	return b.Job
}

// One credit at a time, jobs with costs and weights of their own: each gets
// device time in proportion to its weight, none starves.
func TestSharesFollowWeights(t *testing.T) {
	p := newPool(store.Backlog{Job: "a", Weight: 1}, store.Backlog{Job: "b", Weight: 3}, store.Backlog{Job: "c", Weight: 2})
	p.cost["a"] = 5 * time.Second // its items are the slowest
	for range 3000 {
		p.step()
	}
	total := p.served["a"] + p.served["b"] + p.served["c"]
	for job, want := range map[string]float64{"a": 1.0 / 6, "b": 3.0 / 6, "c": 2.0 / 6} {
		if got := p.served[job].Seconds() / total.Seconds(); math.Abs(got-want) > 0.01 {
			t.Errorf("job %s got %.3f of the pool, want %.3f", job, got, want)
		}
	}
}

func TestUrgentClassesGoFirstAndOthersAge(t *testing.T) {
	p := newPool(store.Backlog{Job: "ci", Class: store.CI}, store.Backlog{Job: "night", Class: store.Nightly})
	for range 1799 {
		if got := p.step(); got != "ci" {
			t.Fatalf("%s was served before its class had aged", got)
		}
	}
	seen := false
	for range 10 {
		seen = seen || p.step() == "night"
	}
	if !seen {
		t.Fatal("a job that waited for half an hour was not served")
	}
}

// A newcomer, and a job that was away, share from now on; they cannot claim
// the time before.
func TestNewcomersStartWhereThePoolIs(t *testing.T) {
	p := newPool(store.Backlog{Job: "old"})
	for range 1000 {
		p.step()
	}
	p.add(store.Backlog{Job: "young"}, time.Second)
	got := map[string]int{}
	for range 100 {
		got[p.step()]++
	}
	if got["young"] < 49 || got["young"] > 51 {
		t.Fatalf("the newcomer got %d of 100 turns", got["young"])
	}
	p.jobs[1].Waiting = 0 // it pauses
	for range 500 {
		p.step()
	}
	away := p.jobs[1]
	p.jobs = p.jobs[:1]
	p.step()
	away.Waiting = 1 << 20
	p.jobs = append(p.jobs, away)
	got = map[string]int{}
	for range 100 {
		got[p.step()]++
	}
	if got["young"] < 49 || got["young"] > 51 {
		t.Fatalf("after a pause it got %d of 100 turns", got["young"])
	}
}

// A restart forgets who was runnable, not how much each has had.
func TestRestartKeepsTheOrder(t *testing.T) {
	p := newPool(store.Backlog{Job: "a", Weight: 1}, store.Backlog{Job: "b", Weight: 2})
	for i := range 3000 {
		if i%7 == 0 {
			p.shares = Shares{}
		}
		p.step()
	}
	if got := p.served["b"].Seconds() / p.served["a"].Seconds(); math.Abs(got-2) > 0.01 {
		t.Fatalf("b got %.3f times a's share, want 2", got)
	}
}

// However jobs come, wait and weigh, a job that waits throughout is served
// within a bounded number of turns.
func TestNobodyStarves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPool()
		n := rapid.IntRange(2, 5).Draw(t, "jobs")
		for i := range n {
			p.add(store.Backlog{Job: fmt.Sprint("job-", i), Weight: rapid.IntRange(1, 4).Draw(t, "weight")},
				time.Duration(rapid.IntRange(1, 10).Draw(t, "cost"))*time.Second)
		}
		watched := rapid.IntRange(0, n-1).Draw(t, "watched")
		last := 0
		for turn := range 400 {
			for i := range p.jobs {
				if i != watched && rapid.IntRange(0, 19).Draw(t, "flip") == 0 {
					p.jobs[i].Waiting = (1 << 20) - min(p.jobs[i].Waiting, 1<<20)
				}
			}
			if p.step() == fmt.Sprint("job-", watched) {
				last = turn
			}
			if turn-last > 400/2 {
				t.Fatalf("job-%d was not served between turns %d and %d", watched, last, turn)
			}
		}
	})
}

func TestNobodyWaits(t *testing.T) {
	var s Shares
	if i, _ := s.Pick(t0, nil); i >= 0 {
		t.Fatal("picked a job from none")
	}
	if i, _ := s.Pick(t0, []store.Backlog{{Job: "a"}}); i >= 0 {
		t.Fatal("picked a job without trials")
	}
}
