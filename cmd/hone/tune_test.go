package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"hone/api"
)

// TestTuneDemo goes the whole way on the sample model: tune, look, compile with
// what was found, run and compare.
func TestTuneDemo(t *testing.T) {
	needCompiler(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	const budget = 16
	p := start(t, "tune", demoModel, "--trials", fmt.Sprint(budget), "--data-dir", dir)
	// Whoever comes second is told who was first.
	for !strings.Contains(p.output(), "\njob ") {
		select {
		case <-p.done:
			t.Fatalf("it ended:\n%s", p.output())
		case <-time.After(20 * time.Millisecond):
		}
	}
	second := start(t, "tune", demoModel, "--trials", "3", "--data-dir", dir)
	if code := second.wait(time.Minute); code != 1 {
		t.Errorf("the second has exit code %d", code)
	}
	if want := fmt.Sprintf("is in use by process %d (hone tune %s), since ", p.cmd.Process.Pid, demoModel); !strings.Contains(second.output(), want) {
		t.Errorf("the second says %q, not %q", second.output(), want)
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("the data directory: %v, %v", st, err)
	}
	if code := p.wait(3 * time.Minute); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	if ok, err := regexp.MatchString(fmt.Sprintf(`(?m)^RESULT tune job=\w+ state=done untuned_ms=\d.* tasks=13 trials=%d ok=\d+ `, budget), p.output()); !ok || err != nil {
		t.Errorf("the output ends wrongly: %v\n%s", err, p.output())
	}
	l, err := readLedger(t, filepath.Join(dir, "hone.db"))
	if err != nil {
		t.Fatal(err)
	}
	l.check(t, budget, nil)
	compileAndRun(t, dir)
	listings(t, dir, l)
}

// listings looks at the same through the commands that list.
func listings(t *testing.T, dir string, l ledger) {
	t.Helper()
	var jobs []api.Job
	asJSON(t, &jobs, "jobs", "--data-dir", dir)
	if len(jobs) != 1 || jobs[0].ID != l.job.ID || jobs[0].TrialsSpent != l.job.Charged || jobs[0].State != "done" {
		t.Errorf("jobs: %+v", jobs)
	}
	var job jobView
	asJSON(t, &job, "jobs", "show", l.job.ID, "--data-dir", dir)
	if job.ID != l.job.ID || len(job.Tasks) != len(l.tasks) || job.Tasks[0].BestNs != l.tasks[0].BestNs {
		t.Errorf("job: %+v", job)
	}
	var records []api.Record
	asJSON(t, &records, "records", "list", "--data-dir", dir, "--job", l.job.ID)
	if len(records) != len(l.records) {
		t.Errorf("%d records, %d in the ledger", len(records), len(l.records))
	}
	var record api.Record
	asJSON(t, &record, "records", "show", "1", "--data-dir", dir)
	if record.ID != 1 || string(record.Trace) == "" {
		t.Errorf("record: %+v", record)
	}
	for _, args := range [][]string{{"jobs"}, {"jobs", "show", l.job.ID}, {"records"}, {"records", "show", "1"}} {
		if out := hone(t, append(args, "--data-dir", dir)...); !strings.Contains(out, l.job.ID) {
			t.Errorf("%v does not name the job:\n%s", args, out)
		}
	}
}

// asJSON runs a listing and reads its JSON.
func asJSON(t *testing.T, into any, args ...string) {
	t.Helper()
	out := hone(t, append(args, "-o", "json")...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// TestCancel ends a job from outside while it runs.
func TestCancel(t *testing.T) {
	needCompiler(t)
	t.Parallel()
	dir, path := filepath.Join(t.TempDir(), "state"), writeScript(t)
	p := start(t, "tune", path, "--budget", "10m", "--data-dir", dir, "--threads", "1")
	l := waitFor(t, p, filepath.Join(dir, "hone.db"), 2)
	if out := hone(t, "jobs", "cancel", l.job.ID, "--data-dir", dir); !strings.Contains(out, "cancelled") {
		t.Errorf("cancel says\n%s", out)
	}
	if code := p.wait(time.Minute); code != 1 || !strings.Contains(p.output(), "hone tune: the job cancelled") {
		t.Errorf("exit code %d:\n%s", code, p.output())
	}
}

// compileAndRun builds the sample model from a data directory, with a record
// for every call, and holds its output against the expected one.
func compileAndRun(t *testing.T, dir string, args ...string) {
	t.Helper()
	lib := filepath.Join(t.TempDir(), "demo.so")
	out := hone(t, append([]string{"compile", demoModel, "-o", lib, "--data-dir", dir, "--require-coverage", "100%"}, args...)...)
	if !strings.Contains(out, "13 hit, 0 fallback, 0 miss") {
		t.Errorf("compile:\n%s", out)
	}
	data := filepath.Join(filepath.Dir(demoModel), "test_data_set_0")
	hone(t, "run", lib, "--input", "image="+filepath.Join(data, "input_0.pb"), "--expect", "probabilities="+filepath.Join(data, "output_0.pb"), "--atol", "1e-4")
}

// writeScript writes the two small functions and returns the file's path.
func writeScript(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "two.py")
	if err := os.WriteFile(path, []byte(smallFuncs), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestInterrupt: Ctrl-C stops in order, the same command continues, and what
// was spent stays spent.
func TestInterrupt(t *testing.T) {
	needCompiler(t)
	t.Parallel()
	dir, path := filepath.Join(t.TempDir(), "state"), writeScript(t)
	args := []string{"tune", path, "--trials", "12", "--data-dir", dir, "--threads", "1"}
	p := start(t, args...)
	before := waitFor(t, p, filepath.Join(dir, "hone.db"), 2)
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := p.wait(30 * time.Second); code != 130 || !strings.Contains(p.output(), "interrupted: run the same command again to continue") || !strings.Contains(p.output(), "job paused") {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	// A command that asks for something else starts a job of its own and leaves
	// this one alone; then the first continues.
	hone(t, "tune", path, "--trials", "2", "--data-dir", dir, "--threads", "1", "--seed", "9")
	out := hone(t, args...)
	if !strings.Contains(out, "job "+before.job.ID+" continues: ") {
		t.Errorf("it does not continue:\n%s", out)
	}
	l, err := readLedger(t, filepath.Join(dir, "hone.db"))
	if err != nil {
		t.Fatal(err)
	}
	if l.job.ID == before.job.ID {
		t.Fatal("the job between is gone")
	}
	l = ledgerOf(t, filepath.Join(dir, "hone.db"), before.job.ID)
	l.check(t, 12, before.closed())
}
