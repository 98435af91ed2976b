package rpcrunner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"hone/internal/cc"
	"hone/internal/wire"
	"hone/rpcrunner/executor"
)

// TestDiedWith kills an agent with SIGKILL while a candidate runs: its executor must die
// with it, and the next start must name the item and the entry.
func TestDiedWith(t *testing.T) {
	if _, err := cc.Default(context.Background(), ""); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RPCRUNNER_TEST_VICTIM="+dir, "RPCRUNNER_TEST_BIN="+binDir)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for executor.LastTag(dir+"/running.page") != 0 {
		if time.Now().After(deadline) {
			t.Fatal("the victim never ran its candidate")
		}
		time.Sleep(10 * time.Millisecond)
	}
	child := onlyChild(t, cmd.Process.Pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	gone := func() bool {
		stat := readLine(fmt.Sprintf("/proc/%d/stat", child))
		return stat == "" || strings.Contains(stat, ") Z ")
	}
	for end := time.Now().Add(5 * time.Second); !gone(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("executor %d outlived its agent", child)
		}
	}
	w, err := New(Config{Dir: dir, HostDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r, job, ok := w.DiedWith()
	if !ok || job != "j1" || r.Work != "victim" || r.Code != wire.DeviceDied || r.DiedWith == nil || r.DiedWith.Trial != "t-hang" || !r.DiedWith.Alone || r.DiedWith.Boot != w.boot {
		t.Fatalf("%v %q %+v %+v", ok, job, r, r.DiedWith)
	}
	if _, err := wire.EncodeResult(r); err != nil {
		t.Error(err)
	}
	if err := w.Reported(); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := w.DiedWith(); ok {
		t.Error("reported twice")
	}
}

// onlyChild is the executor of the given process.
func onlyChild(t *testing.T, parent int) int {
	t.Helper()
	out, err := exec.Command("sh", "-c", fmt.Sprintf("cat /proc/%d/task/*/children", parent)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(out), &pid); err != nil {
		t.Fatalf("children %q: %v", out, err)
	}
	return pid
}

func TestTornJournalIsNoEvidence(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/running.json", []byte(`{"work":"w1","non`), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := New(Config{Dir: dir, HostDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, _, ok := w.DiedWith(); ok {
		t.Error("a torn journal was believed")
	}
}
