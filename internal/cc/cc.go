// Package cc finds, identifies and runs C compilers and linkers.
//
// Start from [Find] (which compilers can build for a triple) and [Toolchain]
// (one compiler with limits, a scratch directory and an optional cache):
//
//	comp, err := cc.Default(ctx, "")          // best compiler for this machine
//	tc := cc.Toolchain{Compiler: comp}
//	obj, err := tc.Compile(ctx, cc.Unit{Text: src, Flags: flags})
//	img, err := tc.LinkShared(ctx, [][]byte{obj}, cc.LinkOptions{})
//
// Sources, objects and images are byte slices; the package owns every
// temporary file. Each child runs in its own process group with wall, CPU,
// memory and file-size limits and a nearly empty environment.
//
// The package imports internal/atomicfile only: the compiler driver, the
// agent's builder and the benchmark harness all sit on top of it.
package cc

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"strings"
)

// Kind is the family of a C compiler.
type Kind string

// Compiler families.
const (
	GCC   Kind = "gcc"
	Clang Kind = "clang"
)

// Compiler is one identified C compiler together with the linker that goes
// with it.
type Compiler struct {
	Path    string   // absolute path of the driver
	Args    []string // arguments of every invocation (--target=… when cross compiling with clang)
	Kind    Kind
	Version string // "12.2.0"
	Banner  string // first line of --version
	Triple  string // what it builds for, without the vendor: "x86_64-linux-gnu"
	Linker  string // absolute path of an ELF linker called directly; empty: link through the driver
	// LinkerBanner is the first line of the linker's --version.
	LinkerBanner string
}

// Name is the compiler's short name as pools and records spell it,
// "gcc-12" or "clang-19".
func (c *Compiler) Name() string {
	major, _, _ := strings.Cut(c.Version, ".")
	return string(c.Kind) + "-" + major
}

// Identity is a text that changes whenever the compiler, its target or its
// linker does; it belongs to cache keys and records.
func (c *Compiler) Identity() string {
	return strings.Join(append([]string{c.Banner, c.Triple, c.LinkerBanner}, c.Args...), "|")
}

// Digest is a short hash of Identity for places where the text is too long.
func (c *Compiler) Digest() string {
	sum := sha256.Sum256([]byte(c.Identity()))
	return hex.EncodeToString(sum[:8])
}

// HostTriple is the triple of programs that run on this machine.
func HostTriple() string {
	arch := map[string]string{
		"amd64": "x86_64", "arm64": "aarch64", "386": "i686", "arm": "arm",
		"riscv64": "riscv64", "ppc64le": "powerpc64le", "loong64": "loongarch64", "s390x": "s390x",
	}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	abi := "gnu"
	if arch == "arm" {
		abi = "gnueabihf"
	}
	return arch + "-" + runtime.GOOS + "-" + abi
}

// CanonicalTriple drops the vendor field, so that "x86_64-pc-linux-gnu" and
// "x86_64-linux-gnu" are one name.
func CanonicalTriple(t string) string {
	p := strings.Split(strings.TrimSpace(t), "-")
	if len(p) == 4 {
		p = []string{p[0], p[2], p[3]}
	}
	if len(p) > 0 && p[0] == "arm64" {
		p[0] = "aarch64"
	}
	return strings.Join(p, "-")
}
