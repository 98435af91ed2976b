package npy

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hone/compiler/dtype"
)

// ReadFile reads a .npy file.
func ReadFile(path string) (*dtype.Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := Read(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// WriteFile writes a .npy file.
func WriteFile(path string, t *dtype.Tensor) error {
	var b bytes.Buffer
	if err := Write(&b, t); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// ReadZip reads every array of a .npz file by name.
func ReadZip(path string) (map[string]*dtype.Tensor, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer z.Close()
	out := map[string]*dtype.Tensor{}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		if _, dup := out[name]; dup {
			return nil, fmt.Errorf("%s: two arrays called %q", path, name)
		}
		if out[name], err = readMember(f); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, f.Name, err)
		}
	}
	return out, nil
}

func readMember(f *zip.File) (*dtype.Tensor, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return Read(r)
}

// WriteZip writes arrays by name, uncompressed and sorted as numpy.savez does.
func WriteZip(w io.Writer, arrays map[string]*dtype.Tensor) error {
	z := zip.NewWriter(w)
	names := make([]string, 0, len(arrays))
	for name := range arrays {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		m, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := Write(m, arrays[name]); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return z.Close()
}

// ReadAny reads a file by its extension: a .npz gives its arrays, a .npy one
// array under the name of the file without extension.
func ReadAny(path string) (map[string]*dtype.Tensor, error) {
	switch ext := filepath.Ext(path); ext {
	case ".npz":
		return ReadZip(path)
	case ".npy":
		t, err := ReadFile(path)
		if err != nil {
			return nil, err
		}
		return map[string]*dtype.Tensor{strings.TrimSuffix(filepath.Base(path), ext): t}, nil
	default:
		return nil, fmt.Errorf("%s: want a .npy or .npz file", path)
	}
}
