// Package blobs keeps data by its digest: sources too long for a message,
// artifacts, logs. Dir keeps it in a directory. It imports the standard
// library and db/store's causes of errors. Start at [Dir].
package blobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"hone/db/store"
)

// Dir keeps blobs as files named by their SHA-256, in directories named by its
// first byte. It may be shared by processes: files appear whole or not at all.
type Dir struct {
	root string
}

// OpenDir opens the directory, making it if need be.
func OpenDir(root string) (*Dir, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("blobs: %w", err)
	}
	return &Dir{root: root}, nil
}

// Put stores what r yields and returns its digest in hex and its size. Data
// that does not match a digest wanted is not stored.
func (d *Dir) Put(ctx context.Context, want string, r io.Reader) (sum string, size int64, err error) {
	f, err := os.CreateTemp(d.root, ".new-*")
	if err != nil {
		return "", 0, put(err)
	}
	defer os.Remove(f.Name()) //nolint:errcheck // after the rename it is gone
	h := sha256.New()
	size, err = io.Copy(io.MultiWriter(f, h), reader{ctx, r})
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return "", 0, put(err)
	}
	sum = hex.EncodeToString(h.Sum(nil))
	if want != "" && want != sum {
		return "", 0, fmt.Errorf("blob: %w: its digest is %s, not %s", store.ErrInvalid, sum, want)
	}
	path := d.path(sum)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", 0, put(err)
	}
	return sum, size, put(os.Rename(f.Name(), path))
}

// Open returns the blob of a digest; store.ErrNotFound when there is none. The
// reader fails at its end when the file does not match its name.
func (d *Dir) Open(_ context.Context, sum string) (io.ReadCloser, error) {
	if !valid(sum) {
		return nil, fmt.Errorf("blob %q: %w: no digest", sum, store.ErrInvalid)
	}
	f, err := os.Open(d.path(sum))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("blob %s: %w", sum, store.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", sum, err)
	}
	return &checked{f: f, sum: sum}, nil
}

// Has says whether there is a blob of a digest.
func (d *Dir) Has(_ context.Context, sum string) bool {
	if !valid(sum) {
		return false
	}
	_, err := os.Stat(d.path(sum))
	return err == nil
}

func (d *Dir) path(sum string) string { return filepath.Join(d.root, sum[:2], sum[2:]) }

func valid(sum string) bool {
	return len(sum) == 64 && strings.Trim(sum, "0123456789abcdef") == ""
}

func put(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("blobs: %w", store.ErrFull)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("blobs: %w", store.ErrReadOnly)
	}
	return fmt.Errorf("blobs: %w", err)
}

// reader ends a copy with its context.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
