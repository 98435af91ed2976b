// Package atomicfile writes files that appear whole or not at all: a reader, or
// a process that is killed meanwhile, never leaves or sees half of one. It
// imports the standard library only. Start from Write.
package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write puts what write yields in the place of the file at path, whose folder
// must exist. It does not wait for the disk: what a power failure must not lose
// belongs elsewhere. On an error the old file stays.
func Write(path string, mode os.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
