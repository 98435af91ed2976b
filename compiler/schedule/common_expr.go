package schedule

import (
	"slices"
	"sort"
	"strings"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// candidate is an expression that a statement computes, and how often, equal ones
// counted together.
type candidate struct {
	expr, norm tir.Expr // as written first, and simplified
	count      int
}

func normal(e tir.Expr) tir.Expr { return new(arith.Analyzer).Simplify(e) }

// complexity is the number of nodes of an expression.
func complexity(e tir.Expr) int {
	n := 0
	tir.Walk(e, func(tir.Expr) bool { n++; return true })
	return n
}

// isComputation reports whether an expression can be computed ahead: it is more
// than a leaf, no vector, and reads and changes nothing.
func isComputation(e tir.Expr) bool {
	switch e.(type) {
	case *tir.Ramp, *tir.Broadcast:
		return false
	}
	return complexity(e) > 1 && isPure(e)
}

// pureCalls are the operators whose result depends on their arguments only.
var pureCalls = strings.Fields(`if_then_else likely reinterpret shift_left shift_right bitwise_and bitwise_or bitwise_xor bitwise_not
	exp exp2 exp10 erf tanh sigmoid sqrt rsqrt log log2 log1p log10 tan cos cosh sin sinh asin acos atan acosh asinh atanh atan2
	pow fmod hypot ldexp copysign nextafter floor ceil trunc round nearbyint fabs popcount clz fma isnan isfinite isinf
	call_pure_extern call_llvm_pure_intrin large_uint_imm q_multiply_shift q_multiply_shift_per_axis vectorhigh vectorlow vectorcombine`)

func isPure(e tir.Expr) bool {
	pure := true
	tir.Walk(e, func(x tir.Expr) bool {
		switch x := x.(type) {
		case *tir.Load:
			pure = false
		case *tir.Call:
			pure = pure && slices.Contains(pureCalls, x.Op)
		}
		return pure
	})
	return pure
}

// computations lists the largest expressions of a store that can be computed
// ahead; of those below threshold, the parts also.
func computations(s *tir.Store, threshold int) []candidate {
	var list []candidate
	collect := func(e tir.Expr) bool {
		if !isComputation(e) {
			return true
		}
		norm := normal(e)
		if i := slices.IndexFunc(list, func(c candidate) bool { return arith.Same(c.norm, norm) }); i >= 0 {
			list[i].count++
		} else {
			list = append(list, candidate{e, norm, 1})
		}
		return false
	}
	tir.Walk(s.Value, collect)
	for _, e := range s.Indices {
		tir.Walk(e, collect)
	}
	for i := 0; i < len(list); i++ {
		if c := list[i]; c.count < threshold {
			for _, part := range parts(c.expr) {
				list = addPart(list, part, c.count)
			}
		}
	}
	return list
}

// parts are the largest expressions inside another that can be computed ahead.
func parts(e tir.Expr) []tir.Expr {
	var out []tir.Expr
	tir.Walk(e, func(x tir.Expr) bool {
		if x == e || !isComputation(x) {
			return true
		}
		out = append(out, x)
		return false
	})
	return out
}

// addPart counts a part, which a new candidate takes its place by size for.
func addPart(list []candidate, part tir.Expr, count int) []candidate {
	norm := normal(part)
	if i := slices.IndexFunc(list, func(c candidate) bool { return arith.Same(c.norm, norm) }); i >= 0 {
		list[i].count += count
		return list
	}
	size := complexity(part)
	at := sort.Search(len(list), func(i int) bool { return complexity(list[i].expr) < size })
	return slices.Insert(list, at, candidate{part, norm, count})
}

// frequent are the candidates that a store computes often enough in its value, in
// the order in which their last node is met.
func frequent(s *tir.Store, threshold int) []tir.Expr {
	list := computations(s, threshold)
	var out []tir.Expr
	tir.RewriteExpr(s.Value, func(e tir.Expr) tir.Expr {
		norm := normal(e)
		for _, c := range list {
			if c.count >= threshold && arith.Same(norm, c.norm) && !slices.Contains(out, c.expr) {
				out = append(out, c.expr)
			}
		}
		return e
	})
	return out
}

// replaceEqual puts another expression in the place of all that are equal to one,
// the largest first.
func replaceEqual(e, norm, by tir.Expr) tir.Expr {
	if arith.Same(normal(e), norm) {
		return by
	}
	return tir.MapOperands(e, func(x tir.Expr) tir.Expr { return replaceEqual(x, norm, by) })
}
