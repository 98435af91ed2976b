package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
	"hone/compiler/lower"
	"hone/compiler/onnx"
	"hone/compiler/target"
)

// LoadOptions direct the front half.
type LoadOptions struct {
	ONNX onnx.Options
	// DisablePasses names graph passes that do not run.
	DisablePasses []string
	// Forms chooses how sites of the graph are computed, by name (graphopt.Site).
	Forms map[string]int64
	// Hollow leaves transformed weights zero: the program is not to be built.
	Hollow bool
	// Dump sees the graph after every pass.
	Dump func(pass string, rewrites int, g *graph.Graph)
}

// Loaded is a model ready to be tuned or built. Its constants are views of the
// model file: Close it when they are no longer needed.
type Loaded struct {
	Program  *lower.Program
	Tasks    []Task
	Digest   string // SHA-256 of the model file, in hex
	Warnings []string
	Sites    []graphopt.Site // in the order in which the graph has them, each once

	model *onnx.Model
}

// Close releases the model file.
func (l *Loaded) Close() error { return l.model.Close() }

// Load reads a model file and lowers it for a target's vectors.
func Load(path string, t *target.Target, o LoadOptions) (*Loaded, error) {
	digest, err := fileDigest(path)
	if err != nil {
		return nil, err
	}
	m, err := onnx.Open(path, o.ONNX)
	if err != nil {
		return nil, err
	}
	l, err := lowerModel(path, m, t, o)
	if err != nil {
		m.Close()
		return nil, err
	}
	l.Digest = digest
	return l, nil
}

func lowerModel(path string, m *onnx.Model, t *target.Target, o LoadOptions) (*Loaded, error) {
	g, warnings, err := m.Import(o.ONNX)
	if err != nil {
		return nil, err
	}
	var sites []graphopt.Site
	opt := graphopt.Options{Block: t.Lanes(32), Cache: t.L2, Disable: o.DisablePasses, After: o.Dump, Forms: o.Forms, Hollow: o.Hollow}
	opt.Bytes, opt.FoldBytes = dotOperand(t), foldBase+4*m.Size // weights of bytes become floats where nothing multiplies bytes
	opt.Site = func(s graphopt.Site) {
		if !slices.ContainsFunc(sites, func(x graphopt.Site) bool { return x.Name == s.Name }) {
			sites = append(sites, s)
		}
	}
	if err := graphopt.Run(g, opt); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p, err := lower.Lower(g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Loaded{Program: p, Tasks: ExtractTasks(p), Warnings: warnings, Sites: sites, model: m}, nil
}

// foldBase is what folding may create beside the floats of quantised weights.
const foldBase = 256 << 20

// dotOperand is the type of the activations that a target multiplies as bytes.
func dotOperand(t *target.Target) dtype.DType {
	switch t.DotOperand() {
	case "uint8":
		return dtype.UInt8
	case "int8":
		return dtype.Int8
	}
	return dtype.DType{}
}

func fileDigest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
