// Package csrc carries the C sources of Hone's runtime as data: the kernel
// interface, the fork-join pool and the runtime of shipped artifacts. It
// imports nothing and does nothing; whoever needs the sources compiles them
// (the compile driver into artifacts, the agent into its executor).
//
// Start from [Headers] and the source constants. hone_kernel.h is the contract
// between kernel images and everything that runs them.
package csrc

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed src
var files embed.FS

// Pool is pool.c, the fork-join pool. It needs Headers beside it and pthreads
// at link time.
func Pool() string { return read("pool.c") }

// Artifact is artifact.c, which runs a model by the tables of hone_model.h. It
// links with pool.c and memory.c.
func Artifact() string { return read("artifact.c") }

// Memory is memory.c, the memory functions that compilers call on their own.
func Memory() string { return read("memory.c") }

// ArtifactHeader is hone_artifact.h, the interface of shipped libraries to C, with
// the header that it includes in its place: it needs no other file of Hone.
func ArtifactHeader() string {
	return strings.Replace(read("hone_artifact.h"), "#include \"hone_kernel.h\"\n", read("hone_kernel.h"), 1)
}

// Headers are the headers of the runtime by file name, ready to lie beside a
// source.
func Headers() map[string]string {
	out := map[string]string{}
	for _, n := range []string{"hone_kernel.h", "hone_sys.h", "pool.h", "hone_artifact.h", "hone_model.h"} {
		out[n] = read(n)
	}
	return out
}

func read(name string) string {
	b, err := files.ReadFile("src/" + name)
	if err != nil {
		panic(fmt.Sprintf("BUG: embedded runtime source %s: %v", name, err))
	}
	return string(b)
}
