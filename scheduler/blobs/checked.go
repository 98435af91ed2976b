package blobs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"

	"hone/db/store"
)

// checked reads a file and compares its digest at the end.
type checked struct {
	f   *os.File
	sum string
	h   hash.Hash
}

func (c *checked) Read(p []byte) (int, error) {
	if c.h == nil {
		c.h = sha256.New()
	}
	n, err := c.f.Read(p)
	c.h.Write(p[:n])
	if err == io.EOF && hex.EncodeToString(c.h.Sum(nil)) != c.sum {
		return n, fmt.Errorf("blob %s: %w", c.sum, store.ErrCorrupt)
	}
	return n, err
}

func (c *checked) Close() error { return c.f.Close() }
