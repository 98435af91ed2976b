package main

import (
	"os"
	"path/filepath"
	"testing"

	"hone/bench/simulate"
	"hone/compiler/tir"
)

// TestStoredLogs: every log can be read, and holds both halves of what its name says.
func TestStoredLogs(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*.json.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	byName := map[string]subject{}
	for _, s := range subjects(8) {
		byName[s.Name+".json.gz"] = s
	}
	for _, p := range paths {
		s, ok := byName[filepath.Base(p)]
		if !ok {
			t.Errorf("%s is of no subject", p)
			continue
		}
		file, err := os.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		l, err := simulate.Read(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		f, err := l.Func()
		if err != nil {
			t.Fatal(err)
		}
		if l.Target.Lanes(32) == 8 && tir.Hash(f) != tir.Hash(s.Func) {
			t.Errorf("%s is of another function", p)
		}
		halves := map[simulate.Half]int{}
		for i := range l.Entries {
			halves[l.Entries[i].Half]++
			if _, err := l.Trace(&l.Entries[i]); err != nil {
				t.Fatal(err)
			}
		}
		if halves[simulate.RandomHalf] < 20 || halves[simulate.EvolvedHalf] < 20 || l.Raced <= 0 {
			t.Errorf("%s: %v, raced %v", p, halves, l.Raced)
		}
	}
}

func TestAmong(t *testing.T) {
	for _, c := range []struct {
		list, name string
		want       bool
	}{{"", "a", true}, {"a,b", "b", true}, {"ab", "a", false}} {
		if got := among(c.list, c.name); got != c.want {
			t.Errorf("%q among %q: %v", c.name, c.list, got)
		}
	}
}
