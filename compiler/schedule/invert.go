package schedule

import (
	"slices"

	"hone/compiler/tir"
)

// inversion gives every variable of an index map as an expression over the
// indices, which the variables at stand for.
type inversion struct {
	at     []*tir.Var
	values map[*tir.Var]tir.Expr
}

// invertIndices inverts a bijective affine map: every index is a sum of digits
// of variables whose scales grow as digits do, and every digit of a variable
// stands in one index. domains gives the ranges, which must start at 0 and be
// constant; variables with one value need not occur.
func invertIndices(idx []tir.Expr, vars []*tir.Var, domains []tir.Range) (*inversion, bool) {
	extents := make([]int64, len(vars))
	for i, d := range domains {
		n, ok := tir.AsInt(d.Extent)
		if !ok || !tir.IsConst(d.Min, 0) {
			return nil, false
		}
		extents[i] = n
	}
	inv := &inversion{values: map[*tir.Var]tir.Expr{}}
	digits := make([][]solvedDigit, len(vars))
	for d, e := range idx {
		p := tir.NewVar("p"+string(rune('0'+d%10)), e.DType())
		inv.at = append(inv.at, p)
		s, ok := parseIterSum(e)
		if !ok || !solveIndex(s, p, vars, extents, digits) {
			return nil, false
		}
	}
	for i, v := range vars {
		e, ok := assemble(digits[i], extents[i], v)
		if !ok {
			return nil, false
		}
		inv.values[v] = e
	}
	return inv, true
}

// solvedDigit is a split of a variable with its value over the indices.
type solvedDigit struct {
	lower, ext int64
	value      tir.Expr
}

// solveIndex splits index p into the digits that s adds up.
func solveIndex(s iterSum, p *tir.Var, vars []*tir.Var, extents []int64, digits [][]solvedDigit) bool {
	t := p.Type
	splits := slices.Clone(s.splits)
	slices.SortStableFunc(splits, func(a, b iterSplit) int {
		switch {
		case a.scale < b.scale:
			return -1
		case a.scale > b.scale:
			return 1
		}
		return 0
	})
	want := int64(1)
	for k, d := range splits {
		v, isVar := d.src.(*tir.Var)
		i := slices.Index(vars, v)
		if !isVar || i < 0 {
			return false
		}
		n := extents[i]
		if n == 1 {
			continue
		}
		ext := d.ext
		if ext == 0 || d.lower*ext > n {
			if n%d.lower != 0 {
				return false
			}
			ext = n / d.lower
		}
		if d.scale != want {
			return false
		}
		var e tir.Expr = tir.Sub(p, tir.IntOf(s.base, t))
		if !lastDigit(splits[k+1:], vars, extents) {
			e = tir.FloorMod(e, tir.IntOf(want*ext, t))
		}
		e = tir.FloorDiv(e, tir.IntOf(want, t))
		want *= ext
		digits[i] = append(digits[i], solvedDigit{d.lower, ext, e})
	}
	return true
}

// lastDigit reports whether the remaining splits all have one value.
func lastDigit(rest []iterSplit, vars []*tir.Var, extents []int64) bool {
	for _, d := range rest {
		v, _ := d.src.(*tir.Var)
		if i := slices.Index(vars, v); i < 0 || extents[i] != 1 {
			return false
		}
	}
	return true
}

// assemble adds up the digits of a variable; all of them have to be there.
func assemble(ds []solvedDigit, extent int64, v *tir.Var) (tir.Expr, bool) {
	if extent == 1 {
		return tir.IntOf(0, v.Type), true
	}
	slices.SortFunc(ds, func(a, b solvedDigit) int {
		switch {
		case a.lower > b.lower:
			return -1
		case a.lower < b.lower:
			return 1
		}
		return 0
	})
	want := int64(1)
	for i := len(ds) - 1; i >= 0; i-- {
		if ds[i].lower != want {
			return nil, false
		}
		want *= ds[i].ext
	}
	if want != extent {
		return nil, false
	}
	var out tir.Expr
	for _, d := range ds {
		e := tir.Mul(tir.NewCast(v.Type, d.value), tir.IntOf(d.lower, v.Type))
		if out == nil {
			out = e
		} else {
			out = tir.Add(out, e)
		}
	}
	return out, true
}
