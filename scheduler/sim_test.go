package scheduler_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"hone/api"
	"hone/db/store"
	"hone/internal/rng"
	"hone/scheduler/schedtest"
)

var both = []string{schedtest.BuildPool, schedtest.DevicePool}

// TestConversations plays the scripts under testdata/sim.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/sim/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			w := schedtest.NewWorld(t)
			datadriven.RunTest(t, f, func(t *testing.T, d *datadriven.TestData) string { return play(t, w, d) })
			w.Check()
		})
	}
}

func play(t *testing.T, w *schedtest.World, d *datadriven.TestData) string {
	t.Helper()
	arg := func(i int) string {
		if len(d.CmdArgs) <= i {
			d.Fatalf(t, "%s wants an argument", d.Cmd)
		}
		return d.CmdArgs[i].Key
	}
	count := func(key string) (n int) {
		d.MaybeScanArgs(t, key, &n)
		return n
	}
	ctx := t.Context()
	var err error
	switch d.Cmd {
	case "submit":
		n := api.NewJob{Seed: uint64(count("seed")), TrialBudget: int64(count("trials")), TimeBudgetMS: int64(count("seconds")) * 1000, Weight: count("weight")}
		d.MaybeScanArgs(t, "class", &n.Class)
		w.Submit(arg(0), n, max(count("tasks"), 1), schedtest.Spec{Batch: count("batch"), Space: count("space"), Fail: int64(count("fail"))})
	case "agent":
		pools := both
		if len(d.CmdArgs) > 1 {
			pools = map[string][]string{"builder": both[:1], "device": both[1:]}[arg(1)]
		}
		w.AddAgent(arg(0), pools...)
	case "crash":
		if arg(0) == "coordinator" {
			w.Reboot()
		} else {
			w.Crash(arg(0))
		}
	case "restart":
		w.Restart(arg(0))
	case "hang":
		w.Hang(arg(0))
	case "drop":
		w.Drop(count("items"), count("acks"), count("result-acks"))
	case "bus":
		switch arg(0) {
		case "down":
			w.BusDown(true)
		case "up":
			w.BusDown(false)
		case "wipe":
			w.Bus.Wipe()
		}
	case "lose-artifacts":
		w.LoseArtifacts()
	case "poison":
		n := count("every")
		w.Poison = func(x int) bool { return x%n == 0 }
	case "cancel":
		_, err = w.Coordinator.CancelJob(ctx, w.Job(arg(0)).ID)
	case "pause":
		_, err = w.Coordinator.PauseJob(ctx, w.Job(arg(0)).ID)
	case "resume":
		_, err = w.Coordinator.ResumeJob(ctx, w.Job(arg(0)).ID)
	case "advance":
		span, perr := time.ParseDuration(arg(0))
		if perr != nil {
			d.Fatalf(t, "%v", perr)
		}
		w.Advance(span)
	case "stabilize":
		w.Stabilize(2 * time.Hour)
	case "show":
		return w.Show()
	case "time":
		return fmt.Sprintf("%v spent\n", w.Job(arg(0)).TimeSpent)
	case "champions":
		return champions(t, w, arg(0))
	case "events":
		return events(t, w, arg(0))
	default:
		d.Fatalf(t, "unknown command %s", d.Cmd)
	}
	w.Check()
	if err != nil {
		msg := err.Error()
		for _, name := range d.CmdArgs { // ids differ from run to run
			if j := w.Job(name.Key); j.ID != "" {
				msg = strings.ReplaceAll(msg, j.ID, name.Key)
			}
		}
		return "error: " + msg + "\n"
	}
	return ""
}

func champions(t *testing.T, w *schedtest.World, name string) string {
	t.Helper()
	out := ""
	tasks, err := w.Store.Tasks(t.Context(), w.Job(name).ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range tasks {
		ch, err := w.Store.Champion(t.Context(), store.LocalProject, k.Workload, k.Target)
		if err != nil {
			out += fmt.Sprintf("%s: none\n", k.Name)
			continue
		}
		out += fmt.Sprintf("%s: default %.0f, best %.0f, champion at %.3f of it\n", k.Name, k.DefaultNs, k.BestNs, ch.Ratio)
	}
	return out
}

// events counts the events of a job by their kinds.
func events(t *testing.T, w *schedtest.World, name string) string {
	t.Helper()
	es, err := w.Coordinator.Events(t.Context(), api.EventQuery{Job: w.Job(name).ID})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	counts := map[string]int{}
	for i, e := range es {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		k := e.Kind
		if k == api.EventJobState {
			k += " " + string(e.Body)
		}
		if counts[k]++; counts[k] == 1 {
			kinds = append(kinds, k)
		}
	}
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "%d %s\n", counts[k], k)
	}
	return b.String()
}

// thorough asks for every case, which takes minutes.
func thorough() bool { return os.Getenv("HONE_TEST_ALL") != "" && !raceDetector }

// job1 runs one job of 10 trials over two tasks with a coordinator that dies as
// deaths say.
func job1(t testing.TB, deaths ...schedtest.Death) *schedtest.World {
	w := schedtest.NewWorld(t, deaths...)
	w.AddAgent("a", both...)
	w.Submit("job", api.NewJob{Seed: 11, TrialBudget: 10}, 2, schedtest.Spec{Batch: 4})
	w.Stabilize(4 * time.Hour)
	w.Check()
	if n := w.Stale(); n > 0 {
		t.Fatalf("%d trials were begun after they were closed", n)
	}
	if j := w.Job("job"); j.State != store.JobDone || j.Charged != 10 {
		t.Fatalf("the job ended %s with %d trials charged", j.State, j.Charged)
	}
	return w
}

// Killed at every write, before it and after it, a job still ends with its
// exact budget, no trial lost or counted twice, and a ledger that repeats
// itself (World.Check).
func TestKilledAtEveryWrite(t *testing.T) {
	plain := job1(t)
	writes := plain.Flaky.Writes()
	step := 9 // reaches every kind of write
	if thorough() {
		step = 1
	}
	for k := 1; k <= writes; k += step {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("write %d after=%v", k, after), func(t *testing.T) {
				job1(t, schedtest.Death{Write: k, After: after})
			})
		}
	}
}

// A coordinator that is replaced between two seconds proposes what one that
// lives on proposes.
func TestKilledBetweenSteps(t *testing.T) {
	want := job1(t).Traces("job")
	for every := 1; every <= 5; every += 2 {
		w := schedtest.NewWorld(t)
		w.AddAgent("a", both...)
		w.Submit("job", api.NewJob{Seed: 11, TrialBudget: 10}, 2, schedtest.Spec{Batch: 4})
		for s := 1; !w.Job("job").State.Ended(); s++ {
			w.Advance(time.Second)
			if s%every == 0 {
				w.Reboot()
			}
			if s > 10_000 {
				t.Fatal("the job does not end")
			}
		}
		w.Check()
		if got := w.Traces("job"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("killed every %d s it proposed\n%v\nnot\n%v", every, got, want)
		}
	}
}

// TestAnything throws faults at worlds in random order.
func TestAnything(t *testing.T) {
	n := 6
	if thorough() {
		n = 200
	}
	for seed := range n {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { anything(t, rng.New(uint64(seed))) })
	}
}

func anything(t *testing.T, r *rng.Rand) {
	w := schedtest.NewWorld(t)
	agents, jobs := []string{"a", "b"}, []string{"j1", "j2"}
	w.AddAgent("a", both...)
	w.AddAgent("b", both[1:]...)
	for i, name := range jobs {
		w.Submit(name, api.NewJob{Seed: r.Uint64(), TrialBudget: int64(1 + r.Intn(12)), Weight: i + 1}, 1+i, schedtest.Spec{Batch: 1 + r.Intn(6)})
	}
	poison := rng.Pick(r, []int{0, 3, 10})
	w.Poison = func(x int) bool { return poison > 0 && x%poison == 0 }
	faults := map[string]func(id string){
		"crash": w.Crash, "restart": w.Restart, "hang": w.Hang, "pass": func(string) {},
		"drop": func(string) { w.Drop(1, 1, 1) }, "wipe": func(string) { w.Bus.Wipe() },
		"down": func(string) { w.BusDown(true) }, "up": func(string) { w.BusDown(false) },
		"reboot": func(string) { w.Reboot() }, "lose": func(string) { w.LoseArtifacts() },
	}
	names := slices.Sorted(maps.Keys(faults))
	var script []string
	for range 1 + r.Intn(8) {
		id, what, d := rng.Pick(r, agents), rng.Pick(r, names), time.Duration(1+r.Intn(90))*time.Second
		script = append(script, fmt.Sprintf("%s %s, advance %v", what, id, d))
		faults[what](id)
		w.Advance(d)
		w.Check()
	}
	w.Stabilize(12 * time.Hour)
	w.Check()
	for _, name := range jobs {
		if j := w.Job(name); j.State != store.JobDone || j.Charged != j.TrialBudget {
			t.Errorf("job %s did not end as it should", name)
		}
	}
	if t.Failed() {
		t.Logf("poison %d\n%s\n%s\n%s", poison, strings.Join(script, "\n"), w.Show(), strings.Join(w.Log, "\n"))
	}
}

// Two jobs of one class that keep a pool busy get its time by their weights.
func TestSharesByWeight(t *testing.T) {
	w := schedtest.NewWorld(t)
	w.PerTrial = 100 * time.Millisecond
	w.AddAgent("b", both[:1]...)
	w.AddAgent("d", both[1:]...)
	w.Submit("light", api.NewJob{Seed: 15, TrialBudget: 4000, Weight: 1}, 1, schedtest.Spec{Batch: 100})
	w.Submit("heavy", api.NewJob{Seed: 16, TrialBudget: 4000, Weight: 3}, 1, schedtest.Spec{Batch: 100})
	w.Advance(100 * time.Second)
	light, heavy := w.Job("light").Closed, w.Job("heavy").Closed
	if ratio := float64(heavy) / float64(light); ratio < 2.4 || ratio > 3.6 {
		t.Fatalf("weight 3 got %d trials, weight 1 got %d", heavy, light)
	}
	w.Check()
}
