//go:build unix

package onnx

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a regular file for reading.
func mapFile(f *os.File, limit int64) ([]byte, func(), error) {
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("not a regular file")
	}
	if st.Size() > limit {
		return nil, nil, fmt.Errorf("%d bytes, more than the limit of %d", st.Size(), limit)
	}
	if st.Size() == 0 {
		return nil, func() {}, nil
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return b, func() { _ = unix.Munmap(b) }, nil
}
