package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"hone/compiler/dtype"
)

// ReadTensor reads a file that holds one TensorProto, as ONNX test data do, and
// returns the name inside it.
func ReadTensor(path string) (*dtype.Tensor, string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	t, name, err := DecodeTensor(b)
	if err != nil {
		return nil, "", withPath(err, path)
	}
	return t, name, nil
}

// DecodeTensor decodes one TensorProto with its data inside.
func DecodeTensor(b []byte) (*dtype.Tensor, string, error) {
	limits := Limits{}.withDefaults()
	d := &decoder{file: b[:len(b):len(b)], limits: limits}
	t := &TensorProto{}
	if err := (message{d: d, body: d.file, path: "tensor"}).tensor(t); err != nil {
		return nil, "", err
	}
	x, err := (&store{limits: limits, disabled: true}).decodeTensor(t, "tensor")
	return x, t.Name, err
}

// TestSet is one test_data_set_N directory of a model.
type TestSet struct {
	Dir     string
	Inputs  []*dtype.Tensor // by position among the inputs without initializer
	Outputs []*dtype.Tensor
}

// TestSets reads the test data beside a model, in order of their numbers.
func TestSets(modelDir string) ([]TestSet, error) {
	dirs, err := filepath.Glob(filepath.Join(modelDir, "test_data_set_*"))
	if err != nil {
		return nil, err
	}
	sort.Strings(dirs)
	var sets []TestSet
	for _, dir := range dirs {
		s := TestSet{Dir: dir}
		if s.Inputs, err = tensorSeries(dir, "input"); err != nil {
			return nil, err
		}
		if s.Outputs, err = tensorSeries(dir, "output"); err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// Tolerance is the absolute tolerance of a model's outputs against its test data,
// beside a relative one of 1e-3. Activations that are rounded to 8 bits, which the name
// tells by its ending _qdq, may fall on either side of a step: ONNX Runtime's own
// result for MobileNetV2, without its optimisations, is 0.0126 away.
func Tolerance(modelDir string) float64 {
	if strings.HasSuffix(filepath.Base(modelDir), "_qdq") {
		return 0.02
	}
	return 1e-4
}

func tensorSeries(dir, stem string) ([]*dtype.Tensor, error) {
	var list []*dtype.Tensor
	for i := 0; ; i++ {
		path := filepath.Join(dir, fmt.Sprintf("%s_%d.pb", stem, i))
		if _, err := os.Stat(path); err != nil {
			return list, nil
		}
		t, _, err := ReadTensor(path)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
}

// InputNames lists the inputs that the caller provides: those that have no
// initializer, in the model's order.
func (m *Model) InputNames() []string {
	given := map[string]bool{}
	for _, t := range m.Proto.Graph.Initializers {
		given[t.Name] = true
	}
	var names []string
	for _, v := range m.Proto.Graph.Inputs {
		if !given[v.Name] {
			names = append(names, v.Name)
		}
	}
	return names
}
