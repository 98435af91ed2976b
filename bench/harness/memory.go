package harness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"sync"

	"hone/internal/wire"
	"hone/rpcrunner"
)

// Memory holds content-addressed data for a worker in the same process.
type Memory struct {
	mu   sync.Mutex
	data map[string][]byte
}

var _ rpcrunner.Blobs = (*Memory)(nil)

// Get implements rpcrunner.Blobs.
func (m *Memory) Get(_ context.Context, b wire.Blob) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.data[b.SHA256]
	if !ok {
		return nil, fmt.Errorf("no blob %.12s: %w", b.SHA256, fs.ErrNotExist)
	}
	return d, nil
}

// Put implements rpcrunner.Blobs.
func (m *Memory) Put(_ context.Context, data []byte) error {
	sum := sha256.Sum256(data)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		m.data = map[string][]byte{}
	}
	m.data[hex.EncodeToString(sum[:])] = data
	return nil
}

// NewWorker starts a worker whose caches are in dir, with blobs in memory.
func NewWorker(dir string) (*rpcrunner.Worker, *Memory, error) {
	m := &Memory{}
	w, err := rpcrunner.New(rpcrunner.Config{Dir: dir, Blobs: m})
	return w, m, err
}
