package tir

// intEval computes integer expressions. A load is some value that depends on the
// buffer and the indices, a call of an unknown operator one that depends on its
// arguments.
type intEval struct {
	pair      *pairEval
	second    bool           // the expression is of the second side
	lets      map[*Var]int64 // bound inside the expression
	unknown   bool           // it holds what has no integer value here
	undefined bool           // it divides by zero at this place
}

func (e *intEval) value(x Expr) int64 {
	switch x := x.(type) {
	case *IntImm:
		return x.Value
	case *Var:
		return e.variable(x)
	case *Binary:
		return e.binary(x)
	case *Not:
		return 1 - e.value(x.A)
	case *Cast:
		if isIndexType(x) {
			return IntOf(e.value(x.Value), x.Type).Value
		}
	case *Select:
		return e.branch(x.Cond, x.Then, x.Else)
	case *Let:
		v := e.value(x.Value)
		if e.lets == nil {
			e.lets = map[*Var]int64{}
		}
		e.lets[x.Var] = v
		return e.value(x.Body)
	case *Load:
		return e.load(x)
	case *Call:
		return e.call(x)
	}
	e.unknown = true
	return 0
}

func (e *intEval) variable(x *Var) int64 {
	if v, ok := e.lets[x]; ok {
		return v
	}
	v, _ := e.pair.first(x, e.second)
	return e.pair.env[v]
}

func (e *intEval) branch(cond, then, els Expr) int64 {
	if e.value(cond) != 0 {
		return e.value(then)
	}
	return e.value(els)
}

func (e *intEval) binary(x *Binary) int64 {
	if !isIndexType(x.A) {
		e.unknown = true
		return 0
	}
	a, b := e.value(x.A), e.value(x.B)
	if x.Op.IsCompare() {
		return truth(compare(x.Op, a, b))
	}
	switch x.Op {
	case OpAnd:
		return a & b
	case OpOr:
		return a | b
	}
	if b == 0 && x.Op.divides() {
		e.undefined = true
		return 0
	}
	return IntOf(arithInts(x.Op, a, b), x.T).Value
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// load counts where a place is computed; elsewhere it is data.
func (e *intEval) load(x *Load) int64 {
	buf, ok := x.Buffer, true
	if e.second {
		buf, ok = e.pair.d.back[buf].(*Buffer)
	}
	if !ok || e.pair.d.placing == 0 {
		e.unknown = true
		return 0
	}
	h := e.pair.number(buf)
	for _, i := range x.Indices {
		h = mix(h, uint64(e.value(i)))
	}
	return e.some(h, x)
}

func (e *intEval) call(x *Call) int64 {
	switch x.Op {
	case "if_then_else":
		return e.branch(x.Args[0], x.Args[1], x.Args[2])
	case "likely":
		return e.value(x.Args[0])
	}
	args := make([]int64, len(x.Args))
	h := uint64(14695981039346656037)
	for i, a := range x.Args {
		if !isIndexType(a) {
			e.unknown = true
			return 0
		}
		args[i] = e.value(a)
		h = mix(h, uint64(args[i]))
	}
	switch x.Op {
	case "bitwise_and":
		return args[0] & args[1]
	case "bitwise_or":
		return args[0] | args[1]
	case "bitwise_xor":
		return args[0] ^ args[1]
	case "bitwise_not":
		return ^args[0]
	case "shift_left", "shift_right":
		return e.shift(x, args)
	}
	for _, c := range []byte(x.Op) {
		h = mix(h, uint64(c))
	}
	if e.pair.d.placing == 0 {
		e.unknown = true
	}
	return e.some(h, x)
}

func (e *intEval) shift(x *Call, args []int64) int64 {
	if args[1] < 0 || args[1] > 63 {
		e.undefined = true
		return 0
	}
	if x.Op == "shift_left" {
		return IntOf(args[0]<<uint(args[1]), x.Type).Value
	}
	return args[0] >> uint(args[1])
}

// some is a small value of x's type made of a hash.
func (e *intEval) some(h uint64, x Expr) int64 {
	switch t := x.DType(); {
	case t.IsBool():
		return int64(h >> 40 & 1)
	case t.IsInt() && t.Lanes == 1:
		return int64(h >> 40 & 63)
	}
	e.unknown = true
	return 0
}

func mix(h, x uint64) uint64 {
	h ^= x + 0x9e3779b97f4a7c15 + h<<6 + h>>2
	h *= 0xff51afd7ed558ccd
	return h ^ h>>33
}
