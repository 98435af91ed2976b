package arith

import (
	"fmt"

	"hone/compiler/tir"
)

// InverseAffine inverts an iteration map: given what each index is (outputs, one
// per sum), it returns the value of every loop variable that the sums mention,
// not simplified. Loops of extent one that they do not mention are missing.
func InverseAffine(sums []IterSum, outputs []tir.Expr) (map[*tir.Var]tir.Expr, error) {
	if len(sums) != len(outputs) {
		return nil, fmt.Errorf("inverse of an iteration map: %d indices, %d outputs", len(sums), len(outputs))
	}
	v := inverter{values: map[*IterSum]tir.Expr{}, inverse: map[*tir.Var]tir.Expr{}}
	for i := range sums {
		v.order(&sums[i])
		v.values[&sums[i]] = outputs[i]
	}
	// Sums come after all that they consist of, so going backwards the value of
	// each is complete when it is spread over its digits.
	for i := len(v.sums) - 1; i >= 0; i-- {
		s := v.sums[i]
		if err := v.spread(s, v.values[s]); err != nil {
			return nil, err
		}
	}
	return v.inverse, nil
}

// inverter carries values from the indices down to the loop variables.
type inverter struct {
	an      Analyzer
	sums    []*IterSum
	values  map[*IterSum]tir.Expr
	inverse map[*tir.Var]tir.Expr
}

func (v *inverter) order(s *IterSum) {
	for _, x := range v.sums {
		if x == s {
			return
		}
	}
	for i := range s.Args {
		if m := s.Args[i].Mark; m.Var == nil {
			v.order(&m.Sum)
		}
	}
	v.sums = append(v.sums, s)
}

// spread gives the value e of a sum to its digits, the innermost first.
func (v *inverter) spread(s *IterSum, e tir.Expr) error {
	t := e.DType()
	e = tir.Sub(e, s.BaseOf(t))
	if n := len(s.Args); n > 0 && !radix(s.Args) {
		return errNotFused
	} else if n == 1 && !s.Args[0].Scale.isOne() {
		x := &s.Args[0]
		if x.Scale.sym != nil || x.Scale.c != -1 {
			return errNotFused
		}
		v.add(x.Mark, tir.Mul(tir.Mul(e, tir.IntOf(-1, t)), x.Lower.Expr(t))) // it runs downwards
		return nil
	}
	for i := len(s.Args) - 1; i >= 0; i-- {
		x := &s.Args[i]
		digit := tir.FloorDiv(e, x.Scale.Expr(t))
		if i > 0 {
			digit = tir.FloorMod(digit, x.Extent.Expr(t))
		}
		v.add(x.Mark, tir.Mul(digit, x.Lower.Expr(t)))
	}
	return nil
}

// radix reports whether every scale is the product of the digits below it.
func radix(args []IterSplit) bool {
	want := args[len(args)-1].Scale
	for i := len(args) - 1; i >= 0; i-- {
		if !args[i].Scale.equal(want) {
			return false
		}
		want = want.mul(args[i].Extent)
	}
	return true
}

func (v *inverter) add(m *IterMark, part tir.Expr) {
	if m.Var == nil {
		if old := v.values[&m.Sum]; old != nil {
			part = tir.Add(old, part)
		}
		v.values[&m.Sum] = part
		return
	}
	if old := v.inverse[m.Var]; old != nil {
		part = tir.Add(old, part)
	} else if m.Min != nil {
		part = tir.Add(part, m.Min)
	}
	v.inverse[m.Var] = part
}
