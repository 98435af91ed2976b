package jobrun

import (
	"slices"
	"strings"
	"testing"

	"hone/bench/workload"
	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/db/store"
	"hone/scheduler"
)

// TestBorrow: the fastest of the nearest first, no more than four donors.
func TestBorrow(t *testing.T) {
	mark := func(n int) trace.Trace { return trace.Trace{Insts: make([]schedule.Instruction, n)} }
	donor := func(m int64, marks ...int) Donor {
		d := Donor{Func: workload.Matmul(m, 64, 64)}
		for _, n := range marks {
			d.Traces = append(d.Traces, mark(n))
		}
		return d
	}
	donors := []Donor{donor(4096, 1), donor(128, 2, 3), donor(32, 4), donor(512, 5, 6, 7), donor(1, 8)}
	var got []int
	for _, tr := range Borrow(workload.Matmul(64, 64, 64), donors) {
		got = append(got, tr.Len())
	}
	if want := []int{2, 4, 5, 1, 3, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("borrowed %v, want %v", got, want)
	}
	if out := Borrow(workload.Matmul(64, 64, 64), nil); out != nil {
		t.Errorf("from nobody: %v", out)
	}
}

// origins counts the proposals of a driver by origin.
func origins(drafts []store.TrialDraft) map[string]int {
	out := map[string]int{}
	for _, d := range drafts {
		out[d.Origin]++
	}
	return out
}

// related is a world whose first task, a matrix product, has a relative that was
// tuned before, with the records of that job.
func related(t *testing.T, budget int64) *world {
	before := newWorld(t, 20)
	before.run(0)
	w := newWorld(t, budget)
	other := w.lib.put(workload.Matmul(80, 48, 112))
	for _, r := range before.results {
		if tr := r.Trial; tr.Task == 1 && tr.Code == store.CodeOK {
			w.lib.related = append(w.lib.related, store.Record{Workload: other, Trace: tr.Trace, Ns: tr.Ns})
		}
	}
	if len(w.lib.related) < 4 {
		t.Fatalf("%d records", len(w.lib.related))
	}
	w.lib.related = w.lib.related[:4]
	return w
}

// TestRelatedRecordsAreTriedFirst in the first round of a task after the default
// schedules, and a session that is opened again proposes the same.
func TestRelatedRecordsAreTriedFirst(t *testing.T) {
	w := related(t, 30)
	d := w.open()
	if n := d.Notes(); len(n) != 1 || !strings.Contains(n[0], "tries 4 schedules of 1 related workloads") {
		t.Errorf("notes: %q", n)
	}
	w.propose(d)
	moved := 0
	for len(w.results) < len(w.trials) && len(w.trials) < 20 {
		w.finish(d)
		room := scheduler.Room{Trials: 30 - w.charged}
		drafts, err := d.Propose(t.Context(), room)
		if err != nil {
			t.Fatal(err)
		}
		n := origins(drafts)["transferred"]
		if moved += n; n > 3 {
			t.Errorf("%d of a round of 6 are transferred", n)
		}
		for _, x := range drafts {
			if x.Origin == "transferred" && x.Task != 1 {
				t.Errorf("task %d has no relatives", x.Task)
			}
		}
		w.propose(d)
	}
	if moved == 0 {
		t.Error("nothing was transferred")
	}
	want := related(t, 30).run(0)
	for _, k := range []int{1, 5} {
		if got := related(t, 30).run(k); !slices.Equal(got, want) {
			t.Errorf("killed after every %d results it proposes others", k)
		}
	}
}

// TestRecordsOfOtherVersions are left out.
func TestRecordsOfOtherVersions(t *testing.T) {
	w := related(t, 30)
	for i := range w.lib.related {
		w.lib.related[i].Trace = []byte(`[[["NoSuchInstruction",[],[],[]]],[]]`)
	}
	if n := w.open().Notes(); len(n) > 0 {
		t.Errorf("notes: %q", n)
	}
	w = related(t, 30)
	other := w.lib.related[0].Workload
	broken := w.lib.workloads[other]
	broken.Text = tir.Script(workload.Matmul(1, 2, 3))
	w.lib.workloads[other] = broken
	if n := w.open().Notes(); len(n) > 0 {
		t.Errorf("notes of a text with another hash: %q", n)
	}
}
