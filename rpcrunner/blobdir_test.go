package rpcrunner

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"hone/internal/wire"
)

func TestBlobDir(t *testing.T) {
	ctx := context.Background()
	d := BlobDir{t.TempDir()}
	data := []byte("an artifact")
	if err := d.Put(ctx, data); err != nil {
		t.Fatal(err)
	}
	b := digestOf(data)
	if got, err := d.Get(ctx, b); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%q %v", got, err)
	}
	if _, err := d.Get(ctx, wire.Blob{SHA256: strings.Repeat("0", 64)}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if _, err := d.Get(ctx, wire.Blob{SHA256: "../../etc/passwd"}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path: %v", err)
	}
}

func TestArtifactsFallBackOnTheStore(t *testing.T) {
	ctx := context.Background()
	store := BlobDir{t.TempDir()}
	first, err := openArtifacts(t.TempDir(), store)
	if err != nil {
		t.Fatal(err)
	}
	b, err := first.put(ctx, []byte("image"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := openArtifacts(t.TempDir(), store)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := second.get(ctx, b); err != nil || string(got) != "image" {
		t.Errorf("%q %v", got, err)
	}
	if err := os.RemoveAll(store.Dir); err != nil {
		t.Fatal(err)
	}
	if got, err := second.get(ctx, b); err != nil || string(got) != "image" {
		t.Errorf("the cache did not keep it: %q %v", got, err)
	}
	second.max = 1
	second.sweep()
	if _, err := second.get(ctx, b); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after a sweep: %v", err)
	}
}
