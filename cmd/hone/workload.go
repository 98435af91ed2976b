package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hone/compiler"
	"hone/compiler/onnx"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
)

// workload is a function to tune with the number of times that the model calls
// it.
type workload struct {
	name   string
	hash   [32]byte
	fn     *tir.PrimFunc
	weight int
}

// model is what a file asks to be tuned.
type model struct {
	name      string
	digest    string
	workloads []workload
	warnings  []string
	constants int64              // bytes
	sites     [][]map[string]int // calls of each workload, by site and form
}

// isScript tells a module of tensor functions from an ONNX model by its name.
func isScript(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".py", ".tvmscript", ".tir":
		return true
	}
	return false
}

// readModel reads the workloads of an ONNX model or of a TVMScript module.
func readModel(path string, t target.Target, b onnx.Binding) (model, error) {
	if isScript(path) {
		if len(b.Shapes)+len(b.Dims)+len(b.Consts) > 0 {
			return model{}, usagef("%s: --shape, --dim and --const are for ONNX models; tensor functions have their shapes", path)
		}
		return readScript(path)
	}
	l, err := compiler.Load(path, &t, loadOptions(path, b))
	if err != nil {
		return model{}, located(path, err)
	}
	m := model{name: modelName(path), digest: l.Digest, warnings: l.Warnings, constants: l.Program.ConstantBytes()}
	for _, k := range l.Tasks {
		m.workloads = append(m.workloads, workload{k.Name, k.Hash, k.Func, k.Weight})
	}
	if err := l.Close(); err != nil {
		return model{}, err
	}
	if len(m.workloads) == 0 {
		return model{}, fmt.Errorf("%s: nothing in it computes: there is nothing to tune", path)
	}
	return m, nil
}

func loadOptions(path string, b onnx.Binding) compiler.LoadOptions {
	return compiler.LoadOptions{ONNX: onnx.Options{Binding: b, Command: "hone tune " + path}}
}

// trialsPerForm is what a budget must have for every task before the other forms of
// the model's sites get tasks, too: fewer decide nothing about them and take from those
// that the build will use. Four left one of ResNet-18's tasks in 44 with a better schedule.
const trialsPerForm = 12

// readForms adds the workloads of the other forms of a model's sites, if the budget,
// 0 for none, has trials for them.
func (m *model) readForms(path string, t target.Target, b onnx.Binding, trials int64) error {
	if isScript(path) {
		return nil
	}
	o := loadOptions(path, b)
	l, err := compiler.Load(path, &t, o)
	if err != nil {
		return located(path, err)
	}
	sites, err := compiler.Variants(path, l, &t, o)
	if err := errors.Join(err, l.Close()); err != nil {
		return err
	}
	with := *m
	if with.addForms(sites); trials == 0 || trials >= int64(trialsPerForm*len(with.workloads)) {
		*m = with
	}
	return nil
}

// addForms adds the workloads that only other forms of sites call, with weight 0.
func (m *model) addForms(sites [][]compiler.Variant) {
	have := map[[32]byte]bool{}
	for _, w := range m.workloads {
		have[w.hash] = true
	}
	for _, forms := range sites {
		m.sites = append(m.sites, compiler.Calls(forms))
		for _, v := range forms {
			for _, k := range v.Tasks {
				if !have[k.Hash] {
					have[k.Hash] = true
					m.workloads = append(m.workloads, workload{k.Name, k.Hash, k.Func, 0})
				}
			}
		}
	}
}

// readScript reads a module of tensor functions; equal ones are one workload.
func readScript(path string) (model, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return model{}, err
	}
	mod, err := tvmscript.Parse(path, string(text))
	if err != nil {
		return model{}, err
	}
	sum := sha256.Sum256(text)
	m := model{name: modelName(path), digest: hex.EncodeToString(sum[:])}
	at := map[[32]byte]int{}
	for _, f := range mod.Funcs {
		if err := tir.Verify(f); err != nil {
			return model{}, fmt.Errorf("%s: function %s: %w", path, f.Name, err)
		}
		h := tir.Hash(f)
		if i, ok := at[h]; ok {
			m.workloads[i].weight++
			continue
		}
		at[h] = len(m.workloads)
		m.workloads = append(m.workloads, workload{f.Name, h, f, 1})
	}
	if len(m.workloads) == 0 {
		return model{}, fmt.Errorf("%s: no tensor function in it", path)
	}
	return m, nil
}

// modelName is what people call a model: its file, or the directory of a file
// that is named like all others.
func modelName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if name != "model" {
		return name
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return name
	}
	return filepath.Base(filepath.Dir(abs))
}

// located adds the path to errors that do not say it.
func located(path string, err error) error {
	if strings.Contains(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// shapes spells the buffers of a function: operands, an arrow, the result.
// Operands of one dimension, biases mostly, are left out.
func shapes(f *tir.PrimFunc) string {
	var in []string
	last := "?"
	for i, p := range f.Params {
		b, ok := p.(*tir.Buffer)
		if !ok {
			continue
		}
		dims, ok := b.StaticShape()
		text := "?"
		if ok {
			parts := make([]string, len(dims))
			for j, d := range dims {
				parts[j] = fmt.Sprint(d)
			}
			text = strings.Join(parts, "x")
		}
		if i == len(f.Params)-1 {
			last = text
		} else if len(dims) > 1 || len(f.Params) == 2 {
			in = append(in, text)
		}
	}
	return strings.Join(in, ",") + "→" + last
}
