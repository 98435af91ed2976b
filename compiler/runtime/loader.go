package runtime

import (
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"hone/compiler/dtype"
)

// Error is a failure that a library reports.
type Error struct {
	Code    int // HONE_ERROR_… of hone_artifact.h
	Message string
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Options choose how an instance runs.
type Options struct {
	Threads int    // 0: $HONE_NUM_THREADS, or what the model was tuned for
	Pin     bool   // pin the library's own threads to processors
	Verify  bool   // read the weights file whole and compare its digest first
	Weights string // weights file; empty: WeightsPath of the library, if there
}

// TensorInfo describes an input or output.
type TensorInfo struct {
	Name  string
	Type  dtype.DType
	Shape []int64
}

// Instance is a loaded library with its buffers and threads. It is safe for
// concurrent use; runs of one instance happen one after another.
type Instance struct {
	api             api
	handle          uintptr
	mu              sync.RWMutex // held for reading while a run needs ptr
	ptr             uintptr
	inputs, outputs []TensorInfo
}

// api are the functions of a library.
type api struct {
	abiVersion func() int32
	metadata   func() string
	numInputs  func() int32
	numOutputs func() int32
	input      func(i int32) unsafe.Pointer
	output     func(i int32) unsafe.Pointer
	create     func(opt, out, err unsafe.Pointer) int32
	destroy    func(m uintptr)
	threads    func(m uintptr) int32
	runTimed   func(m uintptr, in unsafe.Pointer, nin int32, out unsafe.Pointer, nout int32, ns unsafe.Pointer, err unsafe.Pointer) int32
	numCalls   func() int32
	callName   func(i int32) string
}

// The structures of hone_artifact.h.
type (
	cError struct {
		code    int32
		message [252]byte
	}
	cOptions struct {
		size, threads, pin, spin int32
		weights                  *byte
	}
	cTensorInfo struct {
		name  *byte
		code  uint8
		bits  uint8
		lanes uint16
		ndim  int32
		shape *int64
		bytes int64
	}
	dlTensor struct {
		data             unsafe.Pointer
		device, deviceID int32
		ndim             int32
		code, bits       uint8
		lanes            uint16
		shape            *int64
		strides          *int64
		byteOffset       uint64
	}
)

// abiVersion is the version of the interface this package speaks.
const abiVersion = 1

// Open loads a library and creates an instance of its model.
func Open(path string, opt Options) (*Instance, error) {
	if err := inspect(path); err != nil {
		return nil, err
	}
	if !strings.Contains(path, "/") {
		path = "./" + path // otherwise the system's library path is searched
	}
	h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be loaded: %w", path, err)
	}
	m := &Instance{handle: h}
	if err := m.bind(); err != nil {
		_ = purego.Dlclose(h)
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if opt.Weights == "" {
		if w := WeightsPath(path); w != path {
			if _, err := os.Stat(w); err == nil {
				opt.Weights = w
			}
		}
	}
	if opt.Verify && opt.Weights != "" {
		if err := verifyWeights(opt.Weights); err != nil {
			_ = purego.Dlclose(h)
			return nil, err
		}
	}
	if err := m.create(opt); err != nil {
		_ = purego.Dlclose(h)
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// bind looks the functions up.
func (m *Instance) bind() error {
	for _, f := range []struct {
		name string
		ptr  any
	}{
		{"hone_abi_version", &m.api.abiVersion}, {"hone_metadata", &m.api.metadata}, {"hone_num_inputs", &m.api.numInputs}, {"hone_num_outputs", &m.api.numOutputs},
		{"hone_input", &m.api.input}, {"hone_output", &m.api.output}, {"hone_create", &m.api.create}, {"hone_destroy", &m.api.destroy}, {"hone_threads", &m.api.threads},
		{"hone_run_timed", &m.api.runTimed}, {"hone_num_calls", &m.api.numCalls}, {"hone_call_name", &m.api.callName},
	} {
		sym, err := purego.Dlsym(m.handle, f.name)
		if err != nil {
			return errors.New("not a library made by hone compile")
		}
		purego.RegisterFunc(f.ptr, sym)
	}
	if v := m.api.abiVersion(); v != abiVersion {
		return fmt.Errorf("the library has interface version %d, this program knows %d: compile the model again", v, abiVersion)
	}
	for i := range m.api.numInputs() {
		m.inputs = append(m.inputs, describe(m.api.input(i)))
	}
	for i := range m.api.numOutputs() {
		m.outputs = append(m.outputs, describe(m.api.output(i)))
	}
	return nil
}

var dlpackKinds = map[uint8]dtype.Code{0: dtype.Int, 1: dtype.UInt, 2: dtype.Float, 4: dtype.BFloat, 6: dtype.Bool}

func describe(p unsafe.Pointer) TensorInfo {
	c := (*cTensorInfo)(p)
	shape := append([]int64{}, unsafe.Slice(c.shape, c.ndim)...)
	return TensorInfo{Name: goString(c.name), Type: dtype.DType{Code: dlpackKinds[c.code], Bits: c.bits, Lanes: 1}, Shape: shape}
}

func goString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

func (m *Instance) create(opt Options) error {
	var pin goruntime.Pinner
	defer pin.Unpin()
	o := &cOptions{threads: int32(opt.Threads)}
	o.size = int32(unsafe.Sizeof(*o))
	if opt.Pin {
		o.pin = 1
	}
	if opt.Weights != "" {
		path := append([]byte(opt.Weights), 0)
		o.weights = &path[0]
		pin.Pin(o.weights)
	}
	e, out := &cError{}, new(uintptr)
	pin.Pin(o)
	pin.Pin(e)
	pin.Pin(out)
	if m.api.create(unsafe.Pointer(o), unsafe.Pointer(out), unsafe.Pointer(e)) != 0 {
		return e.err()
	}
	m.ptr = *out
	return nil
}

func (e *cError) err() error {
	return &Error{Code: int(e.code), Message: goString(&e.message[0])}
}

// Inputs describes what Run takes, in order.
func (m *Instance) Inputs() []TensorInfo { return m.inputs }

// Outputs describes what Run returns, in order.
func (m *Instance) Outputs() []TensorInfo { return m.outputs }

// Metadata is the JSON text the library carries about itself.
func (m *Instance) Metadata() string { return m.api.metadata() }

// Threads is the number of threads the instance runs on.
func (m *Instance) Threads() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.ptr == 0 {
		return 0
	}
	return int(m.api.threads(m.ptr))
}

// Calls are the names of the steps of a run.
func (m *Instance) Calls() []string {
	out := make([]string, m.api.numCalls())
	for i := range out {
		out[i] = m.api.callName(int32(i))
	}
	return out
}

// NewOutputs allocates tensors for RunInto, aligned so that kernels write to
// them directly.
func (m *Instance) NewOutputs() []*dtype.Tensor {
	out := make([]*dtype.Tensor, len(m.outputs))
	for i, o := range m.outputs {
		out[i] = AlignedTensor(o.Type, o.Shape...)
	}
	return out
}

// AlignedTensor allocates a zeroed tensor whose data begins at a multiple of
// Align, which spares a copy when it is an input or output.
func AlignedTensor(t dtype.DType, shape ...int64) *dtype.Tensor {
	n := int(dtype.NumElements(shape)) * t.Bytes()
	b := make([]byte, n+Align)
	off := int(-uintptr(unsafe.Pointer(&b[0])) & (Align - 1))
	return &dtype.Tensor{Type: t, Shape: append([]int64{}, shape...), Data: b[off : off+n : off+n]}
}

// Run executes the model on inputs in order.
func (m *Instance) Run(inputs []*dtype.Tensor) ([]*dtype.Tensor, error) {
	out := m.NewOutputs()
	return out, m.RunInto(inputs, out)
}

// RunNamed executes the model on inputs by name and returns outputs by name.
func (m *Instance) RunNamed(inputs map[string]*dtype.Tensor) (map[string]*dtype.Tensor, error) {
	list := make([]*dtype.Tensor, len(m.inputs))
	for i, in := range m.inputs {
		if list[i] = inputs[in.Name]; list[i] == nil {
			return nil, fmt.Errorf("input %s is missing (the model has: %s)", in.Name, names(m.inputs))
		}
	}
	for name := range inputs {
		if !hasName(m.inputs, name) {
			return nil, fmt.Errorf("input %s is not one of the model's: %s", name, names(m.inputs))
		}
	}
	out, err := m.Run(list)
	if err != nil {
		return nil, err
	}
	byName := map[string]*dtype.Tensor{}
	for i, o := range m.outputs {
		byName[o.Name] = out[i]
	}
	return byName, nil
}

func names(list []TensorInfo) string {
	var s []string
	for _, x := range list {
		s = append(s, x.Name)
	}
	return strings.Join(s, ", ")
}

func hasName(list []TensorInfo, name string) bool {
	for _, x := range list {
		if x.Name == name {
			return true
		}
	}
	return false
}

// RunInto executes the model and writes to outputs, which must not overlap
// other tensors.
func (m *Instance) RunInto(inputs, outputs []*dtype.Tensor) error { return m.run(inputs, outputs, nil) }

// RunTimed is RunInto that reports the time of each step of Calls.
func (m *Instance) RunTimed(inputs, outputs []*dtype.Tensor) ([]time.Duration, error) {
	times := make([]time.Duration, len(m.Calls())+1)
	if err := m.run(inputs, outputs, unsafe.Pointer(&times[0])); err != nil {
		return nil, err
	}
	return times[:len(times)-1], nil
}

func (m *Instance) run(inputs, outputs []*dtype.Tensor, times unsafe.Pointer) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.ptr == 0 {
		return errors.New("the model is closed")
	}
	var pin goruntime.Pinner
	defer pin.Unpin()
	in, err := tensors(&pin, inputs)
	if err != nil {
		return err
	}
	out, err := tensors(&pin, outputs)
	if err != nil {
		return err
	}
	if times != nil {
		pin.Pin(times)
	}
	e := &cError{}
	pin.Pin(e)
	code := m.api.runTimed(m.ptr, unsafe.Pointer(&in[0]), int32(len(inputs)), unsafe.Pointer(&out[0]), int32(len(outputs)), times, unsafe.Pointer(e))
	if code != 0 {
		return e.err()
	}
	return nil
}

// tensors describes host tensors to the library; the slice ends with a null, so
// that it is never empty.
func tensors(pin *goruntime.Pinner, list []*dtype.Tensor) ([]*dlTensor, error) {
	out := make([]*dlTensor, len(list)+1)
	for i, t := range list {
		if t == nil {
			return nil, fmt.Errorf("tensor %d is missing", i)
		}
		if err := t.CheckBytes(); err != nil {
			return nil, err
		}
		code, err := dlpackCode(t.Type)
		if err != nil {
			return nil, err
		}
		d := &dlTensor{device: 1, ndim: int32(len(t.Shape)), code: uint8(code), bits: t.Type.Bits, lanes: 1}
		if len(t.Data) > 0 {
			d.data = unsafe.Pointer(&t.Data[0])
			pin.Pin(&t.Data[0]) // nothing happens to memory outside of Go, such as a mapped file
		}
		if len(t.Shape) > 0 {
			d.shape = &t.Shape[0]
			pin.Pin(d.shape)
		}
		out[i] = d
		pin.Pin(d)
	}
	pin.Pin(&out[0])
	return out, nil
}

// Close frees the instance and unloads the library.
func (m *Instance) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ptr == 0 {
		return nil
	}
	m.api.destroy(m.ptr)
	m.ptr = 0
	return purego.Dlclose(m.handle)
}
