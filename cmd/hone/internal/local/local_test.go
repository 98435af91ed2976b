package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hone/api"
	"hone/db/store"
	"hone/scheduler"
)

func open(t *testing.T, dir string) (*Home, error) {
	t.Helper()
	return Open(t.Context(), Options{Dir: dir, Command: "a test", Driver: func(store.Store) scheduler.OpenDriver { return noDriver }})
}

func newJob(key string) api.NewJob {
	return api.NewJob{Name: key, ResumeKey: key, TrialBudget: 1, Tasks: []api.NewTask{{Name: "t", Weight: 1, Workload: api.Workload{Hash: "h" + key, Text: "text of " + key},
		Target: api.Target{Key: "k", Version: 1, Kind: "cpu", ISA: "x86_64", Threads: 1}, Toolchain: api.Toolchain{Triple: "x", Compiler: "gcc"}}}}
}

func TestOneProcessADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	h, err := open(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir); err == nil || !strings.Contains(err.Error(), "is in use by process ") || !strings.Contains(err.Error(), "(a test), since ") {
		t.Errorf("the second gets %v", err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := open(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if again.id != h.id {
		t.Errorf("the directory had the id %s, now %s", h.id, again.id)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestTheDirectoryIsClosedToOthers(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h, err := open(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

func TestOthersAreSetAside(t *testing.T) {
	h, err := open(t, filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ids := map[string]string{}
	for _, key := range []string{"old", "mine"} {
		j, created, err := h.Service().CreateJob(t.Context(), newJob(key))
		if err != nil || !created {
			t.Fatal(created, err)
		}
		ids[key] = j.ID
	}
	paused, err := h.SetOthersAside(t.Context(), ids["mine"])
	if err != nil || len(paused) != 1 || paused[0].ID != ids["old"] || paused[0].State != "paused" {
		t.Errorf("%+v, %v", paused, err)
	}
	if again, err := h.SetOthersAside(t.Context(), ids["mine"]); err != nil || len(again) != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
	j, created, err := h.Service().CreateJob(t.Context(), newJob("old"))
	if err != nil || created || j.ID != ids["old"] || j.State != "running" {
		t.Errorf("its command makes of it %+v, created %t, %v", j, created, err)
	}
}

func TestReadNeedsADatabase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	for _, write := range []bool{false, true} {
		if _, err := Read(t.Context(), Options{Dir: dir}, write); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("write %t: %v", write, err)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading made the directory: %v", err)
	}
}

func TestReadBesideTheOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	h, err := open(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	j, _, err := h.Service().CreateJob(t.Context(), newJob("a"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(t.Context(), Options{Dir: dir}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := r.Job(t.Context(), j.ID); err != nil || got.Name != "a" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := r.CancelJob(t.Context(), j.ID); err == nil {
		t.Error("a reader cancelled a job")
	}
	w, err := Read(t.Context(), Options{Dir: dir}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got, err := w.CancelJob(t.Context(), j.ID); err != nil || got.State != "cancelled" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Run ends with its function, and when a part of it breaks.
func TestRun(t *testing.T) {
	h, err := open(t, filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	mine := errors.New("mine")
	if err := h.Run(t.Context(), nil, func(context.Context) error { return mine }); !errors.Is(err, mine) {
		t.Errorf("got %v", err)
	}
	if err := h.Run(t.Context(), nil, func(context.Context) error { return nil }); err != nil {
		t.Errorf("got %v", err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	err = h.Run(t.Context(), nil, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	if err == nil || !strings.HasPrefix(err.Error(), "stopped: ") {
		t.Errorf("on a closed store: %v", err)
	}
}

func TestDefaultDir(t *testing.T) {
	t.Setenv("HONE_DATA_DIR", "")
	t.Setenv("XDG_DATA_HOME", "/x")
	if d, err := DefaultDir(); err != nil || d != "/x/hone" {
		t.Errorf("%s, %v", d, err)
	}
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "/h")
	if d, err := DefaultDir(); err != nil || d != "/h/.local/share/hone" {
		t.Errorf("%s, %v", d, err)
	}
	t.Setenv("HONE_DATA_DIR", "/y")
	if d, err := DefaultDir(); err != nil || d != "/y" {
		t.Errorf("%s, %v", d, err)
	}
}
