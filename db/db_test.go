package db

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenChoosesByScheme(t *testing.T) {
	dir := t.TempDir()
	for _, u := range []string{filepath.Join(dir, "a.db"), "sqlite://" + filepath.Join(dir, "b.db")} {
		s, err := Open(t.Context(), u, Options{})
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for u, want := range map[string]string{
		"":                            "no path",
		"mysql://host/db":             `unknown scheme "mysql"`,
		"postgres://127.0.0.1:1/none": "postgres: ",
		"/proc/none/x.db":             "data directory /proc/none",
	} {
		_, err := Open(t.Context(), u, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", u, err, want)
		}
	}
}
