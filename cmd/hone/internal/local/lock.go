package local

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// lock takes the data directory for this process. The file tells who holds it;
// the lock itself ends with the process, however that ends.
func lock(dir, command string) (unlock func() error, err error) {
	path := filepath.Join(dir, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, rerr := io.ReadAll(io.LimitReader(f, 1<<10))
		err = errors.Join(rerr, f.Close())
		if err != nil {
			return nil, fmt.Errorf("data directory: %w", err)
		}
		who := strings.TrimSpace(string(holder))
		if who == "" {
			who = "another process"
		}
		return nil, fmt.Errorf("data directory %s is in use by %s: wait for it, or choose another with --data-dir", dir, who)
	}
	text := fmt.Sprintf("process %d (%s), since %s\n", os.Getpid(), command, time.Now().Format(time.DateTime))
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(text), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("data directory: %w", err), f.Close())
	}
	return f.Close, nil
}

// identity is a name that a data directory keeps for life.
func identity(dir string) (string, error) {
	path := filepath.Join(dir, "id")
	b, err := os.ReadFile(path)
	if id := strings.TrimSpace(string(b)); err == nil && len(id) == 16 && strings.Trim(id, "0123456789abcdef") == "" {
		return id, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("data directory: %w", err)
	}
	raw := make([]byte, 8)
	if _, err := rand.Read(raw); err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	id := hex.EncodeToString(raw)
	if err := os.WriteFile(path, []byte(id+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	return id, nil
}
