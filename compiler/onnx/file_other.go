//go:build !unix

package onnx

import (
	"fmt"
	"io"
	"os"
)

// mapFile reads a regular file.
func mapFile(f *os.File, limit int64) ([]byte, func(), error) {
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > limit {
		return nil, nil, fmt.Errorf("not a regular file of at most %d bytes", limit)
	}
	b, err := io.ReadAll(f)
	return b, func() {}, err
}
