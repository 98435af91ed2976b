package tirpass

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// annUnrollK is how many steps of the innermost reduction loop one iteration
// runs: schedules set it as "hone.unroll_k".
const annUnrollK = "hone.unroll_k"

// OpBarrier wraps a loaded vector that must stay in a register: the emitter
// prints an empty asm statement after the load.
const OpBarrier = "hone.barrier"

// orderTile unrolls the innermost reduction loops of a tile by their factor and
// orders each body so that every operand is loaded once and dies early.
func orderTile(s tir.Stmt) tir.Stmt {
	switch x := s.(type) {
	case *tir.Seq:
		return orderSteps(x.Stmts)
	case *tir.If:
		c := &tir.If{Cond: x.Cond, Then: orderTile(x.Then)}
		if x.Else != nil {
			c.Else = orderTile(x.Else)
		}
		return c
	case *tir.Store:
		return orderSteps([]tir.Stmt{x})
	case *tir.For:
		if isInnermost(x) {
			return unrollSteps(x)
		}
		c := *x
		c.Body = orderTile(x.Body)
		return &c
	}
	return s
}

func isInnermost(l *tir.For) bool {
	inner := true
	tir.WalkStmt(l.Body, func(s tir.Stmt) bool {
		if _, ok := s.(*tir.For); ok {
			inner = false
		}
		return inner
	})
	return inner
}

// unrollSteps applies annUnrollK. Each step is ordered by itself, and the steps that
// do not fill an iteration follow the loop. Where vectors meet vectors a loop that
// unrolls whole is ordered as one body, so that loads are shared between its steps;
// products with scalars would have to hold the vectors of all steps for that.
func unrollSteps(l *tir.For) tir.Stmt {
	k, _ := l.Ann.Int(annUnrollK)
	n, ok := tir.AsInt(l.Extent)
	lo, ok2 := tir.AsInt(l.Min)
	if ok && ok2 && k >= n && k > 1 && !broadcasts(l.Body) {
		if u, ok := unrollLoop(l); ok {
			return orderTile(u)
		}
	}
	if !ok || !ok2 || k <= 1 {
		c := *l
		c.Body = orderTile(l.Body)
		return &c
	}
	step := func(at tir.Expr) tir.Stmt {
		return orderTile(decide(freshen(tir.SubstituteStmt(l.Body, map[*tir.Var]tir.Expr{l.Var: at}))))
	}
	var out []tir.Stmt
	if n >= k && n != k {
		c := *l
		c.Var = tir.NewVar(l.Var.Name+"_o", l.Var.Type)
		c.Min, c.Extent = tir.IntOf(0, l.Var.Type), tir.IntOf(n/k, l.Var.Type)
		var body []tir.Stmt
		for i := int64(0); i < k; i++ {
			body = append(body, step(tir.Add(tir.Mul(c.Var, tir.IntOf(k, l.Var.Type)), tir.IntOf(lo+i, l.Var.Type))))
		}
		c.Body = tir.NewSeq(body...)
		out = append(out, &c)
	}
	for i := int64(len(out)) * (n / k * k); i < n; i++ {
		out = append(out, step(tir.IntOf(lo+i, l.Var.Type)))
	}
	return tir.NewSeq(out...)
}

// broadcasts reports whether s multiplies vectors by scalars.
func broadcasts(s tir.Stmt) bool {
	found := false
	tir.WalkExprs(s, func(e tir.Expr) bool {
		_, is := e.(*tir.Broadcast)
		found = found || is
		return !found
	})
	return found
}

// orderSteps orders maximal runs of accumulations among stmts.
func orderSteps(stmts []tir.Stmt) tir.Stmt {
	var out []tir.Stmt
	var run []product
	flush := func() {
		out = append(out, orderRun(run)...)
		run = nil
	}
	for _, s := range stmts {
		if p, ok := asProduct(s); ok {
			run = append(run, p)
			continue
		}
		flush()
		out = append(out, orderTile1(s))
	}
	flush()
	return tir.NewSeq(out...)
}

// orderTile1 orders what is inside a compound statement and leaves stores alone.
func orderTile1(s tir.Stmt) tir.Stmt {
	if _, ok := s.(*tir.Store); ok {
		return s
	}
	return orderTile(s)
}

// product is r = r + x·y with r a register; x and y are loads, or broadcasts of
// scalar loads. dot is a dot product in place of the sum, whose operands are made of
// words: x and y are the words.
type product struct {
	store *tir.Store
	own   *tir.Load
	x, y  tir.Expr
	dot   *tir.Call
}

// value is the product's new value, for operands that have been bound to variables.
func (p *product) value(x, y tir.Expr) tir.Expr {
	if p.dot == nil {
		return tir.NewBinary(tir.OpAdd, p.own, tir.NewBinary(tir.OpMul, x, y))
	}
	args := append([]tir.Expr{}, p.dot.Args...)
	args[2], args[3] = reinterpret(x, args[2].DType()), reinterpret(y, args[3].DType())
	return &tir.Call{Op: p.dot.Op, Args: args, Type: p.dot.Type}
}

func asProduct(s tir.Stmt) (product, bool) {
	st, ok := s.(*tir.Store)
	if !ok || st.Buffer.Scope != ScopeRegister {
		return product{}, false
	}
	if p, ok := asDot(st); ok {
		return p, true
	}
	op, own, val, ok := accumulation(st)
	if !ok || op != tir.OpAdd {
		return product{}, false
	}
	m, ok := val.(*tir.Binary)
	if !ok || m.Op != tir.OpMul || !isOperand(m.A) || !isOperand(m.B) {
		return product{}, false
	}
	return product{store: st, own: own, x: m.A, y: m.B}, true
}

// asDot matches r = dot(r, x, y), an instruction of which r has one lane for each word
// of x and y.
func asDot(st *tir.Store) (product, bool) {
	c, ok := st.Value.(*tir.Call)
	if !ok || c.Op != "call_llvm_pure_intrin" || len(c.Args) != 4 {
		return product{}, false
	}
	own, ok := c.Args[1].(*tir.Load)
	if !ok || own.Buffer != st.Buffer || !sameExprs(own.Indices, st.Indices) {
		return product{}, false
	}
	p := product{store: st, own: own, dot: c}
	for i, e := range c.Args[2:] {
		t := e.DType()
		words := t.Element()
		words.Bits, words.Lanes = st.Buffer.Type.Bits, st.Buffer.Type.Lanes
		words.Code = st.Buffer.Type.Code
		if int(t.Bits)*int(t.Lanes) != int(words.Bits)*int(words.Lanes) || readsRegisters(e) {
			return product{}, false
		}
		if w := reinterpret(e, words); i == 0 {
			p.x = w
		} else {
			p.y = w
		}
	}
	return p, true
}

func readsRegisters(e tir.Expr) bool {
	found := false
	tir.Walk(e, func(x tir.Expr) bool {
		ld, ok := x.(*tir.Load)
		found = found || ok && ld.Buffer.Scope == ScopeRegister
		return !found
	})
	return found
}

// reinterpret reads the bits of e as another type; there and back is nothing.
func reinterpret(e tir.Expr, t dtype.DType) tir.Expr {
	if e.DType() == t {
		return e
	}
	if c, ok := e.(*tir.Call); ok && c.Op == "reinterpret" && c.Args[0].DType() == t {
		return c.Args[0]
	}
	return &tir.Call{Op: "reinterpret", Args: []tir.Expr{e}, Type: t}
}

func isOperand(e tir.Expr) bool {
	if b, ok := e.(*tir.Broadcast); ok {
		e = b.Value
	}
	if c, ok := e.(*tir.Cast); ok {
		e = c.Value
	}
	ld, ok := e.(*tir.Load)
	return ok && ld.Buffer.Scope != ScopeRegister
}

// operands is a list of distinct expressions in order of appearance.
type operands []tir.Expr

func (o *operands) index(e tir.Expr) int {
	for i, x := range *o {
		if tir.EqualExpr(x, e) {
			return i
		}
	}
	*o = append(*o, e)
	return len(*o) - 1
}

// orderRun keeps the side with fewer distinct operands resident (vectors behind
// a barrier), and streams the other: each streamed operand is loaded, used by
// all its multiply-adds and dead. The order of the additions into one register
// never changes; where streaming would change it the run stays as it was.
func orderRun(run []product) []tir.Stmt {
	if len(run) == 0 {
		return nil
	}
	var xs, ys operands
	at := make([][2]int, len(run))
	for i, p := range run {
		at[i] = [2]int{xs.index(p.x), ys.index(p.y)}
	}
	stay, flow, s, f := ys, xs, 1, 0
	if len(xs) < len(ys) {
		stay, flow, s, f = xs, ys, 0, 1
	}
	order := make([][]int, len(flow))
	for i := range run {
		order[at[i][f]] = append(order[at[i][f]], i)
	}
	if !keepsOrder(run, order) {
		return plain(run)
	}
	var out []tir.Stmt
	held := make([]tir.Expr, len(stay))
	for i, e := range stay {
		held[i] = hold(&out, fmt.Sprintf("b%d", i), e, uses(at, s, i) > 1)
	}
	for i, e := range flow {
		v := hold(&out, fmt.Sprintf("x%d", i), e, false)
		for _, k := range order[i] {
			a, b := v, held[at[k][s]]
			if f == 1 {
				a, b = b, a
			}
			out = append(out, &tir.Store{Buffer: run[k].store.Buffer, Value: run[k].value(a, b), Indices: run[k].store.Indices})
		}
	}
	return out
}

func uses(at [][2]int, side, i int) int {
	n := 0
	for _, a := range at {
		if a[side] == i {
			n++
		}
	}
	return n
}

func plain(run []product) []tir.Stmt {
	out := make([]tir.Stmt, len(run))
	for i, p := range run {
		out[i] = p.store
	}
	return out
}

// keepsOrder checks that every register receives its terms in the old order.
func keepsOrder(run []product, order [][]int) bool {
	type reg struct {
		buf *tir.Buffer
		idx int64
	}
	last := map[reg]int{}
	for _, group := range order {
		for _, k := range group {
			idx, _ := tir.AsInt(run[k].store.Indices[0])
			r := reg{run[k].store.Buffer, idx}
			if prev, ok := last[r]; ok && prev > k {
				return false
			}
			last[r] = k
		}
	}
	return true
}

// hold binds an operand to a variable: a scalar before its broadcast, so that
// the emitter sees the load once; a resident vector behind a barrier.
func hold(out *[]tir.Stmt, name string, e tir.Expr, barrier bool) tir.Expr {
	if b, ok := e.(*tir.Broadcast); ok {
		v := tir.NewVar(name, b.Value.DType())
		*out = append(*out, &tir.Bind{Var: v, Value: b.Value})
		return &tir.Broadcast{Value: v, Lanes: b.Lanes}
	}
	v := tir.NewVar(name, e.DType())
	if barrier && e.DType().Lanes > 1 {
		e = &tir.Call{Op: OpBarrier, Args: []tir.Expr{e}, Type: e.DType()}
	}
	*out = append(*out, &tir.Bind{Var: v, Value: e})
	return v
}
