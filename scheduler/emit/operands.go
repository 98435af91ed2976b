package emit

import (
	"fmt"

	"hone/compiler/tir"
	"hone/internal/wire"
)

// Tolerances of results that depend on the order of operations.
const (
	closeRTol = 2e-4
	closeATol = 2e-5
)

// Operands says how to fill the parameters of a workload and how to compare its
// outputs. A workload of sums and products with a single reduction is filled
// with small integers, for which every order of summation is exact.
func Operands(f *tir.PrimFunc) (args []wire.Arg, rule wire.Rule, rtol, atol float64, err error) {
	written := map[*tir.Buffer]bool{}
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		if st, ok := s.(*tir.Store); ok {
			written[st.Buffer] = true
		}
		return true
	})
	exact := isExact(f)
	free := layoutFree(f)
	for i, p := range f.Params {
		b, ok := p.(*tir.Buffer)
		if !ok {
			return nil, "", 0, 0, fmt.Errorf("%s: parameter %d is no buffer", f.Name, i)
		}
		shape, ok := b.StaticShape()
		if !ok {
			return nil, "", 0, 0, fmt.Errorf("%s: parameter %s has a symbolic shape", f.Name, b.Name)
		}
		a := wire.Arg{DType: b.Type.String(), Shape: shape, Role: wire.RoleIn}
		switch {
		case written[b]:
			a.Role, a.Generator = wire.RoleOut, wire.Const(0)
		case free[i]:
			a.Role = wire.RoleWeight
		}
		if a.Role != wire.RoleOut {
			a.Generator = generator(f, b, exact)
		}
		args = append(args, a)
	}
	if exact {
		return args, wire.RuleExact, 0, 0, nil
	}
	return args, wire.RuleClose, closeRTol, closeATol, nil
}

func layoutFree(f *tir.PrimFunc) map[int]bool {
	out := map[int]bool{}
	v, _ := f.Attrs.Get(tir.AttrLayoutFree)
	list, _ := v.([]any)
	for _, x := range list {
		if i, ok := x.(int64); ok {
			out[int(i)] = true
		}
	}
	return out
}

// generator fills one input: indices stay in range, weights are small.
func generator(f *tir.PrimFunc, b *tir.Buffer, exact bool) wire.Generator {
	switch {
	case b.Type.IsBool():
		return wire.Mask(0, 1, 0.5)
	case b.Type.IsInt():
		if n := indexed(f, b); n > 0 {
			return wire.Index(n)
		}
		return wire.Index(2)
	case exact:
		return wire.Ints(-3, 3)
	}
	return wire.Normal(0, 1)
}

// indexed is the smallest dimension that elements of b are used to index, 0
// when they are not.
func indexed(f *tir.PrimFunc, b *tir.Buffer) int64 {
	smallest := int64(0)
	note := func(target *tir.Buffer, indices []tir.Expr) {
		for d, e := range indices {
			uses := false
			tir.Walk(e, func(x tir.Expr) bool {
				if ld, ok := x.(*tir.Load); ok && ld.Buffer == b {
					uses = true
				}
				return true
			})
			if n, ok := tir.AsInt(target.Shape[d]); uses && ok && (smallest == 0 || n < smallest) {
				smallest = n
			}
		}
	}
	tir.WalkExprs(f.Body, func(e tir.Expr) bool {
		if ld, ok := e.(*tir.Load); ok {
			note(ld.Buffer, ld.Indices)
		}
		return true
	})
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		if st, ok := s.(*tir.Store); ok {
			note(st.Buffer, st.Indices)
		}
		return true
	})
	return smallest
}

// exactTerms bounds a sum of products of integers within ±3 below 2²⁴.
const exactTerms = 1 << 20

// isExact reports whether a workload computes only sums, products, extrema and
// selections, with at most one product per path and one summing block.
func isExact(f *tir.PrimFunc) bool {
	exact, sums := true, 0
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		if r, ok := s.(*tir.BlockRealize); ok && r.Block.Init != nil {
			terms := int64(1)
			for _, it := range r.Block.Iters {
				if n, ok := tir.AsInt(it.Dom.Extent); ok && it.Kind == tir.Reduce {
					terms *= n
				}
			}
			sums++
			exact = exact && terms <= exactTerms
		}
		if st, ok := s.(*tir.Store); ok {
			exact = exact && (!st.Buffer.Type.IsFloat() || linear(st.Value, st.Buffer) <= 2)
		}
		return exact
	})
	return exact && sums <= 1
}

// linear is the number of factors that multiply in e, a large number when it
// holds anything but sums, products, extrema and selections.
func linear(e tir.Expr, own *tir.Buffer) int {
	const no = 100
	switch x := e.(type) {
	case *tir.Load:
		if x.Buffer == own {
			return 0
		}
		return 1
	case *tir.IntImm:
		return 0
	case *tir.FloatImm:
		if x.Value == float64(int64(x.Value)) && x.Value >= -64 && x.Value <= 64 || x.Value < -1e30 {
			return 0
		}
		return no
	case *tir.Cast:
		return linear(x.Value, own)
	case *tir.Select:
		return max(linear(x.Then, own), linear(x.Else, own))
	case *tir.Call:
		if x.Op == "if_then_else" {
			return max(linear(x.Args[1], own), linear(x.Args[2], own))
		}
		return no
	case *tir.Binary:
		a, b := linear(x.A, own), linear(x.B, own)
		switch x.Op {
		case tir.OpAdd, tir.OpSub, tir.OpMax, tir.OpMin:
			return max(a, b)
		case tir.OpMul:
			return a + b
		}
	}
	return no
}
