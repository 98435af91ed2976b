package sqlitestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"hone/db/store"
)

// needFree is the least room, in bytes, that a data directory must have left:
// the log may grow by some tens of megabytes between checkpoints.
const needFree = 64 << 20

// CheckDir makes sure that dir is there, with mode 0700 when it is new, that
// it can be written, that it has room, and that it is not on a network file
// system, where locks cannot be trusted.
func CheckDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return dirError(dir, err)
	}
	fsys, free, err := statFS(dir)
	if err != nil {
		return dirError(dir, err)
	}
	if fsys != "" {
		return fmt.Errorf("data directory %s is on a network file system (%s), where SQLite's locks do not hold: choose a local one with --data-dir, or use --db postgres://…", dir, fsys)
	}
	if free < needFree {
		return fmt.Errorf("data directory %s: %w: %d MiB free, %d MiB needed", dir, store.ErrFull, free>>20, needFree>>20)
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return dirError(dir, err)
	}
	_, err = probe.Write(make([]byte, 4096))
	err = errors.Join(err, probe.Close(), os.Remove(probe.Name()))
	return dirError(dir, err)
}

// dirError says in one line what is wrong with a data directory.
func dirError(dir string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("data directory %s: %w: free some room or choose another with --data-dir", dir, store.ErrFull)
	case errors.Is(err, syscall.EROFS), errors.Is(err, os.ErrPermission):
		return fmt.Errorf("data directory %s: %w: choose one that you may write with --data-dir", dir, store.ErrReadOnly)
	}
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("data directory %s: %w", filepath.Clean(dir), err)
}
