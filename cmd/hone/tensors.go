package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/dtype/npy"
	"hone/compiler/onnx"
	"hone/compiler/runtime"
)

// readTensors reads tensors by name: NAME=FILE with .npy or .pb files, and .npz
// files with all the arrays in them.
func readTensors(flag string, named []string, archives []string) (map[string]*dtype.Tensor, error) {
	out := map[string]*dtype.Tensor{}
	for _, path := range archives {
		all, err := npy.ReadZip(path)
		if err != nil {
			return nil, located(path, err)
		}
		for name, t := range all {
			out[name] = t
		}
	}
	for _, text := range named {
		name, path, ok := strings.Cut(text, "=")
		if !ok || name == "" || path == "" {
			return nil, usagef("%s %q: want NAME=FILE", flag, text)
		}
		if out[name] != nil {
			return nil, usagef("%s %q: %s is given twice", flag, text, name)
		}
		t, err := readTensor(path)
		if err != nil {
			return nil, located(path, err)
		}
		out[name] = t
	}
	return out, nil
}

func readTensor(path string) (*dtype.Tensor, error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("not a regular file") // opening a pipe would block
	}
	if strings.EqualFold(filepath.Ext(path), ".pb") {
		t, _, err := onnx.ReadTensor(path)
		return t, err
	}
	return npy.ReadFile(path)
}

// writeTensors writes arrays to a .npz, or the only one to a .npy; it does nothing
// for the path "", and writes a .npz to w for "-".
func writeTensors(w io.Writer, path string, infos []runtime.TensorInfo, named map[string]*dtype.Tensor) error {
	switch path {
	case "":
		return nil
	case "-":
		return npy.WriteZip(w, named)
	}
	if strings.EqualFold(filepath.Ext(path), ".npy") {
		if len(infos) != 1 {
			return fmt.Errorf("%s holds one array and there are %d outputs: write a .npz", path, len(infos))
		}
		return npy.WriteFile(path, named[infos[0].Name])
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := npy.WriteZip(file, named); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// checkInputs compares tensors with what a library takes.
func checkInputs(lib string, want []runtime.TensorInfo, have map[string]*dtype.Tensor) ([]*dtype.Tensor, error) {
	known := map[string]bool{}
	var names []string
	var list []*dtype.Tensor
	for _, w := range want {
		known[w.Name] = true
		names = append(names, fmt.Sprintf("%s (%s%v)", w.Name, w.Type, w.Shape))
	}
	for name := range have {
		if !known[name] {
			return nil, fmt.Errorf("%s has no input %s: it takes %s", lib, name, strings.Join(names, ", "))
		}
	}
	for _, w := range want {
		t := have[w.Name]
		if t == nil {
			return nil, fmt.Errorf("%s needs input %s, %s%v: give --input %s=FILE.npy", lib, w.Name, w.Type, w.Shape, w.Name)
		}
		if t.Type != w.Type || fmt.Sprint(t.Shape) != fmt.Sprint(w.Shape) {
			return nil, fmt.Errorf("input %s is %s%v, %s takes %s%v", w.Name, t.Type, t.Shape, lib, w.Type, w.Shape)
		}
		list = append(list, t)
	}
	return list, nil
}

// randomInputs fills inputs with a fixed stream: small values for numbers, and
// for integers 0 and 1, which every embedding and mask can take.
func randomInputs(want []runtime.TensorInfo) []*dtype.Tensor {
	r := rand.New(rand.NewPCG(1, 2))
	var list []*dtype.Tensor
	for _, w := range want {
		t := runtime.AlignedTensor(w.Type, w.Shape...)
		for i := range t.Len() {
			if w.Type.IsFloat() {
				t.SetFloat(i, r.NormFloat64())
			} else {
				t.SetFloat(i, float64(r.IntN(2)))
			}
		}
		list = append(list, t)
	}
	return list
}

// difference is the largest |a-b| and, in units of atol + rtol·|b|, the largest
// excess; NaN on one side only is infinite.
func difference(a, b *dtype.Tensor, rtol, atol float64) (abs, excess float64, err error) {
	if a.Type != b.Type || fmt.Sprint(a.Shape) != fmt.Sprint(b.Shape) {
		return 0, 0, fmt.Errorf("it is %s%v, %s%v is expected", a.Type, a.Shape, b.Type, b.Shape)
	}
	for i := range a.Len() {
		x, y := a.Float(i), b.Float(i)
		if x == y || math.IsNaN(x) && math.IsNaN(y) {
			continue
		}
		d := math.Abs(x - y)
		if math.IsNaN(d) {
			d = math.Inf(1)
		}
		abs, excess = max(abs, d), max(excess, d/(atol+rtol*math.Abs(y)))
	}
	return abs, excess, nil
}
