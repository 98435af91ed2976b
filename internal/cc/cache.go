package cc

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"hone/internal/atomicfile"
)

// Cache stores build results on disk under the hash of everything that went
// into them. Several processes may share one directory: entries appear by
// rename, carry a checksum, and a damaged one counts as absent.
type Cache struct {
	dir      string
	maxBytes int64

	mu      sync.Mutex
	written int64 // since the last sweep
}

// OpenCache opens (and creates) a cache directory. MaxBytes bounds its size;
// zero means 1 GiB. The bound is enforced after writes by dropping the entries
// unused for longest.
func OpenCache(dir string, maxBytes int64) (*Cache, error) {
	if maxBytes <= 0 {
		maxBytes = 1 << 30
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cc: build cache: %w", err)
	}
	c := &Cache{dir: dir, maxBytes: maxBytes}
	c.sweep()
	return c, nil
}

func (c *Cache) path(key string) string { return filepath.Join(c.dir, key[:2], key[2:]) }

// Get returns the entry and marks it as used.
func (c *Cache) Get(key string) ([]byte, bool) {
	p := c.path(key)
	b, err := os.ReadFile(p)
	if err != nil {
		return nil, false
	}
	if len(b) < sha256.Size {
		_ = os.Remove(p)
		return nil, false
	}
	sum := sha256.Sum256(b[sha256.Size:])
	if !bytes.Equal(sum[:], b[:sha256.Size]) {
		_ = os.Remove(p)
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(p, now, now)
	return b[sha256.Size:], true
}

// Put stores an entry atomically.
func (c *Cache) Put(key string, value []byte) error {
	p := c.path(key)
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		return err
	}
	sum := sha256.Sum256(value)
	err := atomicfile.Write(p, 0o600, func(w io.Writer) error {
		_, err := w.Write(append(sum[:], value...))
		return err
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.written += int64(len(value)) + sha256.Size
	full := c.written > c.maxBytes/8
	c.mu.Unlock()
	if full {
		c.sweep()
	}
	return nil
}

type cacheEntry struct {
	path string
	size int64
	used time.Time
}

// sweep drops the oldest entries when the directory is above its bound, down
// to seven eighths of it (the next sweep comes after an eighth was written),
// and temporary files that a killed process left behind.
func (c *Cache) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written = 0
	var all []cacheEntry
	var total int64
	_ = filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if len(d.Name()) > 5 && d.Name()[:5] == ".new-" {
			if time.Since(info.ModTime()) > time.Hour {
				_ = os.Remove(path)
			}
			return nil
		}
		all = append(all, cacheEntry{path, info.Size(), info.ModTime()})
		total += info.Size()
		return nil
	})
	keep := c.maxBytes - c.maxBytes/8
	if total <= keep {
		return
	}
	sort.Slice(all, func(i, j int) bool {
		if !all[i].used.Equal(all[j].used) {
			return all[i].used.Before(all[j].used)
		}
		return all[i].path < all[j].path
	})
	for _, e := range all {
		if total <= keep {
			return
		}
		if os.Remove(e.path) == nil {
			total -= e.size
		}
	}
}
