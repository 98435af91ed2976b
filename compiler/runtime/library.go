package runtime

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"hone/compiler/runtime/csrc"
	"hone/compiler/target"
	"hone/internal/atomicfile"
	"hone/internal/cc"
)

// Library is a model with its kernels, ready to link.
type Library struct {
	Model   *Model
	Objects [][]byte // compiled units that define the kernels
	Embed   bool     // put the constants into the library
	Soname  string   // optional
}

// exported are the symbols of a library; everything else is local to it.
var exported = []string{
	"hone_abi_version", "hone_metadata", "hone_num_inputs", "hone_num_outputs", "hone_input", "hone_output",
	"hone_create", "hone_destroy", "hone_threads", "hone_run", "hone_num_calls", "hone_call_name", "hone_run_timed",
}

// systemLibraries are what libraries need of the system, by file and symbol.
// They are linked against stand-ins made here, with the oldest version each
// symbol has, so that a library built on a new system runs on an old one.
var systemLibraries = []struct {
	soname  string
	symbols []string
}{
	{"libpthread.so.0", []string{"pthread_create", "pthread_join", "pthread_attr_init", "pthread_attr_setstacksize", "pthread_attr_destroy", "pthread_sigmask"}},
	{"libc.so.6", []string{"mmap", "munmap", "madvise", "open", "close", "lseek", "read", "getenv", "syscall", "sigfillset"}},
}

// oldestGlibc is the version in which a port of glibc began.
var oldestGlibc = map[string]string{"x86_64": "GLIBC_2.2.5", "aarch64": "GLIBC_2.17"}

// BuildLibrary compiles the runtime and the model's tables and links them with
// the kernels into a shared library.
func BuildLibrary(ctx context.Context, tc *cc.Toolchain, tgt target.Target, lib Library) ([]byte, error) {
	tables, err := lib.Model.Tables(lib.Embed)
	if err != nil {
		return nil, err
	}
	flags := append(tgt.HostCFlags(), "-ffreestanding", "-nostdinc")
	objs := append([][]byte{}, lib.Objects...)
	for _, u := range []cc.Unit{
		{Name: "pool.c", Text: csrc.Pool()}, {Name: "artifact.c", Text: csrc.Artifact()}, {Name: "memory.c", Text: csrc.Memory()}, {Name: "tables.c", Text: tables},
	} {
		u.Headers, u.Flags = csrc.Headers(), flags
		o, err := tc.Compile(ctx, u)
		if err != nil {
			return nil, fmt.Errorf("runtime: %s: %w", u.Name, err)
		}
		objs = append(objs, o)
	}
	if lib.Embed {
		o, err := constantsObject(ctx, tc, lib.Model.Constants)
		if err != nil {
			return nil, err
		}
		objs = append(objs, o)
	}
	opt := cc.LinkOptions{Soname: lib.Soname, Files: map[string][]byte{"exports.map": []byte(exportMap())}, Flags: []string{"--version-script=exports.map"}}
	for i, s := range systemLibraries {
		stub, err := standIn(ctx, tc, tgt, s.soname, s.symbols)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("system%d.so", i)
		opt.Files[name] = stub
		opt.Inputs = append(opt.Inputs, name)
	}
	img, err := tc.LinkShared(ctx, objs, opt)
	if err != nil {
		return nil, fmt.Errorf("runtime: linking the library: %w", err)
	}
	return img, nil
}

func exportMap() string { return "{ global: " + strings.Join(exported, "; ") + "; local: *; };\n" }

// standIn makes a shared object that defines symbols under a file name and a
// version of the C library.
func standIn(ctx context.Context, tc *cc.Toolchain, tgt target.Target, soname string, symbols []string) ([]byte, error) {
	var text strings.Builder
	for _, s := range symbols {
		fmt.Fprintf(&text, "__attribute__((visibility(\"default\"))) void %s(void) {}\n", s)
	}
	obj, err := tc.Compile(ctx, cc.Unit{Text: text.String(), Flags: []string{"-O1", "-fPIC", "-ffreestanding", "-fno-builtin", "-w"}})
	if err != nil {
		return nil, fmt.Errorf("runtime: stand-in for %s: %w", soname, err)
	}
	opt := cc.LinkOptions{Soname: soname}
	if v, ok := oldestGlibc[tgt.ISA]; ok {
		opt.Files = map[string][]byte{"version.map": []byte(v + " { global: " + strings.Join(symbols, "; ") + "; };\n")}
		opt.Flags = []string{"--version-script=version.map"}
	}
	out, err := tc.LinkShared(ctx, [][]byte{obj}, opt)
	if err != nil {
		return nil, fmt.Errorf("runtime: stand-in for %s: %w", soname, err)
	}
	return out, nil
}

// constantsObject makes an object of the constants: the assembler includes the
// bytes as they are.
func constantsObject(ctx context.Context, tc *cc.Toolchain, constants []byte) ([]byte, error) {
	text := `__asm__(".section .rodata.hone, \"a\"\n.balign 64\n.globl hone_constants\n.hidden hone_constants\nhone_constants:\n.incbin \"constants.bin\"\n.byte 0\n.previous\n");` + "\n"
	plain := *tc
	plain.Cache = nil // the linked library is what is worth keeping
	o, err := plain.Compile(ctx, cc.Unit{Name: "constants.c", Text: text, Headers: map[string]string{"constants.bin": string(constants)}, Flags: []string{"-fPIC"}})
	if err != nil {
		return nil, fmt.Errorf("runtime: embedding the weights: %w", err)
	}
	return o, nil
}

// weightsMagic and weightsStart are HONE_WEIGHTS_MAGIC and HONE_WEIGHTS_START.
const (
	weightsMagic = "HONEWTS1"
	weightsStart = 4096
)

// WriteWeights writes the weights file of a model.
func (m *Model) WriteWeights(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<20)
	head := make([]byte, weightsStart)
	copy(head, weightsMagic)
	digest := m.Digest()
	copy(head[8:], digest[:])
	binary.LittleEndian.PutUint64(head[40:], uint64(len(m.Constants)))
	if _, err := b.Write(head); err != nil {
		return err
	}
	if _, err := b.Write(m.Constants); err != nil {
		return err
	}
	return b.Flush()
}

// WeightsPath is where the weights of a library are by convention: beside it,
// with the extension .weights.
func WeightsPath(library string) string {
	return strings.TrimSuffix(library, filepath.Ext(library)) + ".weights"
}

// WriteFiles writes a library and, unless its weights are embedded, its weights
// file, each appearing whole or not at all. The libraries loaded now keep what
// they mapped.
func WriteFiles(path string, image []byte, lib Library) error {
	if !lib.Embed && len(lib.Model.Constants) > 0 {
		if err := atomicfile.Write(WeightsPath(path), 0o644, lib.Model.WriteWeights); err != nil {
			return err
		}
	}
	return atomicfile.Write(path, 0o755, func(w io.Writer) error {
		_, err := w.Write(image)
		return err
	})
}
