package blobs

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hone/db/store"
)

const helloSum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // printf hello | sha256sum

func TestPutAndOpen(t *testing.T) {
	d, err := OpenDir(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second changes nothing
		sum, size, err := d.Put(t.Context(), helloSum, strings.NewReader("hello"))
		if err != nil || sum != helloSum || size != 5 {
			t.Fatalf("%s %d %v", sum, size, err)
		}
	}
	r, err := d.Open(t.Context(), helloSum)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); err != nil || string(b) != "hello" {
		t.Fatalf("%q %v", b, err)
	}
	if !d.Has(t.Context(), helloSum) || d.Has(t.Context(), strings.Repeat("0", 64)) || d.Has(t.Context(), "../../etc/passwd") {
		t.Fatal("Has")
	}
}

func TestRefusals(t *testing.T) {
	root := t.TempDir()
	d, err := OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Put(t.Context(), helloSum, strings.NewReader("bye")); !errors.Is(err, store.ErrInvalid) {
		t.Fatalf("another digest: %v", err)
	}
	if _, err := d.Open(t.Context(), helloSum); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("nothing there: %v", err)
	}
	for _, bad := range []string{"", "..", strings.Repeat("g", 64), "../" + helloSum[3:]} {
		if _, err := d.Open(t.Context(), bad); !errors.Is(err, store.ErrInvalid) {
			t.Fatalf("%q: %v", bad, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := d.Put(ctx, "", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 0 {
		t.Fatalf("left behind: %v %v", left, err)
	}
	if _, _, err := d.Put(t.Context(), "", strings.NewReader("hello")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.path(helloSum), []byte("hellO"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := d.Open(t.Context(), helloSum)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.ReadAll(r); !errors.Is(err, store.ErrCorrupt) {
		t.Fatalf("a damaged file: %v", err)
	}
}
