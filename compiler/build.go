package compiler

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	goruntime "runtime"
	"sync"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/dtype"
	"hone/compiler/lower"
	"hone/compiler/pipeline"
	"hone/compiler/runtime"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/tirpass"
	"hone/internal/cc"
)

// unitKernels is how many kernels share a translation unit of an artifact: few,
// so that units compile side by side.
const unitKernels = 4

// BuildOptions direct the back half.
type BuildOptions struct {
	Target    target.Target
	Toolchain *cc.Toolchain
	Embed     bool // weights into the library
	Runner    *pipeline.Runner
	// Meta is added to the artifact's metadata.
	Meta map[string]any
}

// Artifact is a built model.
type Artifact struct {
	Model   *runtime.Model
	Library []byte
	Sources []string // the C units of the kernels
}

// kernel is a task's lowered and emitted function.
type kernel struct {
	symbol string
	low    codegen.Lowered
	packs  []tirpass.Pack
	entry  codegen.Entry
}

// Build lowers, emits and compiles the chosen schedules, packs the weights and
// links everything with the runtime.
func Build(ctx context.Context, p *lower.Program, choices []Choice, o BuildOptions) (*Artifact, error) {
	ks, err := lowerAll(choices, o)
	if err != nil {
		return nil, err
	}
	sources, err := emitAll(ks, o.Target)
	if err != nil {
		return nil, err
	}
	objs, err := compileAll(ctx, sources, o)
	if err != nil {
		return nil, err
	}
	byKernel := make([]*kernel, len(p.Kernels))
	for i, c := range choices {
		for _, k := range c.Task.Kernels {
			byKernel[k] = ks[i]
		}
	}
	m, err := assemble(p, byKernel, o.Target)
	if err != nil {
		return nil, err
	}
	if m.Metadata, err = metadata(choices, o); err != nil {
		return nil, err
	}
	lib, err := runtime.BuildLibrary(ctx, o.Toolchain, o.Target, runtime.Library{Model: m, Objects: objs, Embed: o.Embed})
	if err != nil {
		return nil, err
	}
	return &Artifact{Model: m, Library: lib, Sources: sources}, nil
}

func lowerAll(choices []Choice, o BuildOptions) ([]*kernel, error) {
	runner := o.Runner
	if runner == nil {
		runner = &pipeline.Runner{}
	}
	out := make([]*kernel, len(choices))
	for i, c := range choices {
		u, err := runner.LowerCPU(c.Func, &o.Target)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", c.Task.Name, err)
		}
		k := &kernel{symbol: fmt.Sprintf("hone_k%d", i), packs: u.Packs}
		k.low = codegen.Lowered{Symbol: k.symbol, Func: u.Func}
		out[i] = k
	}
	return out, nil
}

func emitAll(ks []*kernel, t target.Target) ([]string, error) {
	var sources []string
	for at := 0; at < len(ks); at += unitKernels {
		part := ks[at:min(at+unitKernels, len(ks))]
		low := make([]codegen.Lowered, len(part))
		for i, k := range part {
			low[i] = k.low
		}
		src, err := cgen.Backend{}.Emit(low, t)
		if err != nil {
			return nil, err
		}
		for i := range part {
			part[i].entry = src.Entries[i]
		}
		sources = append(sources, src.C)
	}
	return sources, nil
}

// compileAll compiles the units on all processors.
func compileAll(ctx context.Context, sources []string, o BuildOptions) ([][]byte, error) {
	objs, errs := make([][]byte, len(sources)), make([]error, len(sources))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(goruntime.GOMAXPROCS(0), len(sources)) {
		wg.Go(func() {
			for i := range next {
				objs[i], errs[i] = o.Toolchain.Compile(ctx, cc.Unit{Name: fmt.Sprintf("kernels%d.c", i), Text: sources[i], Flags: o.Target.CFlags()})
			}
		})
	}
	for i := range sources {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("unit %d of the kernels: %w", i, err)
		}
	}
	return objs, nil
}

// assembler lays out the memory of an artifact.
type assembler struct {
	p      *lower.Program
	m      *runtime.Model
	consts map[constKey]int64 // offset of a constant as it is or packed for a kernel
	inputs map[lower.BufferID]int
	outs   map[lower.BufferID]int
}

type constKey struct {
	buffer lower.BufferID
	symbol string // of the kernel it is packed for, "" as it is
	arg    int
}

// assemble makes the table that the runtime executes.
func assemble(p *lower.Program, ks []*kernel, t target.Target) (*runtime.Model, error) {
	a := &assembler{p: p, consts: map[constKey]int64{}, inputs: map[lower.BufferID]int{}, outs: map[lower.BufferID]int{}}
	a.m = &runtime.Model{ArenaBytes: alignUp(p.Plan.Arena), Threads: t.Threads, MaxThreads: t.Threads}
	for i, port := range p.Inputs {
		a.inputs[port.Arg.Buffer] = i
		a.m.Inputs = append(a.m.Inputs, a.port(port))
	}
	for i, port := range p.Outputs {
		a.outs[port.Arg.Buffer] = i
		a.m.Outputs = append(a.m.Outputs, a.port(port))
	}
	workspace := int64(0)
	for _, k := range ks {
		workspace = max(workspace, k.entry.Workspace)
	}
	at := int64(-1)
	if workspace > 0 {
		at = a.reserve(workspace)
	}
	for i, call := range p.Kernels {
		c, err := a.call(call, ks[i], at)
		if err != nil {
			return nil, fmt.Errorf("call %s: %w", call.Name, err)
		}
		a.m.Calls = append(a.m.Calls, c)
	}
	return a.m, a.m.Check()
}

func alignUp(n int64) int64 { return (n + lower.Align - 1) / lower.Align * lower.Align }

// reserve takes a stretch at the end of the arena.
func (a *assembler) reserve(bytes int64) int64 {
	at := a.m.ArenaBytes
	a.m.ArenaBytes += alignUp(max(bytes, 1))
	return at
}

func (a *assembler) port(p lower.Port) runtime.IO {
	io := runtime.IO{Name: p.Name, Type: p.Type.Elem, Shape: p.Type.Shape}
	io.Stage = a.reserve(io.Bytes())
	return io
}

func (a *assembler) call(c lower.Kernel, k *kernel, workspace int64) (runtime.Call, error) {
	out := runtime.Call{Name: c.Name, Symbol: k.symbol, Workspace: -1}
	if k.entry.Workspace > 0 {
		out.Workspace = workspace
	}
	for i, arg := range c.Args {
		var pack *tirpass.Pack
		for j := range k.packs {
			if k.packs[j].Param == i {
				pack = &k.packs[j]
			}
		}
		place, err := a.place(arg, k, i, pack)
		if err != nil {
			return out, err
		}
		out.Args = append(out.Args, place)
	}
	return out, nil
}

func (a *assembler) place(arg lower.Arg, k *kernel, i int, pack *tirpass.Pack) (runtime.Place, error) {
	b := a.p.Buffer(arg.Buffer)
	if pack != nil && (b.Kind != lower.Constant || arg.Offset != 0) {
		return runtime.Place{}, fmt.Errorf("argument %d is packed but %s is no constant", i, b.Name)
	}
	switch b.Kind {
	case lower.Input:
		return runtime.Place{Where: runtime.InInput, Index: a.inputs[arg.Buffer], Offset: arg.Offset}, nil
	case lower.Output:
		return runtime.Place{Where: runtime.InOutput, Index: a.outs[arg.Buffer], Offset: arg.Offset}, nil
	case lower.Temp:
		return runtime.Place{Where: runtime.InArena, Offset: b.Offset + arg.Offset}, nil
	}
	key, x := constKey{buffer: arg.Buffer}, b.Const
	if pack != nil {
		key.symbol, key.arg = k.symbol, i
		if _, ok := a.consts[key]; !ok {
			flat := &dtype.Tensor{Type: x.Type, Shape: pack.From, Data: x.Data}
			var err error
			if x, err = pack.Apply(flat); err != nil {
				return runtime.Place{}, fmt.Errorf("packing %s: %w", b.Name, err)
			}
		}
	}
	return runtime.Place{Where: runtime.InConstants, Offset: a.constant(key, x) + arg.Offset}, nil
}

// constant places a tensor among the artifact's constants, once per key.
func (a *assembler) constant(key constKey, x *dtype.Tensor) int64 {
	if at, ok := a.consts[key]; ok {
		return at
	}
	at := alignUp(int64(len(a.m.Constants)))
	a.m.Constants = append(a.m.Constants, make([]byte, at-int64(len(a.m.Constants)))...)
	a.m.Constants = append(a.m.Constants, x.Data...)
	a.consts[key] = at
	return at
}

// Metadata is what an artifact says of itself, as far as Hone reads it again.
type Metadata struct {
	Kernels []UsedKernel `json:"kernels"`
}

// UsedKernel is a kernel of an artifact.
type UsedKernel struct {
	Task     string  `json:"task"`
	Workload string  `json:"workload"`
	Calls    int     `json:"calls"`
	At       []int   `json:"at"`    // which calls of a run
	Flops    float64 `json:"flops"` // of a call: arithmetic operations, by analysis.EstimateFlops
	Bytes    int64   `json:"bytes"` // of a call: all its operands
	Source   string  `json:"source"`
	Record   string  `json:"record,omitempty"`
	Cause    string  `json:"cause,omitempty"`
	NS       float64 `json:"ns,omitempty"`
}

// operandBytes is the size of a function's parameters.
func operandBytes(f *tir.PrimFunc) int64 {
	n := int64(0)
	for _, b := range f.Buffers() {
		if shape, ok := b.StaticShape(); ok {
			n += dtype.NumElements(shape) * int64(b.Type.Bytes())
		}
	}
	return n
}

// metadata is Metadata and whatever o adds, as JSON.
func metadata(choices []Choice, o BuildOptions) (string, error) {
	meta := map[string]any{"target": o.Target, "target_key": o.Target.Key(), "compiler": o.Toolchain.Compiler.Name(), "flags": o.Target.CFlags()}
	var list []UsedKernel
	for _, c := range choices {
		list = append(list, UsedKernel{c.Task.Name, hex.EncodeToString(c.Task.Hash[:]), c.Task.Weight, c.Task.Kernels,
			analysis.EstimateFlops(c.Task.Func), operandBytes(c.Task.Func), c.Source, c.Record, c.Cause, c.NS})
	}
	meta["kernels"] = list
	for k, v := range o.Meta {
		meta[k] = v
	}
	b, err := json.Marshal(meta)
	return string(b), err
}
