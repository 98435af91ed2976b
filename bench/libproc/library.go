package libproc

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/klauspost/cpuid/v2"
)

//go:embed csrc
var sources embed.FS

// Library is a library with a program around it.
type Library struct {
	Name     string
	Package  string // Debian's, for those who lack it
	source   string
	compiler string
	link     string
	env      func(threads int) []string
}

// Libraries that kernels are held against.
var Libraries = []Library{
	{"OpenBLAS", "libopenblas-dev", "openblas.c", "gcc", "-lopenblas", func(threads int) []string {
		return []string{"OPENBLAS_NUM_THREADS=" + strconv.Itoa(threads), "OPENBLAS_CORETYPE=" + coreType()}
	}},
	{"oneDNN", "libdnnl-dev", "onednn.cpp", "g++", "-ldnnl", func(threads int) []string {
		return []string{"OMP_NUM_THREADS=" + strconv.Itoa(threads), "OMP_WAIT_POLICY=active"}
	}},
}

// coreType names the right kernels: OpenBLAS takes a processor that is newer than
// itself for an old one.
func coreType() string {
	switch c := cpuid.CPU; {
	case c.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VL):
		return "SKYLAKEX"
	case c.Supports(cpuid.AVX2) && c.VendorID == cpuid.AMD:
		return "Zen"
	case c.Supports(cpuid.AVX2):
		return "Haswell"
	}
	return ""
}

// Program is a compiled Library.
type Program struct {
	lib  *Library
	path string
}

// Build compiles the library's program into dir. Where the library is missing the
// error says how to get it.
func (l *Library) Build(ctx context.Context, dir string) (*Program, error) {
	src, err := sources.ReadFile("csrc/" + l.source)
	if err != nil {
		return nil, err
	}
	path, err := Compile(ctx, dir, l.compiler, l.source, src, l.link)
	if err != nil {
		return nil, fmt.Errorf("%s is not installed (Debian: %s)", l.Name, l.Package)
	}
	return &Program{l, path}, nil
}

// Start runs the program with a number of copies of the weights.
func (p *Program) Start(ctx context.Context, threads, copies int, args ...string) (*Process, error) {
	return Start(ctx, threads, p.lib.env(threads), p.path, append([]string{strconv.Itoa(copies)}, args...)...)
}

// Compile writes a source beside serve.h into dir and compiles it there.
func Compile(ctx context.Context, dir, compiler, name string, source []byte, flags ...string) (string, error) {
	header, err := sources.ReadFile("csrc/serve.h")
	if err != nil {
		return "", err
	}
	for file, data := range map[string][]byte{"serve.h": header, name: source} {
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
			return "", err
		}
	}
	src := filepath.Join(dir, name)
	bin := src + ".bin"
	if out, err := exec.CommandContext(ctx, compiler, append([]string{"-O2", "-w", src, "-o", bin}, flags...)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling %s: %w\n%s", name, err, out)
	}
	return bin, nil
}
