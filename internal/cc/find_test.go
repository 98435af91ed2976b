package cc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFindIdentifiesEveryCompiler(t *testing.T) {
	all, err := Find(context.Background(), "")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range all {
		if c.Triple != HostTriple() || c.Version == "" || !filepath.IsAbs(c.Path) || c.Banner == "" {
			t.Errorf("%+v", c)
		}
		if !strings.HasPrefix(c.Name(), string(c.Kind)+"-") || !strings.Contains(c.Identity(), c.Banner) {
			t.Errorf("name %q, identity %q", c.Name(), c.Identity())
		}
	}
}

func TestFindWithoutACompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("HONE_CC", "")
	_, err := Find(context.Background(), "")
	if !errors.Is(err, ErrNoCompiler) || err.Error() != "no C compiler found: install gcc or clang, or set HONE_CC" {
		t.Errorf("error %v", err)
	}
	_, err = Find(context.Background(), "riscv64-linux-gnu")
	if !errors.Is(err, ErrNoCompiler) || !strings.Contains(err.Error(), "riscv64-linux-gnu-gcc") {
		t.Errorf("error %v", err)
	}
}

func TestHoneCC(t *testing.T) {
	all, err := Find(context.Background(), "")
	if err != nil {
		t.Skip(err)
	}
	last := all[len(all)-1]
	t.Setenv("HONE_CC", last.Path)
	c, err := Default(context.Background(), "")
	if err != nil || c.Path != last.Path {
		t.Errorf("%+v, %v", c, err)
	}
	t.Setenv("HONE_CC", "/nonexistent/cc")
	if _, err := Default(context.Background(), ""); err == nil || !strings.Contains(err.Error(), "HONE_CC=/nonexistent/cc") {
		t.Errorf("error %v", err)
	}
	fake := filepath.Join(t.TempDir(), "cc")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho tinycc 1.0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HONE_CC", fake)
	if _, err := Default(context.Background(), ""); err == nil || !strings.Contains(err.Error(), "neither gcc nor clang") {
		t.Errorf("error %v", err)
	}
}

func TestCrossCompilers(t *testing.T) {
	other := "aarch64-linux-gnu"
	if runtime.GOARCH == "arm64" {
		other = "x86_64-linux-gnu"
	}
	all, err := Find(context.Background(), other)
	if err != nil {
		t.Skip(err)
	}
	for _, c := range all {
		tc := Toolchain{Compiler: c, TempDir: t.TempDir()}
		obj, err := tc.Compile(context.Background(), Unit{Text: "int f(void) { return 1; }\n", Flags: []string{"-fPIC", "-O2"}})
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			continue
		}
		if _, err := tc.LinkShared(context.Background(), [][]byte{obj}, LinkOptions{}); err != nil {
			t.Errorf("%s: %v", c.Name(), err)
		}
	}
}

func TestNamed(t *testing.T) {
	all, err := Find(context.Background(), "")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range all {
		if got, err := Named(context.Background(), "", c.Name()); err != nil || got.Path != c.Path {
			t.Errorf("%s: %+v, %v", c.Name(), got, err)
		}
	}
	if _, err := Named(context.Background(), "", "gcc-1"); err == nil || !strings.Contains(err.Error(), `no C compiler "gcc-1" among`) {
		t.Errorf("error %v", err)
	}
}

func TestCanonicalTriple(t *testing.T) {
	for in, want := range map[string]string{
		"x86_64-pc-linux-gnu": "x86_64-linux-gnu", "aarch64-linux-gnu": "aarch64-linux-gnu",
		"arm64-unknown-linux-gnu\n": "aarch64-linux-gnu", "": "",
	} {
		if got := CanonicalTriple(in); got != want {
			t.Errorf("CanonicalTriple(%q) = %q, want %q", in, got, want)
		}
	}
}
