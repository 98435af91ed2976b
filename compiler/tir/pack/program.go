package pack

import (
	"fmt"

	"hone/compiler/tir"
)

// program computes an index expression from the original indices. It is the
// expression in closures, so that nothing is looked up per element.
type program func(idx []int64) int64

// compile turns an integer expression over vars into a program.
func compile(e tir.Expr, vars []*tir.Var) (program, error) {
	switch x := e.(type) {
	case *tir.IntImm:
		v := x.Value
		return func([]int64) int64 { return v }, nil
	case *tir.Var:
		for i, v := range vars {
			if v == x {
				return func(idx []int64) int64 { return idx[i] }, nil
			}
		}
		return nil, fmt.Errorf("index map uses the free variable %s", x.Name)
	case *tir.Cast:
		if x.Type.IsInt() {
			return compile(x.Value, vars)
		}
	case *tir.Select:
		return compileChoice(x.Cond, x.Then, x.Else, vars)
	case *tir.Call:
		if x.Op == "if_then_else" && len(x.Args) == 3 {
			return compileChoice(x.Args[0], x.Args[1], x.Args[2], vars)
		}
	case *tir.Binary:
		return compileBinary(x, vars)
	}
	return nil, fmt.Errorf("index map contains %s, which is no index arithmetic", tir.ExprString(e))
}

func compileChoice(c, x, y tir.Expr, vars []*tir.Var) (program, error) {
	p, err := compile(c, vars)
	if err != nil {
		return nil, err
	}
	a, err := compile(x, vars)
	if err != nil {
		return nil, err
	}
	b, err := compile(y, vars)
	if err != nil {
		return nil, err
	}
	return func(idx []int64) int64 {
		if p(idx) != 0 {
			return a(idx)
		}
		return b(idx)
	}, nil
}

func compileBinary(x *tir.Binary, vars []*tir.Var) (program, error) {
	a, err := compile(x.A, vars)
	if err != nil {
		return nil, err
	}
	b, err := compile(x.B, vars)
	if err != nil {
		return nil, err
	}
	if x.Op == tir.OpDiv || x.Op == tir.OpMod || x.Op == tir.OpFloorDiv || x.Op == tir.OpFloorMod {
		if k, ok := tir.AsInt(x.B); !ok || k == 0 {
			return nil, fmt.Errorf("index map divides by %s", tir.ExprString(x.B))
		}
	}
	f := operations[x.Op]
	return func(idx []int64) int64 { return f(a(idx), b(idx)) }, nil
}

func bit(c bool) int64 {
	if c {
		return 1
	}
	return 0
}

var operations = [...]func(x, y int64) int64{
	tir.OpAdd:      func(x, y int64) int64 { return x + y },
	tir.OpSub:      func(x, y int64) int64 { return x - y },
	tir.OpMul:      func(x, y int64) int64 { return x * y },
	tir.OpDiv:      func(x, y int64) int64 { return x / y },
	tir.OpMod:      func(x, y int64) int64 { return x % y },
	tir.OpFloorDiv: tir.FloorDivInt,
	tir.OpFloorMod: func(x, y int64) int64 { return x - tir.FloorDivInt(x, y)*y },
	tir.OpMin:      func(x, y int64) int64 { return min(x, y) },
	tir.OpMax:      func(x, y int64) int64 { return max(x, y) },
	tir.OpEQ:       func(x, y int64) int64 { return bit(x == y) },
	tir.OpNE:       func(x, y int64) int64 { return bit(x != y) },
	tir.OpLT:       func(x, y int64) int64 { return bit(x < y) },
	tir.OpLE:       func(x, y int64) int64 { return bit(x <= y) },
	tir.OpGT:       func(x, y int64) int64 { return bit(x > y) },
	tir.OpGE:       func(x, y int64) int64 { return bit(x >= y) },
	tir.OpAnd:      func(x, y int64) int64 { return x & y },
	tir.OpOr:       func(x, y int64) int64 { return x | y },
}
