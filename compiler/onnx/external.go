package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// store resolves tensor data of one model: bytes in the model file, or in files
// beside it, each mapped once.
type store struct {
	limits   Limits
	dirs     []string // where external data may lie, in order
	disabled bool     // external data refused altogether
	files    map[string][]byte
	unmap    []func()
}

// newStore allows external data in the directory of the model, in the directory
// of the file that path is a link to (as in a Hugging Face cache, where model
// and data both link to siblings elsewhere), and in an explicit directory.
func newStore(path, extra string, limits Limits) *store {
	s := &store{limits: limits, files: map[string][]byte{}}
	if extra != "" {
		s.dirs = append(s.dirs, extra)
	}
	s.dirs = append(s.dirs, filepath.Dir(path))
	return s
}

// external returns the bytes that an external tensor names.
func (s *store) external(keys map[string]string, want int64, where string) ([]byte, error) {
	loc := keys["location"]
	if s.disabled {
		return nil, errorAt(where, "keeps its data in the file %q, and external data are disabled", loc)
	}
	if loc == "" || strings.ContainsAny(loc, "\\\x00") || !filepath.IsLocal(loc) || strings.Contains(loc, "_ORT_MEM_ADDR_") {
		return nil, errorAt(where, "the data file %q is not a path inside the model's directory", loc)
	}
	file, err := s.open(loc)
	if err != nil {
		return nil, errorAt(where, "data file %q: %v", loc, err)
	}
	offset, err := externalNumber(keys, "offset", 0)
	if err != nil {
		return nil, errorAt(where, "%v", err)
	}
	size := int64(len(file))
	if offset > size {
		return nil, errorAt(where, "data begin at byte %d of %q, which has %d", offset, loc, size)
	}
	length, err := externalNumber(keys, "length", min(want, size-offset))
	if err != nil {
		return nil, errorAt(where, "%v", err)
	}
	if length > size-offset {
		return nil, errorAt(where, "data of %d bytes at %d go beyond %q, which has %d", length, offset, loc, size)
	}
	return file[offset : offset+length : offset+length], nil
}

func externalNumber(keys map[string]string, key string, def int64) (int64, error) {
	text, ok := keys[key]
	if !ok {
		return def, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s %q of external data is not a size", key, text)
	}
	return n, nil
}

func (s *store) open(loc string) ([]byte, error) {
	if b, ok := s.files[loc]; ok {
		return b, nil
	}
	var first error
	for _, dir := range s.dirs {
		b, unmap, err := openInside(dir, loc, s.limits.FileBytes)
		if err == nil {
			s.files[loc] = b
			s.unmap = append(s.unmap, unmap)
			return b, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// openInside maps a regular file under dir. os.Root follows links only where
// they stay inside; a link that leaves dir is accepted in one case, the cache
// layout snapshots/<rev>/<name> → ../../blobs/<hash>, by opening the blob
// inside the cache's own blobs directory.
func openInside(dir, loc string, limit int64) ([]byte, func(), error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	if st, err := root.Stat(filepath.FromSlash(loc)); err == nil && !st.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("not a regular file") // opening a pipe would block
	}
	f, err := root.Open(filepath.FromSlash(loc))
	if err != nil {
		f2, err2 := openCacheBlob(root, dir, loc)
		if err2 != nil {
			return nil, nil, err
		}
		f = f2
	}
	defer f.Close()
	return mapFile(f, limit)
}

func openCacheBlob(root *os.Root, dir, loc string) (*os.File, error) {
	target, err := root.Readlink(filepath.FromSlash(loc))
	if err != nil {
		return nil, err
	}
	up, name := filepath.Split(target)
	if filepath.Base(up) != "blobs" || filepath.IsAbs(target) || !filepath.IsLocal(name) {
		return nil, fmt.Errorf("the link leaves the model's directory")
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	blobs := filepath.Join(real, filepath.Dir(filepath.FromSlash(loc)), up)
	// The cache's layout, exactly: <repo>/snapshots/<rev>/… and <repo>/blobs.
	rel, err := filepath.Rel(filepath.Dir(blobs), real)
	if err != nil || !filepath.IsLocal(rel) || !strings.HasPrefix(rel, "snapshots"+string(filepath.Separator)) {
		return nil, fmt.Errorf("the link leaves the model's directory")
	}
	blobRoot, err := os.OpenRoot(blobs)
	if err != nil {
		return nil, err
	}
	defer blobRoot.Close()
	return blobRoot.Open(name)
}
