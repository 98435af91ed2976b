package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"hone/db/store"
)

// A victim is a process of a running tune, found from the command's own.
var victims = map[string]func(t *testing.T, tune int) int{
	"tune":     func(_ *testing.T, tune int) int { return tune },
	"agent":    func(t *testing.T, tune int) int { return child(t, tune, "--bundle-fd") },
	"executor": func(t *testing.T, tune int) int { return child(t, tune, "agent/bin/") },
}

// killOne kills a process without warning as soon as there is one.
func killOne(t *testing.T, p *process, who string) {
	t.Helper()
	for range 2000 {
		if pid := victims[who](t, p.cmd.Process.Pid); pid != 0 {
			if err := syscall.Kill(pid, syscall.SIGKILL); err == nil {
				return
			}
		}
		select {
		case <-p.done:
			t.Fatalf("it ended before its %s could be killed:\n%s", who, p.output())
		case <-time.After(5 * time.Millisecond):
		}
	}
	t.Fatalf("no %s to kill within ten seconds:\n%s", who, p.output())
}

// TestKill kills each process of a tune in the middle. The command goes on by
// itself, or when it is run again: no finished trial is measured again, none is
// lost, and the budget is exact.
func TestKill(t *testing.T) {
	if os.Getenv("HONE_TEST_ALL") == "" {
		t.Skip("HONE_TEST_ALL is not set")
	}
	needCompiler(t)
	for who := range victims {
		t.Run(who, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			url := filepath.Join(dir, "hone.db")
			const budget = 30
			args := []string{"tune", demoModel, "--trials", fmt.Sprint(budget), "--data-dir", dir}
			p := start(t, args...)
			waitFor(t, p, url, 15)
			killOne(t, p, who)
			before, err := readLedger(t, url)
			if err != nil {
				t.Fatal(err)
			}
			if who == "tune" {
				if code := p.wait(10 * time.Second); code != -1 {
					t.Fatalf("killed, it ended with %d", code)
				}
				hone(t, args...)
			} else if code := p.wait(5 * time.Minute); code != 0 {
				t.Fatalf("exit code %d:\n%s", code, p.output())
			}
			l := ledgerOf(t, url, before.job.ID)
			l.check(t, budget, before.closed())
			noBlame(t, l)
			compileAndRun(t, dir)
		})
	}
}

// noBlame: a process that was killed from outside is no candidate's fault.
func noBlame(t *testing.T, l ledger) {
	t.Helper()
	for _, tr := range l.trials {
		if tr.Code != store.CodeOK {
			t.Errorf("trial %d ended with %s after %d attempts", tr.Seq, tr.Code, tr.Attempt)
		}
	}
}

// TestSoak kills processes of one long tune again and again.
func TestSoak(t *testing.T) {
	if os.Getenv("HONE_TEST_SOAK") == "" {
		t.Skip("HONE_TEST_SOAK is not set")
	}
	needCompiler(t)
	dir := filepath.Join(t.TempDir(), "state")
	url := filepath.Join(dir, "hone.db")
	const budget = 400
	args := []string{"tune", demoModel, "--trials", fmt.Sprint(budget), "--data-dir", dir}
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"tune", "agent", "executor"}
	var last map[int64]store.Trial
	for round := 0; ; round++ {
		p := start(t, args...)
		for {
			select {
			case <-p.done:
			case <-time.After(time.Duration(2000+r.IntN(13_000)) * time.Millisecond):
			}
			l, err := readLedger(t, url)
			if err == nil {
				now := l.closed()
				for seq, tr := range last {
					if now[seq].Accepted != tr.Accepted {
						t.Fatalf("round %d: trial %d changed", round, seq)
					}
				}
				last = now
				if l.job.State.Ended() {
					p.wait(time.Minute)
					l.check(t, budget, last)
					t.Logf("%d rounds", round+1)
					return
				}
			}
			who := names[r.IntN(len(names))]
			if pid := victims[who](t, p.cmd.Process.Pid); pid != 0 {
				t.Logf("%d trials closed: kill %s", len(last), who)
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
				if who == "tune" {
					p.wait(10 * time.Second)
					break
				}
			}
		}
	}
}
