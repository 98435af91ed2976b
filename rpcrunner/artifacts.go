package rpcrunner

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
	"slices"
	"sync"
	"time"

	"hone/internal/atomicfile"
	"hone/internal/wire"
)

// Blobs is the durable store behind the local cache, where there is one: the
// coordinator's artifact server. A blob that is not there is an error that wraps
// fs.ErrNotExist.
type Blobs interface {
	Get(ctx context.Context, b wire.Blob) ([]byte, error)
	Put(ctx context.Context, data []byte) error
}

// artifacts is the agent's content-addressed cache of images. Everything in it can be
// built again; what it returns matches its digest.
type artifacts struct {
	dir    string
	max    int64
	remote Blobs // nil: local only

	mu      sync.Mutex
	written int64
}

const defaultCacheBytes = 512 << 20

func openArtifacts(dir string, remote Blobs) (*artifacts, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("artifact cache: %w", err)
	}
	return &artifacts{dir: dir, max: defaultCacheBytes, remote: remote}, nil
}

// digestOf names data.
func digestOf(data []byte) wire.Blob {
	sum := sha256.Sum256(data)
	return wire.Blob{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(data))}
}

func (a *artifacts) path(sha string) string { return filepath.Join(a.dir, sha[:2], sha[2:]) }

// put stores an image locally and, where there is a remote store, uploads it.
func (a *artifacts) put(ctx context.Context, data []byte) (wire.Blob, error) {
	b := digestOf(data)
	if err := a.keep(b, data); err != nil {
		return b, err
	}
	if a.remote != nil {
		if err := a.remote.Put(ctx, data); err != nil {
			return b, fmt.Errorf("upload of artifact %.12s: %w", b.SHA256, err)
		}
	}
	return b, nil
}

func (a *artifacts) keep(b wire.Blob, data []byte) error {
	path := a.path(b.SHA256)
	if info, err := os.Stat(path); err == nil && info.Size() == b.Size { // else: cut short with the machine's power
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("artifact cache: %w", err)
	}
	err := atomicfile.Write(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("artifact cache: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.written += b.Size; a.written > a.max/8 {
		a.written = 0
		a.sweep()
	}
	return nil
}

// get returns the bytes of an artifact, checked against its digest; from the remote store
// when the cache lacks it. The error wraps fs.ErrNotExist when nobody has it.
func (a *artifacts) get(ctx context.Context, b wire.Blob) ([]byte, error) {
	path := a.path(b.SHA256)
	if data, err := os.ReadFile(path); err == nil {
		if digestOf(data) == b {
			now := time.Now()
			_ = os.Chtimes(path, now, now)
			return data, nil
		}
		_ = os.Remove(path)
	}
	if a.remote == nil {
		return nil, fmt.Errorf("artifact %.12s is not in this agent's cache: %w", b.SHA256, fs.ErrNotExist)
	}
	data, err := a.remote.Get(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("artifact %.12s: %w", b.SHA256, err)
	}
	if digestOf(data) != b {
		return nil, fmt.Errorf("artifact %.12s does not match its digest: %w", b.SHA256, fs.ErrNotExist)
	}
	return data, errors.Join(a.keep(b, data))
}

// sweep drops the artifacts unused for longest until a quarter of the cache is free.
func (a *artifacts) sweep() {
	type entry struct {
		path string
		size int64
		used time.Time
	}
	var all []entry
	var total int64
	_ = filepath.WalkDir(a.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			all = append(all, entry{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	if total <= a.max {
		return
	}
	slices.SortFunc(all, func(x, y entry) int { return x.used.Compare(y.used) })
	for _, e := range all {
		if total <= a.max*3/4 {
			return
		}
		if os.Remove(e.path) == nil {
			total -= e.size
		}
	}
}
