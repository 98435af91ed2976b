package arith

import (
	"fmt"

	"hone/compiler/tir"
)

// InverseAffine inverts a bijective iteration map: given what each index is
// (outputs, one per sum), it returns the value of every loop variable that the
// sums mention. Loops of extent one that they do not mention are missing.
func InverseAffine(sums []IterSum, outputs []tir.Expr) (map[*tir.Var]tir.Expr, error) {
	if len(sums) != len(outputs) {
		return nil, fmt.Errorf("inverse of an iteration map: %d indices, %d outputs", len(sums), len(outputs))
	}
	v := inverter{value: map[*IterMark]tir.Expr{}}
	for i := range sums {
		if len(sums[i].Args) > 1 {
			return nil, errNotFused
		}
		for j := range sums[i].Args {
			v.order(sums[i].Args[j].Mark)
		}
	}
	for i := range sums {
		if err := v.sum(&sums[i], outputs[i]); err != nil {
			return nil, err
		}
	}
	out := map[*tir.Var]tir.Expr{}
	// v.marks has parts before the sums that contain them.
	for i := len(v.marks) - 1; i >= 0; i-- {
		m := v.marks[i]
		e := v.value[m]
		if m.Var != nil {
			if m.Min != nil {
				e = tir.Add(e, m.Min)
			}
			out[m.Var] = v.an.Simplify(e)
			continue
		}
		if m.padded != 0 {
			return nil, errNotOnto
		}
		if err := v.sum(&m.Sum, v.an.Simplify(e)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

type inverter struct {
	an    Analyzer
	value map[*IterMark]tir.Expr
	marks []*IterMark
}

func (v *inverter) order(m *IterMark) {
	for _, x := range v.marks {
		if x == m {
			return
		}
	}
	for i := range m.Sum.Args {
		v.order(m.Sum.Args[i].Mark)
	}
	v.marks = append(v.marks, m)
}

// sum spreads the value e of a sum over the iterators of its digits.
func (v *inverter) sum(s *IterSum, e tir.Expr) error {
	t := e.DType()
	if s.BaseExpr != nil {
		e = tir.Sub(e, s.BaseExpr)
	}
	e = tir.Sub(e, tir.IntOf(s.Base, t))
	for i := range s.Args {
		x := &s.Args[i]
		if x.Scale.c <= 0 {
			return errNotAffine
		}
		digit := tir.FloorDiv(e, x.Scale.Expr(t))
		if i > 0 {
			digit = tir.FloorMod(digit, x.Extent.Expr(t))
		}
		part := tir.Mul(digit, x.Lower.Expr(t))
		if old := v.value[x.Mark]; old != nil {
			part = tir.Add(old, part)
		}
		v.value[x.Mark] = part
	}
	return nil
}
