package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Index maps may mention the results of sampling: free variables of a name that
// no text can spell. The record keeps them, so that a replay with another
// decision makes another map; primitives see integers.

// freePrefix marks the name of a variable that stands for a result of sampling.
const freePrefix = "%rv"

// FreeVar is the variable that stands for result n in an index map.
func FreeVar(n int32, t dtype.DType) *tir.Var {
	return tir.NewVar(freePrefix+strconv.Itoa(int(n)), t)
}

// FreeID is the number of the result that a variable stands for.
func FreeID(v *tir.Var) (int32, bool) {
	rest, ok := strings.CutPrefix(v.Name, freePrefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(rest, 10, 32)
	return int32(n), err == nil
}

// Sampled is the result of sampling that a variable stands for.
func (s *Schedule) Sampled(v *tir.Var) (ExprRV, bool) {
	n, ok := FreeID(v)
	if !ok || int(n) >= len(s.refs) || n <= 0 || s.refs[n].kind != refExpr {
		return ExprRV{}, false
	}
	return ExprRV{id: n, val: s.refs[n].val}, true
}

// Perform is Apply for a call whose index maps may mention results of sampling.
func (k *Kind) Perform(s *Schedule, c Call) error {
	plain := c
	maps := map[*tir.IndexMap]*tir.IndexMap{} // as performed → as given
	for _, list := range [...]*[]any{&plain.Inputs, &plain.Attrs} {
		for i, v := range *list {
			m, ok := v.(*tir.IndexMap)
			if !ok {
				continue
			}
			now, err := s.withValues(m)
			if err != nil {
				return fmt.Errorf("%s: %w", k.Name, err)
			}
			if now != m {
				*list = slices.Clone(*list)
				(*list)[i] = now
				maps[now] = m
			}
		}
	}
	if err := k.Apply(s, plain); err != nil || len(maps) == 0 {
		return err
	}
	last := &s.insts[len(s.insts)-1]
	last.Inputs, last.Attrs = withMaps(last.Inputs, maps), withMaps(last.Attrs, maps)
	return nil
}

func withMaps(list []any, by map[*tir.IndexMap]*tir.IndexMap) []any {
	out := slices.Clone(list)
	for i, v := range out {
		if m, ok := v.(*tir.IndexMap); ok && by[m] != nil {
			out[i] = by[m]
		}
	}
	return out
}

// withValues is the map with integers for the results of sampling, the same map
// when it mentions none.
func (s *Schedule) withValues(m *tir.IndexMap) (*tir.IndexMap, error) {
	var err error
	return MapFree(m, func(v *tir.Var) tir.Expr {
		e, ok := s.Sampled(v)
		if !ok {
			err = fmt.Errorf("variable %s of an index map is no result of sampling", v.Name)
		}
		return tir.IntOf(e.val, v.Type)
	}), err
}

// MapFree replaces the variables of a map that stand for results of sampling; it
// is the same map when there are none or f returns them.
func MapFree(m *tir.IndexMap, f func(v *tir.Var) tir.Expr) *tir.IndexMap {
	out := *m
	changed := false
	out.Final = slices.Clone(m.Final)
	for i, e := range m.Final {
		out.Final[i] = tir.SubstituteFunc(e, func(v *tir.Var) tir.Expr {
			if _, free := FreeID(v); free {
				return f(v)
			}
			return nil
		})
		changed = changed || out.Final[i] != e
	}
	if !changed {
		return m
	}
	return &out
}
