package executor

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hone/compiler/runtime/csrc"
	"hone/internal/cc"
)

//go:embed csrc/*.c csrc/*.h
var sources embed.FS

// programFlags compile the executor itself. Contraction makes the reference burst use
// fused multiply-adds.
var programFlags = []string{"-O2", "-ffp-contract=fast", "-fno-math-errno", "-std=gnu11", "-Wall"}

// Build compiles and links the executor with tc into dir, once per (sources, compiler),
// and returns its path. Concurrent callers are fine: the file appears by rename.
func Build(ctx context.Context, tc *cc.Toolchain, dir string) (string, error) {
	units, headers := programSources()
	path := filepath.Join(dir, "honex-"+programKey(tc.Compiler, units, headers))
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("executor: %w", err)
	}
	var objs [][]byte
	for _, name := range sortedNames(units) {
		obj, err := tc.Compile(ctx, cc.Unit{Name: name, Text: units[name], Headers: headers, Flags: programFlags})
		if err != nil {
			return "", fmt.Errorf("executor: compiling %s: %w", name, err)
		}
		objs = append(objs, obj)
	}
	libs := []string{"-pthread", "-lm"}
	err := tc.LinkExecutable(ctx, path, objs, cc.LinkOptions{DriverFlags: append([]string{"-static"}, libs...)})
	if err != nil { // a system without static libraries: a dynamic program serves the machine it was compiled on
		err = tc.LinkExecutable(ctx, path, objs, cc.LinkOptions{DriverFlags: libs})
	}
	if err != nil {
		return "", fmt.Errorf("executor: linking: %w", err)
	}
	return path, nil
}

// programSources returns the C units and the headers by file name, the runtime's pool
// included.
func programSources() (units, headers map[string]string) {
	units, headers = map[string]string{"pool.c": csrc.Pool()}, csrc.Headers()
	entries, err := sources.ReadDir("csrc")
	if err != nil {
		panic("BUG: embedded executor sources: " + err.Error())
	}
	for _, e := range entries {
		b, err := sources.ReadFile("csrc/" + e.Name())
		if err != nil {
			panic("BUG: embedded executor sources: " + err.Error())
		}
		if strings.HasSuffix(e.Name(), ".h") {
			headers[e.Name()] = string(b)
		} else {
			units[e.Name()] = string(b)
		}
	}
	return units, headers
}

func programKey(comp *cc.Compiler, units, headers map[string]string) string {
	h := sha256.New()
	fmt.Fprintln(h, comp.Identity(), programFlags)
	for _, m := range []map[string]string{units, headers} {
		for _, n := range sortedNames(m) {
			fmt.Fprintf(h, "%s %d\n%s", n, len(m[n]), m[n])
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

func sortedNames(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
