package cc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Toolchain is a compiler with the circumstances of its use. It is safe for
// concurrent use; the zero Limits are DefaultLimits.
type Toolchain struct {
	Compiler *Compiler
	Limits   Limits
	Cache    *Cache // nil: compile every time
	TempDir  string // where scratch directories go; empty: the system's
}

// Unit is one translation unit.
type Unit struct {
	Name    string            // file name in diagnostics; empty: "unit.c"
	Text    string            // C source
	Headers map[string]string // files beside the source, by plain name
	Flags   []string
}

// LinkOptions shape a link. The zero value suits a kernel image: no undefined
// symbols, symbols bound inside the image, no build id.
type LinkOptions struct {
	AllowUndefined bool
	Soname         string
	// Flags go to the linker as they are when it is called directly and through
	// the driver's -Wl otherwise.
	Flags []string
	// Files are written beside the objects under plain names, for flags and
	// Inputs to refer to (version scripts, import libraries).
	Files map[string][]byte
	// Inputs are names of Files to link after the objects.
	Inputs []string
	// DriverFlags force a link through the compiler driver with these flags,
	// for what needs the system's start files and libraries.
	DriverFlags []string
}

// Compile turns a unit into a relocatable object.
func (t *Toolchain) Compile(ctx context.Context, u Unit) ([]byte, error) {
	return t.translate(ctx, u, "-c", "unit.o")
}

// Assembly turns a unit into assembler text, for reading and for tests that
// look at the instructions.
func (t *Toolchain) Assembly(ctx context.Context, u Unit) ([]byte, error) {
	return t.translate(ctx, u, "-S", "unit.s")
}

func (t *Toolchain) translate(ctx context.Context, u Unit, mode, out string) ([]byte, error) {
	if u.Name == "" {
		u.Name = "unit.c"
	}
	key := t.unitKey(u, mode)
	return t.cached(key, func() ([]byte, error) {
		files := map[string][]byte{u.Name: []byte(u.Text)}
		for n, text := range u.Headers {
			files[n] = []byte(text)
		}
		argv := append([]string{t.Compiler.Path}, t.Compiler.Args...)
		argv = append(append(argv, u.Flags...), "-x", "c", mode, "-o", out, u.Name)
		return t.runIn(ctx, "compile", files, argv, out)
	})
}

// LinkShared links objects into a shared object.
func (t *Toolchain) LinkShared(ctx context.Context, objs [][]byte, opt LinkOptions) ([]byte, error) {
	key := t.linkKey("shared", objs, opt)
	return t.cached(key, func() ([]byte, error) {
		files, names := objectFiles(objs, opt)
		return t.runIn(ctx, "link", files, t.sharedCommand(names, opt), "out")
	})
}

// LinkExecutable links objects into a program at path, through the driver.
// The linker itself writes the file, which then moves into place: a process
// that writes an executable and forks meanwhile could not run it.
func (t *Toolchain) LinkExecutable(ctx context.Context, path string, objs [][]byte, opt LinkOptions) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".hone-link-")
	if err != nil {
		return fmt.Errorf("cc: scratch directory: %w", err)
	}
	defer os.RemoveAll(dir)
	files, names := objectFiles(objs, opt)
	if err := writeFiles(dir, files); err != nil {
		return err
	}
	argv := append([]string{t.Compiler.Path}, t.Compiler.Args...)
	argv = append(append(append(argv, "-o", "out"), names...), opt.Inputs...)
	argv = append(append(argv, viaDriver(opt.Flags)...), opt.DriverFlags...)
	if err := t.run(ctx, "link", dir, argv); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, "out"), path)
}

// sharedCommand is the command line that links a shared object.
func (t *Toolchain) sharedCommand(names []string, opt LinkOptions) []string {
	flags := []string{"-Bsymbolic", "--build-id=none", "-z", "noexecstack", "-z", "now", "--hash-style=gnu"}
	if !opt.AllowUndefined {
		flags = append(flags, "-z", "defs")
	}
	if opt.Soname != "" {
		flags = append(flags, "-soname", opt.Soname)
	}
	flags = append(flags, opt.Flags...)
	var argv []string
	if t.Compiler.Linker != "" && opt.DriverFlags == nil {
		argv = append([]string{t.Compiler.Linker, "-shared", "-o", "out"}, flags...)
		argv = append(argv, names...)
		return append(argv, opt.Inputs...)
	}
	argv = append([]string{t.Compiler.Path}, t.Compiler.Args...)
	argv = append(argv, "-shared", "-o", "out")
	if opt.DriverFlags == nil {
		argv = append(argv, "-nostdlib")
	}
	argv = append(append(argv, viaDriver(flags)...), names...)
	return append(append(argv, opt.Inputs...), opt.DriverFlags...)
}

// viaDriver wraps linker flags for the compiler driver.
func viaDriver(flags []string) []string {
	if len(flags) == 0 {
		return nil
	}
	out := make([]string, 0, 2*len(flags))
	for _, f := range flags {
		out = append(out, "-Xlinker", f)
	}
	return out
}

func objectFiles(objs [][]byte, opt LinkOptions) (map[string][]byte, []string) {
	files := map[string][]byte{}
	var names []string
	for i, o := range objs {
		n := strconv.Itoa(i) + ".o"
		files[n] = o
		names = append(names, n)
	}
	for n, b := range opt.Files {
		files[n] = b
	}
	return files, names
}

// runIn writes files to a scratch directory, runs argv there and returns the
// content of the file it made.
func (t *Toolchain) runIn(ctx context.Context, stage string, files map[string][]byte, argv []string, out string) ([]byte, error) {
	dir, err := os.MkdirTemp(t.TempDir, "hone-cc-")
	if err != nil {
		return nil, fmt.Errorf("cc: scratch directory: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := writeFiles(dir, files); err != nil {
		return nil, err
	}
	if err := t.run(ctx, stage, dir, argv); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(filepath.Join(dir, out))
	if err != nil {
		return nil, fmt.Errorf("cc: %s produced nothing: %w", filepath.Base(argv[0]), err)
	}
	return b, nil
}

func (t *Toolchain) run(ctx context.Context, stage, dir string, argv []string) error {
	_, err := process{stage: stage, compiler: t.Compiler.Name(), dir: dir, argv: argv, limits: t.Limits}.run(ctx)
	return err
}

func writeFiles(dir string, files map[string][]byte) error {
	for n, b := range files {
		if n != filepath.Base(n) || n == "." || n == ".." {
			return fmt.Errorf("cc: %q is not a plain file name", n)
		}
		if err := os.WriteFile(filepath.Join(dir, n), b, 0o600); err != nil {
			return fmt.Errorf("cc: scratch file: %w", err)
		}
	}
	return nil
}

// cached returns the cache's value for key, or makes and stores it. A cache
// that cannot be written costs time, not the result.
func (t *Toolchain) cached(key string, build func() ([]byte, error)) ([]byte, error) {
	if t.Cache == nil {
		return build()
	}
	if b, ok := t.Cache.Get(key); ok {
		return b, nil
	}
	b, err := build()
	if err != nil {
		return nil, err
	}
	_ = t.Cache.Put(key, b)
	return b, nil
}

// unitKey addresses the result of compiling a unit: everything that can change
// it is hashed, each part with its length.
func (t *Toolchain) unitKey(u Unit, mode string) string {
	parts := []string{"unit/1", t.Compiler.Identity(), mode, u.Name, u.Text, strings.Join(u.Flags, "\x00")}
	for _, n := range sortedKeys(u.Headers) {
		parts = append(parts, n, u.Headers[n])
	}
	return digest(parts)
}

func (t *Toolchain) linkKey(kind string, objs [][]byte, opt LinkOptions) string {
	parts := []string{"link/1", t.Compiler.Identity(), kind, strconv.FormatBool(opt.AllowUndefined), opt.Soname,
		strings.Join(opt.Flags, "\x00"), strings.Join(opt.Inputs, "\x00"), strconv.FormatBool(opt.DriverFlags != nil), strings.Join(opt.DriverFlags, "\x00")}
	for _, n := range sortedKeys(opt.Files) {
		parts = append(parts, n, string(opt.Files[n]))
	}
	for _, o := range objs {
		parts = append(parts, string(o))
	}
	return digest(parts)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func digest(parts []string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}
