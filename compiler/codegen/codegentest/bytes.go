package codegentest

import (
	"fmt"
	"strings"
	"unsafe"
)

// aligned allocates n bytes at a multiple of 64.
func aligned(n int) []byte {
	b := make([]byte, n+64)
	off := -uintptr(unsafe.Pointer(&b[0])) & 63
	return b[off : int(off)+n : int(off)+n]
}

// numbered is a source with line numbers, for failures.
func numbered(src string) string {
	lines := strings.Split(src, "\n")
	for i := range lines {
		lines[i] = fmt.Sprintf("%4d %s", i+1, lines[i])
	}
	return strings.Join(lines, "\n")
}
