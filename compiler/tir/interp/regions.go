package interp

import (
	"fmt"

	"hone/compiler/tir"
)

// checkedRegion is a declared region evaluated at the block's entry.
type checkedRegion struct {
	buffer *tir.Buffer
	bounds *[][2]int64 // [lo, hi) per dimension
}

// checked compiles the evaluation of declared regions into out.
func (c *compiler) checked(rs []tir.Region, out *[]stmtFn) []checkedRegion {
	regions := make([]checkedRegion, len(rs))
	for i, r := range rs {
		mins, extents := make([]intFn, len(r.Ranges)), make([]intFn, len(r.Ranges))
		for d, x := range r.Ranges {
			mins[d], extents[d] = c.intExpr(x.Min), c.intExpr(x.Extent)
		}
		bounds := make([][2]int64, len(r.Ranges))
		regions[i] = checkedRegion{r.Buffer, &bounds}
		*out = append(*out, func(e *env) {
			for d := range bounds {
				lo := mins[d](e, 0)
				bounds[d] = [2]int64{lo, lo + extents[d](e, 0)}
			}
		})
	}
	return regions
}

// regionCheck compiles the test of one access against the regions of the blocks
// around it, innermost first, up to the block that allocates the buffer. An
// access through a match buffer becomes one to its source outside of the block
// that made it. nil when there is nothing to check.
func (c *compiler) regionCheck(b *tir.Buffer, idx []intFn, lanes int, write bool) func(e *env, lane int) {
	if !c.opt.Regions {
		return nil
	}
	var tests []func(e *env, at []int64) []int64
	for i := len(c.scopes) - 1; i >= 0; i-- {
		scope := c.scopes[i]
		if scope.owned[b] {
			break
		}
		if source, ok := scope.views[b]; ok {
			tests = append(tests, toSource(c.bufs[b]))
			b = source.Buffer
		}
		if scope.undeclared() {
			continue
		}
		tests = append(tests, c.insideDeclared(scope, b, write))
	}
	if len(tests) == 0 {
		return nil
	}
	return func(e *env, lane int) {
		at := make([]int64, len(idx))
		for d, f := range idx {
			at[d] = f(e, lane/lanes)
		}
		for _, f := range tests {
			if e.err != nil {
				return
			}
			at = f(e, at)
		}
	}
}

// undeclared is true of the root and of blocks whose regions nobody inferred.
func (s *blockScope) undeclared() bool {
	return len(s.block.Reads) == 0 && len(s.block.Writes) == 0 && len(s.block.Iters) == 0 ||
		s.block.Reads == nil && s.block.Writes == nil
}

func toSource(view int) func(e *env, at []int64) []int64 {
	return func(e *env, at []int64) []int64 {
		mins := e.bufs[view].mins
		out := append([]int64(nil), mins...)
		for d, x := range at {
			out[len(mins)-len(at)+d] += x
		}
		return out
	}
}

func (c *compiler) insideDeclared(scope *blockScope, b *tir.Buffer, write bool) func(e *env, at []int64) []int64 {
	regions, what := scope.reads, "read"
	if write {
		regions, what = scope.write, "write"
	} else if scope.block.Init != nil {
		// A reduction reads what it writes without saying so.
		regions = append(append([]checkedRegion(nil), regions...), scope.write...)
	}
	var mine []checkedRegion
	for _, r := range regions {
		if r.buffer == b {
			mine = append(mine, r)
		}
	}
	site, name := c.at, scope.block.Name
	return func(e *env, at []int64) []int64 {
		for _, r := range mine {
			if r.covers(at) {
				return at
			}
		}
		declared := "no region of it"
		if len(mine) > 0 {
			declared = fmt.Sprint("only ", mine[0])
		}
		e.fail(site, "%s of %s%s, but block %q declares %s", what, b.Name, brackets(at), name, declared)
		return at
	}
}

func (r checkedRegion) covers(at []int64) bool {
	for d, x := range at {
		if x < (*r.bounds)[d][0] || x >= (*r.bounds)[d][1] {
			return false
		}
	}
	return true
}

// String shows the evaluated bounds, "A[0:4, 2:3]".
func (r checkedRegion) String() string {
	s := r.buffer.Name + "["
	for d, x := range *r.bounds {
		if d > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%d:%d", x[0], x[1])
	}
	return s + "]"
}
