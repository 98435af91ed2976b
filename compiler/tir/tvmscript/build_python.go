package tvmscript

import (
	"math"
	"slices"

	"hone/compiler/tir"
)

// pythonArith computes with Python's own numbers and joins lists.
func (b *builder) pythonArith(op kind, x, y any, at pos) (any, bool) {
	i, ok1 := x.(int64)
	j, ok2 := y.(int64)
	if ok1 && ok2 {
		return b.pythonInts(op, i, j, at), true
	}
	if l, ok := x.([]any); ok && op == opPlus {
		if m, ok := y.([]any); ok {
			b.elements(len(l)+len(m), at)
			return slices.Concat(l, m), true
		}
	}
	if op == opStar {
		if l, ok := x.([]any); ok && ok2 {
			return b.repeated(l, j, at), true
		}
		if l, ok := y.([]any); ok && ok1 {
			return b.repeated(l, i, at), true
		}
	}
	p, ok1 := number(x)
	q, ok2 := number(y)
	if !ok1 || !ok2 {
		return nil, false
	}
	switch op {
	case opPlus:
		return p + q, true
	case opMinus:
		return p - q, true
	case opStar:
		return p * q, true
	case opSlash:
		if q != 0 {
			return p / q, true
		}
	case opFloordiv:
		if q != 0 {
			return math.Floor(p / q), true
		}
	case opPercent:
		if q != 0 {
			return p - q*math.Floor(p/q), true
		}
	case opPower:
		return math.Pow(p, q), true
	}
	b.fail(at, "%v %s %v has no value", x, op, y)
	return nil, false
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func (b *builder) pythonInts(op kind, i, j int64, at pos) any {
	switch op {
	case opPlus:
		if r := i + j; (r > i) == (j > 0) {
			return r
		}
	case opMinus:
		if r := i - j; (r < i) == (j > 0) {
			return r
		}
	case opStar:
		if r := i * j; i == 0 || r/i == j && !(i == -1 && j == math.MinInt64) {
			return r
		}
	case opFloordiv, opPercent, opSlash:
		if j == 0 {
			b.fail(at, "division by zero")
		}
		switch op {
		case opFloordiv:
			return tir.FloorDivInt(i, j)
		case opPercent:
			return i - tir.FloorDivInt(i, j)*j
		}
		return float64(i) / float64(j)
	case opAmp:
		return i & j
	case opBar:
		return i | j
	case opCaret:
		return i ^ j
	case opShl, opShr:
		if j >= 0 && j < 63 {
			if op == opShr {
				return i >> j
			}
			if i<<j>>j == i {
				return i << j
			}
		}
	case opPower:
		if j >= 0 && j < 64 {
			r := int64(1)
			for range j {
				r = b.pythonInts(opStar, r, i, at).(int64)
			}
			return r
		}
	}
	b.fail(at, "%d %s %d is not an integer of 64 bits", i, op, j)
	return nil
}

// repeated is Python's list * n.
func (b *builder) repeated(l []any, n int64, at pos) []any {
	if n <= 0 || len(l) == 0 {
		return []any{}
	}
	b.elements(len(l)*int(min(n, maxElements+1)), at)
	return slices.Repeat(l, int(n))
}
