package schedule

import (
	"cmp"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// A binding of tiled and fused loops is a sum of digits of other numbers: the
// split s = scale * (src // lower % ext) takes from src the digits between lower
// and lower*ext. src is a loop variable or such a sum itself.
type iterSplit struct {
	src   tir.Expr
	lower int64
	ext   int64 // 0: all digits above lower
	scale int64
}

// iterSum is a constant plus splits in the order in which they stand.
type iterSum struct {
	splits []iterSplit
	base   int64
}

// parseIterSum reads e; ok is false when it has another form. Digits that
// belong together are joined: x//4*4 + x%4 is x.
func parseIterSum(e tir.Expr) (iterSum, bool) {
	var s iterSum
	if !s.add(e, 1) {
		return s, false
	}
	for s.join() {
	}
	return s, true
}

func (s *iterSum) add(e tir.Expr, scale int64) bool {
	switch x := e.(type) {
	case *tir.Var:
		s.splits = append(s.splits, iterSplit{x, 1, 0, scale})
		return true
	case *tir.IntImm:
		s.base += x.Value * scale
		return true
	case *tir.Binary:
		switch x.Op {
		case tir.OpAdd:
			return s.add(x.A, scale) && s.add(x.B, scale)
		case tir.OpMul:
			if c, ok := tir.AsInt(x.B); ok && c > 0 {
				return s.add(x.A, scale*c)
			}
		case tir.OpFloorDiv, tir.OpFloorMod:
			if c, ok := tir.AsInt(x.B); ok && c > 0 {
				return s.digit(x, c, scale)
			}
		}
	}
	return false
}

// digit adds a quotient or remainder. Of one split it is a split of the same
// source; of several, their sum becomes the source.
func (s *iterSum) digit(x *tir.Binary, c, scale int64) bool {
	in, ok := parseIterSum(x.A)
	if !ok || in.base != 0 || len(in.splits) == 0 {
		return false
	}
	d := iterSplit{src: x.A, lower: 1}
	if len(in.splits) == 1 && in.splits[0].scale == 1 {
		d = in.splits[0]
	} else if e := in.expr(x.T); e != nil {
		d.src = e
	}
	d.scale = scale
	if x.Op == tir.OpFloorDiv {
		if d.ext != 0 {
			if d.ext%c != 0 {
				return false
			}
			d.ext /= c
		}
		d.lower *= c
	} else {
		if d.ext != 0 && d.ext%c != 0 {
			return false
		}
		d.ext = c
	}
	s.splits = append(s.splits, d)
	return true
}

// join merges one pair of neighbouring digits of one source.
func (s *iterSum) join() bool {
	for i := range s.splits {
		for j := range s.splits {
			lo, hi := s.splits[i], s.splits[j]
			if i == j || lo.ext == 0 || hi.lower != lo.lower*lo.ext || hi.scale != lo.scale*lo.ext || !arith.Same(lo.src, hi.src) {
				continue
			}
			if hi.ext != 0 {
				lo.ext *= hi.ext
			} else {
				lo.ext = 0
			}
			s.splits[min(i, j)] = lo
			s.splits = slices.Delete(s.splits, max(i, j), max(i, j)+1)
			return true
		}
	}
	return false
}

// expr writes the sum back.
func (s *iterSum) expr(t dtype.DType) tir.Expr {
	var out tir.Expr
	for _, d := range s.splits {
		e := d.src
		if d.ext != 0 {
			e = tir.FloorMod(e, tir.IntOf(d.lower*d.ext, t))
		}
		e = tir.Mul(tir.FloorDiv(e, tir.IntOf(d.lower, t)), tir.IntOf(d.scale, t))
		if out == nil {
			out = e
		} else {
			out = tir.Add(out, e)
		}
	}
	if out == nil {
		return tir.IntOf(s.base, t)
	}
	return tir.Add(out, tir.IntOf(s.base, t))
}

// compactSum reports whether the scales of a sum grow as those of digits do.
func (st *state) compactSum(s iterSum, loops []nid) bool {
	var buf [12]iterSplit
	splits := append(buf[:0], s.splits...)
	slices.SortStableFunc(splits, func(a, b iterSplit) int { return cmp.Compare(a.scale, b.scale) })
	want := int64(1)
	for i, d := range splits {
		ext := st.splitExtent(d, loops)
		if ext == 1 {
			continue
		}
		if d.scale != want {
			return false
		}
		if ext == 0 {
			return i == len(splits)-1
		}
		want *= ext
	}
	return true
}

// dropWholeRemainders takes the remainders out that leave all digits of their source.
func (st *state) dropWholeRemainders(s iterSum, loops []nid) {
	for i, d := range s.splits {
		if n := st.sourceExtent(d.src, loops); d.ext != 0 && n != 0 && n <= d.lower*d.ext {
			s.splits[i].ext = 0
		}
	}
}

// splitExtent is how many values a split takes, 0 when that is not constant.
func (st *state) splitExtent(d iterSplit, loops []nid) int64 {
	n := st.sourceExtent(d.src, loops)
	if d.ext != 0 && (n == 0 || n > d.lower*d.ext) {
		n = d.lower * d.ext
	}
	if n == 0 {
		return 0
	}
	return (n + d.lower - 1) / d.lower
}

// sourceExtent is how many values a loop variable or a sum of digits takes, 0
// when that is not constant.
func (st *state) sourceExtent(src tir.Expr, loops []nid) int64 {
	if v, ok := src.(*tir.Var); ok {
		n, _ := st.extentOf(v, loops)
		return n
	}
	s, ok := parseIterSum(src)
	if !ok {
		return 0
	}
	n := int64(1)
	for _, x := range s.splits {
		e := st.splitExtent(x, loops)
		if e == 0 {
			return 0
		}
		n += (e - 1) * x.scale
	}
	return n
}
