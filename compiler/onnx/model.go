package onnx

import (
	"errors"
	"os"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// Model is an opened model file. Close it when the graphs imported from it are
// no longer used: their weights are views of the mapping.
type Model struct {
	Path  string
	Proto *Proto
	Size  int64

	store *store
}

// Options say how to open and import a model.
type Options struct {
	Limits Limits
	// ExternalDir is a further directory in which external data may lie.
	ExternalDir string
	// NoExternal refuses external data.
	NoExternal bool
	Binding    Binding
	// Command starts the ready-to-paste commands of error messages; default
	// "hone tune MODEL".
	Command string
}

// Open maps and decodes a model file.
func Open(path string, opt Options) (*Model, error) {
	limits := opt.Limits.withDefaults()
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, &Error{Path: path, Reason: "not a regular file"} // opening a pipe would block
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{Path: path, Reason: reason(err)}
	}
	defer f.Close()
	b, unmap, err := mapFile(f, limits.FileBytes)
	if err != nil {
		return nil, &Error{Path: path, Reason: reason(err)}
	}
	p, err := Decode(b, limits)
	if err != nil {
		unmap()
		return nil, withPath(err, path)
	}
	s := newStore(path, opt.ExternalDir, limits)
	s.disabled = opt.NoExternal
	s.unmap = append(s.unmap, unmap)
	return &Model{Path: path, Proto: p, Size: int64(len(b)), store: s}, nil
}

// reason drops the path that the message already has.
func reason(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func withPath(err error, path string) error {
	if e, ok := err.(*Error); ok {
		e.Path = path
		return e
	}
	return &Error{Path: path, Reason: err.Error()}
}

// Close unmaps the model's files. No tensor of a graph imported from it may be
// used afterwards.
func (m *Model) Close() error {
	for _, f := range m.store.unmap {
		f()
	}
	m.store.unmap = nil
	return nil
}

// Parse decodes and imports a model held in memory; it has no external data.
func Parse(file []byte, opt Options) (*graph.Graph, []string, error) {
	limits := opt.Limits.withDefaults()
	p, err := Decode(file, limits)
	if err != nil {
		return nil, nil, err
	}
	m := &Model{Proto: p, Size: int64(len(file)), store: &store{limits: limits, disabled: true}}
	return m.Import(opt)
}

// Import turns the model into a graph. The second result are warnings, one line
// each.
func (m *Model) Import(opt Options) (*graph.Graph, []string, error) {
	im := newImporter(m, opt)
	if err := im.run(); err != nil {
		return nil, im.warnings, withPath(err, m.Path)
	}
	return im.g, im.warnings, nil
}

// initializer decodes a tensor of the file.
func (im *importer) tensor(t *TensorProto, where string) (*dtype.Tensor, error) {
	return im.model.store.decodeTensor(t, where)
}
