package onnx

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hone/compiler/dtype"
)

// Binding fixes what a model leaves open.
type Binding struct {
	Shapes  map[string][]int64       // --shape input:1,3,224,224
	Dims    map[string]int64         // --dim batch=1,sequence=128
	Consts  map[string]string        // --const sr=16000: numbers in the input's type
	Tensors map[string]*dtype.Tensor // inputs frozen to tensors
}

// AddShape reads a --shape value, "name:1,3,224,224".
func (b *Binding) AddShape(text string) error {
	i := strings.LastIndexByte(text, ':')
	if i <= 0 {
		return fmt.Errorf("--shape %q: want INPUT:D0,D1,… such as input:1,3,224,224", text)
	}
	var dims []int64
	if text[i+1:] != "" {
		for _, s := range strings.Split(text[i+1:], ",") {
			n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
			if err != nil || n < 0 || n > maxDim {
				return fmt.Errorf("--shape %q: %q is not a dimension", text, s)
			}
			dims = append(dims, n)
		}
	}
	if b.Shapes == nil {
		b.Shapes = map[string][]int64{}
	}
	b.Shapes[text[:i]] = dims
	return nil
}

// AddDim reads a --dim value, "batch=1,sequence=128".
func (b *Binding) AddDim(text string) error {
	for _, s := range strings.Split(text, ",") {
		name, num, ok := strings.Cut(s, "=")
		n, err := strconv.ParseInt(num, 10, 64)
		if !ok || err != nil || n < 0 || n > maxDim || name == "" {
			return fmt.Errorf("--dim %q: want NAME=N, such as batch=1", s)
		}
		if old, dup := b.Dims[name]; dup && old != n {
			return fmt.Errorf("--dim: %s is given as %d and as %d", name, old, n)
		}
		if b.Dims == nil {
			b.Dims = map[string]int64{}
		}
		b.Dims[name] = n
	}
	return nil
}

// AddConst reads a --const value, "sr=16000" or "sizes=1,2,3".
func (b *Binding) AddConst(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" || value == "" {
		return fmt.Errorf("--const %q: want INPUT=VALUE[,VALUE…], such as sr=16000", text)
	}
	if b.Consts == nil {
		b.Consts = map[string]string{}
	}
	b.Consts[name] = value
	return nil
}

// constant parses the text of a --const in the type and shape of its input. A
// single value fills the whole input.
func constant(text string, elem dtype.DType, shape []int64) (*dtype.Tensor, error) {
	parts := strings.Split(text, ",")
	n := dtype.NumElements(shape)
	if int64(len(parts)) != n && len(parts) != 1 {
		return nil, fmt.Errorf("%d values for %d elements", len(parts), n)
	}
	t := dtype.NewTensor(elem, shape...)
	for i := range int(n) {
		s := strings.TrimSpace(parts[min(i, len(parts)-1)])
		var err error
		switch {
		case elem.IsFloat():
			var f float64
			f, err = strconv.ParseFloat(s, 64)
			t.SetFloat(i, f)
		case elem.IsBool():
			var v bool
			if v, err = strconv.ParseBool(s); v {
				t.SetInt(i, 1)
			}
		default:
			var v int64
			v, err = strconv.ParseInt(s, 10, 64)
			t.SetInt(i, v)
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not %s", s, elem)
		}
	}
	return t, nil
}

// openDim is a dimension that neither the model nor the binding fixes.
type openDim struct {
	input string
	dim   int
	param string
}

// shapeOf resolves the declared shape of an input. Open dimensions are
// collected, so that one message can name all of them.
func (im *importer) shapeOf(v *ValueInfo) ([]int64, error) {
	where := fmt.Sprintf("input %q", v.Name)
	if s, ok := im.opt.Binding.Shapes[v.Name]; ok {
		return s, im.checkShape(v, s)
	}
	if !v.HasShape {
		im.open = append(im.open, openDim{v.Name, -1, ""})
		return nil, nil
	}
	shape := make([]int64, len(v.Dims))
	for i, d := range v.Dims {
		switch {
		case d.Known && d.Value < 0 || d.Value > maxDim:
			return nil, errorAt(where, "dimension %d is %d", i, d.Value)
		case d.Known:
			shape[i] = d.Value
		default:
			shape[i] = im.freeDim(v.Name, i, d.Param)
		}
	}
	return shape, nil
}

// freeDim decides one open dimension: by name, or 1 for an unnamed leading
// one, or not at all.
func (im *importer) freeDim(input string, i int, param string) int64 {
	if n, ok := im.opt.Binding.Dims[param]; ok && param != "" {
		return n
	}
	if i == 0 && param == "" {
		im.warn("input %q: the unnamed dimension 0 is taken to be a batch of 1", input)
		return 1
	}
	im.open = append(im.open, openDim{input, i, param})
	return 0
}

// checkShape compares a --shape with what the model declares.
func (im *importer) checkShape(v *ValueInfo, s []int64) error {
	where := fmt.Sprintf("--shape %s", v.Name)
	if _, err := im.limits.count(s, where); err != nil {
		return err
	}
	if !v.HasShape {
		return nil
	}
	if len(s) != len(v.Dims) {
		return &Error{Where: where, Reason: fmt.Sprintf("%v has %d dimensions, the model declares %d", s, len(s), len(v.Dims)), Next: im.declared(v)}
	}
	for i, d := range v.Dims {
		if d.Known && d.Value != s[i] {
			return &Error{Where: where, Reason: fmt.Sprintf("dimension %d is %d, the model fixes it to %d", i, s[i], d.Value), Next: im.declared(v)}
		}
		if d.Known || d.Param == "" {
			continue
		}
		if old, ok := im.params[d.Param]; ok && old != s[i] {
			return errorAt(where, "dimension %q is %d here and %d elsewhere", d.Param, s[i], old)
		}
		im.params[d.Param] = s[i]
	}
	return nil
}

func (im *importer) declared(v *ValueInfo) string {
	return "the model declares " + v.Name + ":" + dimsText(v, "?")
}

func dimsText(v *ValueInfo, unknown string) string {
	parts := make([]string, len(v.Dims))
	for i, d := range v.Dims {
		switch {
		case d.Known:
			parts[i] = strconv.FormatInt(d.Value, 10)
		case d.Param != "":
			parts[i] = d.Param
		default:
			parts[i] = unknown
		}
	}
	return strings.Join(parts, ",")
}

// openError names everything that is still open and gives a command that fixes
// it, with what was bound already.
func (im *importer) openError() error {
	given := im.opt.Binding
	dims, shapes := maps.Clone(given.Dims), map[string]string{}
	if dims == nil {
		dims = map[string]int64{}
	}
	for name, s := range given.Shapes {
		shapes[name] = listText(s)
	}
	for _, o := range im.open {
		if o.param != "" {
			dims[o.param] = guessDim(o)
		} else {
			shapes[o.input] = im.exampleShape(o.input)
		}
	}
	next := "fix them, for example: " + im.opt.Command
	var list []string
	for _, name := range sortedKeys(dims) {
		list = append(list, fmt.Sprintf("%s=%d", name, dims[name]))
	}
	if len(list) > 0 {
		next += " --dim " + strings.Join(list, ",")
	}
	for _, name := range sortedKeys(shapes) {
		next += " --shape '" + name + ":" + shapes[name] + "'"
	}
	for _, name := range sortedKeys(given.Consts) {
		next += " --const " + name + "=" + given.Consts[name]
	}
	var all []string
	for _, v := range im.openInputs() {
		all = append(all, fmt.Sprintf("%s[%s]", v.Name, dimsText(v, "?")))
	}
	return &Error{Reason: "the model leaves input dimensions open: " + strings.Join(all, " "), Next: next}
}

func listText(s []int64) string {
	parts := make([]string, len(s))
	for i, n := range s {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ",")
}

func (im *importer) openInputs() []*ValueInfo {
	var out []*ValueInfo
	for _, v := range im.model.Proto.Graph.Inputs {
		if slices.ContainsFunc(im.open, func(o openDim) bool { return o.input == v.Name }) {
			out = append(out, v)
		}
	}
	return out
}

func (im *importer) exampleShape(name string) string {
	for _, v := range im.model.Proto.Graph.Inputs {
		if v.Name == name && v.HasShape {
			return dimsText(v, "N")
		}
	}
	return "N,…"
}

// guessDim proposes a value for the example command: 1 for a leading
// dimension, a short sequence or a small image otherwise.
func guessDim(o openDim) int64 {
	if o.dim == 0 {
		return 1
	}
	return 128
}
