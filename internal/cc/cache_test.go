package cc

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"testing"
	"time"
)

func keyOf(i int) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(i)))
	return hex.EncodeToString(sum[:])
}

func TestCacheKeepsWithinItsBound(t *testing.T) {
	dir := t.TempDir()
	c, err := OpenCache(dir, 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	value := bytes.Repeat([]byte("x"), 1000)
	old := time.Now().Add(-time.Hour)
	for i := range 200 {
		if err := c.Put(keyOf(i), value); err != nil {
			t.Fatal(err)
		}
		when := old.Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(c.path(keyOf(i)), when, when); err != nil && i > 150 {
			t.Fatal(err)
		}
		c.Get(keyOf(0)) // in constant use
	}
	held := 0
	for i := range 200 {
		if _, ok := c.Get(keyOf(i)); ok {
			held++
		}
	}
	if held > 66 || held < 40 {
		t.Errorf("%d of 200 entries held", held)
	}
	if _, ok := c.Get(keyOf(0)); !ok {
		t.Error("the entry in constant use was dropped")
	}
	if _, ok := c.Get(keyOf(199)); !ok {
		t.Error("the newest entry was dropped")
	}
}

func TestCacheDropsDamagedEntries(t *testing.T) {
	c, err := OpenCache(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Put(keyOf(1), []byte("object")); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(c.path(keyOf(1)))
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	if err := os.WriteFile(c.path(keyOf(1)), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Get(keyOf(1)); ok {
		t.Error("a damaged entry was served")
	}
	if _, err := os.Stat(c.path(keyOf(1))); !os.IsNotExist(err) {
		t.Error("a damaged entry was kept")
	}
}

func TestOpenCacheReportsAReadOnlyPlace(t *testing.T) {
	if _, err := OpenCache("/proc/hone-cache", 0); err == nil {
		t.Error("no error")
	}
}
