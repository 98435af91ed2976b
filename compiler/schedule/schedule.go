package schedule

import (
	"strings"

	"hone/compiler/tir"
	"hone/internal/rng"
)

// Schedule is one module being transformed, with the record of how. It is not
// safe for concurrent use, but any number of goroutines may Fork the same one.
type Schedule struct {
	mod       *tir.Module
	fns       []*state // by index in mod.Funcs; nil until a primitive looks inside
	work      string   // the function that names without function mean
	refs      []ref    // what each handle stands for; 0 is no handle
	insts     []Instruction
	decisions []any
	postproc  bool
	rand      *rng.Rand
	intrins   []*Intrin // of this schedule, beside those that all know
	// anyEpilogue: see AllowNonlinearEpilogues.
	anyEpilogue bool
}

// MainFunc is the function that a schedule works on unless told otherwise.
const MainFunc = "main"

// New starts a schedule of a module. It works on the function main, or on the
// only one there is. Sampling draws from r; nil stands for a fixed seed.
func New(m *tir.Module, r *rng.Rand) *Schedule {
	s := &Schedule{mod: m, fns: make([]*state, len(m.Funcs)), work: MainFunc, refs: make([]ref, 1, 64), rand: r}
	if len(m.Funcs) == 1 {
		s.work = m.Funcs[0].Name
	}
	return s
}

// NewFunc starts a schedule of one function.
func NewFunc(f *tir.PrimFunc, r *rng.Rand) *Schedule { return New(tir.NewModule(f), r) }

// Fork copies the schedule; the copies share handles up to here. The stream of
// random numbers is copied too: give one of them another by Seed.
func (s *Schedule) Fork() *Schedule {
	c := *s
	c.fns = make([]*state, len(s.fns))
	for i, st := range s.fns {
		if st != nil {
			c.fns[i] = st.clone()
		}
	}
	c.refs = append(make([]ref, 0, len(s.refs)+64), s.refs...)
	c.insts = s.insts[:len(s.insts):len(s.insts)]
	c.decisions = s.decisions[:len(s.decisions):len(s.decisions)]
	if s.rand != nil {
		c.rand = s.rand.Clone()
	}
	return &c
}

// Seed replaces the stream that sampling draws from.
func (s *Schedule) Seed(r *rng.Rand) { s.rand = r }

func (s *Schedule) random() *rng.Rand {
	if s.rand == nil {
		s.rand = rng.New(0, "schedule")
	}
	return s.rand
}

// WorkOn chooses the function that GetSBlock searches when it is given none.
func (s *Schedule) WorkOn(name string) error {
	if _, ok := s.mod.Lookup(name); !ok {
		return s.noFunc(name).by("work_on")
	}
	s.work = name
	return nil
}

// Func is the current text of the function worked on, an immutable value.
func (s *Schedule) Func() *tir.PrimFunc {
	for i, f := range s.mod.Funcs {
		if f.Name == s.work {
			return s.funcAt(i)
		}
	}
	return nil
}

// Module is the current text of the whole module.
func (s *Schedule) Module() *tir.Module {
	m := &tir.Module{Funcs: make([]*tir.PrimFunc, len(s.mod.Funcs)), Attrs: s.mod.Attrs, Infos: s.mod.Infos}
	for i := range s.mod.Funcs {
		m.Funcs[i] = s.funcAt(i)
	}
	return m
}

func (s *Schedule) funcAt(i int) *tir.PrimFunc {
	st := s.fns[i]
	if st == nil {
		return s.mod.Funcs[i]
	}
	return st.fn.WithBody(st.stmt(st.root))
}

// state loads a function by name.
func (s *Schedule) state(name string) (*state, *Error) {
	for i, f := range s.mod.Funcs {
		if f.Name != name {
			continue
		}
		if s.fns[i] == nil {
			st, err := newState(f, int32(i))
			if err != nil {
				return nil, err
			}
			s.fns[i] = st
		}
		return s.fns[i], nil
	}
	return nil, s.noFunc(name)
}

// noFunc says which functions there are.
func (s *Schedule) noFunc(name string) *Error {
	const most = 8
	var have []string
	for _, f := range s.mod.Funcs {
		have = append(have, f.Name)
	}
	if len(have) > most {
		have = append(have[:most], "…")
	}
	return refuse(UnknownName, "", "the module has no function %q, it has %s: name one, or choose it with work_on", name, strings.Join(have, ", "))
}

// Entered reports whether the record is past EnterPostproc.
func (s *Schedule) Entered() bool { return s.postproc }
