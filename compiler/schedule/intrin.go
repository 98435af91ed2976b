package schedule

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
	"hone/compiler/tir/tvmscript"
)

// Intrin is a tensor intrinsic: Desc computes in loops what Impl does with the
// instructions of a device. Both are functions of the same buffers whose body is
// one block; tensorize puts Impl in the place of what equals Desc.
type Intrin struct {
	Name       string
	Desc, Impl *tir.PrimFunc

	simple sync.Once
	desc   *tir.BlockRealize // Desc's root with simplified indices
}

// NewIntrin makes an intrinsic of a description and an implementation.
func NewIntrin(name string, desc, impl *tir.PrimFunc) (*Intrin, error) {
	in := &Intrin{Name: name, Desc: desc, Impl: impl}
	for _, f := range []*tir.PrimFunc{desc, impl} {
		root, ok := f.Root()
		switch {
		case len(f.Buffers()) != len(f.Params):
			return nil, fmt.Errorf("intrinsic %s: a parameter of %s is no buffer", name, f.Name)
		case len(f.Params) != len(desc.Params):
			return nil, fmt.Errorf("intrinsic %s: the implementation has %d parameters, the description %d", name, len(f.Params), len(desc.Params))
		case !ok:
			return nil, fmt.Errorf("intrinsic %s: the body of %s is not a root block", name, f.Name)
		case f == impl && len(root.Block.Allocs) > 0:
			return nil, fmt.Errorf("intrinsic %s: the root block of the implementation allocates buffers, which have no place where it goes", name)
		}
	}
	return in, nil
}

// ReadIntrin reads an intrinsic from the text of two functions, the description
// first, or named desc and impl in any order. file is a name for messages.
func ReadIntrin(name, file, src string) (*Intrin, error) {
	m, err := tvmscript.Parse(file, src)
	if err != nil {
		return nil, err
	}
	if len(m.Funcs) != 2 {
		return nil, fmt.Errorf("%s: %d functions, want a description and an implementation", file, len(m.Funcs))
	}
	fs := slices.Clone(m.Funcs)
	at := func(f *tir.PrimFunc) int { return strings.Index(src, "def "+f.Name+"(") }
	if named := fs[0].Name == "desc" && fs[1].Name == "impl"; !named && at(fs[1]) < at(fs[0]) {
		slices.Reverse(fs)
	}
	return NewIntrin(name, fs[0], fs[1])
}

// UseIntrin makes an intrinsic known to this schedule and its later forks, in
// front of those that every schedule knows.
func (s *Schedule) UseIntrin(in *Intrin) {
	s.intrins = append(s.intrins[:len(s.intrins):len(s.intrins)], in)
}

func (s *Schedule) intrin(name string) (*Intrin, error) {
	for _, in := range slices.Backward(s.intrins) {
		if in.Name == name {
			return in, nil
		}
	}
	return LookupIntrin(name)
}

// simplified is the description's root block with simplified expressions.
func (in *Intrin) simplified() *tir.BlockRealize {
	in.simple.Do(func() {
		a := arith.NewAnalyzer()
		tir.WalkStmt(in.Desc.Body, func(s tir.Stmt) bool {
			switch x := s.(type) {
			case *tir.For:
				a.Bind(x.Var, tir.Range{Min: x.Min, Extent: x.Extent})
			case *tir.BlockRealize:
				for _, it := range x.Block.Iters {
					a.Bind(it.Var, it.Dom)
				}
			}
			return true
		})
		w := tir.StmtRewriter{Expr: a.Simplify}
		in.desc = w.Rewrite(in.Desc.Body).(*tir.BlockRealize)
	})
	return in.desc
}
