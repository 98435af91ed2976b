package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"hone/internal/atomicfile"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	put := func(text string, failure error) error {
		return atomicfile.Write(path, 0o640, func(w io.Writer) error {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			return failure
		})
	}
	if err := put("first", nil); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := put("half", broken); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "first" {
		t.Errorf("%q, %v", got, err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", st, err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("left behind: %v, %v", all, err)
	}
	if err := atomicfile.Write(filepath.Join(dir, "none", "x"), 0o600, func(io.Writer) error { return nil }); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without its folder: %v", err)
	}
}
