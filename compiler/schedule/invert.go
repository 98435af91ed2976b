package schedule

import (
	"cmp"
	"slices"

	"hone/compiler/tir"
)

// inversion gives every variable of an index map as an expression over the
// indices, which the variables at stand for. outside holds where the indices
// stand for no values of the variables: these places are padding.
type inversion struct {
	at      []*tir.Var
	values  map[*tir.Var]tir.Expr
	outside []tir.Expr
}

// invertIndices inverts a bijective affine map: every index is a sum of digits
// of variables whose scales grow as digits do, and every digit of a variable
// stands in one index. domains gives the ranges, which must start at 0 and be
// constant; variables with one value need not occur.
func invertIndices(idx []tir.Expr, vars []*tir.Var, domains []tir.Range) (*inversion, bool) {
	inv, ok := invertPadded(idx, vars, domains)
	if !ok || len(inv.outside) > 0 {
		return nil, false
	}
	return inv, true
}

// invertPadded is invertIndices for maps whose digits may reach beyond the
// variables.
func invertPadded(idx []tir.Expr, vars []*tir.Var, domains []tir.Range) (*inversion, bool) {
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
		e, covered, ok := assemble(digits[i], extents[i], v)
		if !ok {
			return nil, false
		}
		inv.values[v] = e
		if covered > extents[i] {
			inv.outside = append(inv.outside, outside(digits[i], extents[i], e))
		}
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
	slices.SortStableFunc(splits, func(a, b iterSplit) int { return cmp.Compare(a.scale, b.scale) })
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
			ext = (n + d.lower - 1) / d.lower
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
// covered is how many values they have.
func assemble(ds []solvedDigit, extent int64, v *tir.Var) (e tir.Expr, covered int64, ok bool) {
	if extent == 1 {
		return tir.IntOf(0, v.Type), 1, true
	}
	slices.SortFunc(ds, func(a, b solvedDigit) int { return cmp.Compare(b.lower, a.lower) })
	want := int64(1)
	for i := len(ds) - 1; i >= 0; i-- {
		if ds[i].lower != want {
			return nil, 0, false
		}
		want *= ds[i].ext
	}
	if want < extent {
		return nil, 0, false
	}
	var out tir.Expr
	for _, d := range slices.Backward(ds) {
		e := tir.Mul(tir.NewCast(v.Type, d.value), tir.IntOf(d.lower, v.Type))
		if out == nil {
			out = e
		} else {
			out = tir.Add(out, e)
		}
	}
	return out, want, true
}

// outside is where digits stand for a value of extent or more. With two digits
// only the last block of the upper one is affected.
func outside(ds []solvedDigit, extent int64, value tir.Expr) tir.Expr {
	if len(ds) == 2 && (ds[0].ext-1)*ds[0].lower < extent {
		hi, lo := ds[0], ds[1]
		full := extent / hi.lower
		return tir.And(tir.CompareFold(tir.OpEQ, hi.value, tir.IntOf(full, hi.value.DType())),
			tir.CompareFold(tir.OpLE, tir.IntOf(extent%hi.lower, lo.value.DType()), lo.value))
	}
	return tir.CompareFold(tir.OpLE, tir.IntOf(extent, value.DType()), value)
}
