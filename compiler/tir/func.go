package tir

import "hone/compiler/dtype"

// Param is a parameter of a PrimFunc: a *Buffer, or a scalar or pointer *Var.
type Param interface{ isParam() }

func (*Var) isParam()    {}
func (*Buffer) isParam() {}

// PrimFunc is a tensor function. In the schedulable dialect (attribute s_tir)
// Body is the realisation of the root block.
type PrimFunc struct {
	Name   string // the printed name; identity is attribute global_symbol
	Attrs  Annotations
	Params []Param
	Ret    dtype.DType
	Body   Stmt
}

// Attribute keys of functions.
const (
	AttrGlobalSymbol = "global_symbol"
	AttrSTIR         = "s_tir"
	AttrNoAlias      = "tirx.noalias"
	// AttrLayoutFree lists the indices of parameters whose layout the schedule
	// may choose.
	AttrLayoutFree = "layout_free_buffers"
)

// AnnInlineRule on a block: "disable" keeps the automatic inlining away.
const AnnInlineRule = "meta_schedule.inline_rule"

// Root returns the root block's realisation of a schedulable function.
func (f *PrimFunc) Root() (*BlockRealize, bool) {
	r, ok := f.Body.(*BlockRealize)
	return r, ok && len(r.Block.Iters) == 0
}

// Buffers returns the parameters that are buffers, in order.
func (f *PrimFunc) Buffers() []*Buffer {
	var out []*Buffer
	for _, p := range f.Params {
		if b, ok := p.(*Buffer); ok {
			out = append(out, b)
		}
	}
	return out
}

// WithBody returns a copy of f with another body, or f itself when it is the
// same statement.
func (f *PrimFunc) WithBody(body Stmt) *PrimFunc {
	if body == f.Body {
		return f
	}
	g := *f
	g.Body = body
	return &g
}

// Module is a set of functions by name, kept sorted by name.
type Module struct {
	Funcs []*PrimFunc
	Attrs Annotations
	Infos Annotations // lists of GlobalInfo, which other dialects refer to
}

// NewModule makes a module of one function under its name.
func NewModule(fs ...*PrimFunc) *Module {
	m := &Module{}
	for _, f := range fs {
		m.Set(f)
	}
	return m
}

// Lookup finds a function by name.
func (m *Module) Lookup(name string) (*PrimFunc, bool) {
	for _, f := range m.Funcs {
		if f.Name == name {
			return f, true
		}
	}
	return nil, false
}

// Set adds f or replaces the function of the same name.
func (m *Module) Set(f *PrimFunc) {
	i := 0
	for i < len(m.Funcs) && m.Funcs[i].Name < f.Name {
		i++
	}
	if i < len(m.Funcs) && m.Funcs[i].Name == f.Name {
		m.Funcs[i] = f
		return
	}
	m.Funcs = append(m.Funcs[:i:i], append([]*PrimFunc{f}, m.Funcs[i:]...)...)
}
