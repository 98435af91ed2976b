package arith

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"text/scanner"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// scope names the variables of a test with their bounds [lo, hi].
type scope struct {
	decl  []string
	names []string
	vars  map[string]*tir.Var
	box   map[*tir.Var]Bound
	open  map[*tir.Var]tir.Range // those that end at another variable
}

// newScope reads "i=0:16 j=0:n n" into variables: half-open bounds, of which the
// upper may be another variable, or none. Names in capitals are int64.
func newScope(t testing.TB, decl string) *scope {
	t.Helper()
	s := &scope{vars: map[string]*tir.Var{}, box: map[*tir.Var]Bound{}, open: map[*tir.Var]tir.Range{}, decl: strings.Fields(decl)}
	for _, f := range strings.Fields(decl) {
		name, r, bounded := strings.Cut(f, "=")
		v := tir.NewVar(name, dtype.Int32)
		if name[0] < 'a' {
			v.Type = dtype.Int64
		}
		s.names, s.vars[name] = append(s.names, name), v
		if !bounded {
			continue
		}
		lo, hi, _ := strings.Cut(r, ":")
		l, err := strconv.ParseInt(lo, 10, 64)
		if err != nil {
			t.Fatalf("bad scope %q", f)
		}
		if h, err := strconv.ParseInt(hi, 10, 64); err == nil {
			s.box[v] = Bound{l, h - 1}
		} else if s.vars[hi] != nil {
			s.open[v] = tir.Range{Min: tir.IntOf(l, v.Type), Extent: s.vars[hi]}
		} else {
			t.Fatalf("bad scope %q", f)
		}
	}
	return s
}

func (s *scope) analyzer() *Analyzer {
	a := NewAnalyzer()
	for _, n := range s.names {
		v := s.vars[n]
		if b, ok := s.box[v]; ok {
			a.Bind(v, tir.Range{Min: tir.IntOf(b.Lo, v.Type), Extent: tir.IntOf(b.Hi-b.Lo+1, v.Type)})
		} else if r, ok := s.open[v]; ok {
			a.Bind(v, r)
		}
	}
	return a
}

// parser reads Python-like index expressions without any folding.
type parser struct {
	s   scanner.Scanner
	tok string
	sc  *scope
}

// parse reads text over the scope's variables; int is any free literal.
func (s *scope) parse(t testing.TB, text string) tir.Expr {
	t.Helper()
	p := &parser{sc: s}
	p.s.Init(strings.NewReader(text))
	p.s.Mode = scanner.ScanIdents | scanner.ScanInts
	p.next()
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("parse %q: %v", text, r)
		}
	}()
	e := p.expr(0)
	if p.tok != "" {
		panic("left over " + p.tok)
	}
	return e
}

func (p *parser) next() {
	p.s.Scan()
	p.tok = p.s.TokenText()
	two := p.tok + string(p.s.Peek())
	switch two {
	case "//", "<=", ">=", "==", "!=":
		p.s.Next()
		p.tok = two
	}
}

var levels = []map[string]tir.BinOp{
	{"or": tir.OpOr}, {"and": tir.OpAnd},
	{"<": tir.OpLT, "<=": tir.OpLE, ">": tir.OpGT, ">=": tir.OpGE, "==": tir.OpEQ, "!=": tir.OpNE},
	{"+": tir.OpAdd, "-": tir.OpSub}, {"*": tir.OpMul, "//": tir.OpFloorDiv, "%": tir.OpFloorMod},
}

func (p *parser) expr(level int) tir.Expr {
	if level == len(levels) {
		return p.unary()
	}
	e := p.expr(level + 1)
	for {
		op, ok := levels[level][p.tok]
		if !ok {
			return e
		}
		p.next()
		e = alike(op, e, p.expr(level+1))
	}
}

// alike is the node of two operands of which a literal takes the other's type.
func alike(op tir.BinOp, x, y tir.Expr) tir.Expr {
	if !op.IsLogic() {
		if k, ok := x.(*tir.IntImm); ok {
			x = tir.IntOf(k.Value, y.DType())
		} else if k, ok := y.(*tir.IntImm); ok {
			y = tir.IntOf(k.Value, x.DType())
		}
	}
	return tir.NewBinary(op, x, y)
}

func (p *parser) unary() tir.Expr {
	tok := p.tok
	p.next()
	switch {
	case tok == "-":
		if n, err := strconv.ParseInt(p.tok, 10, 64); err == nil {
			p.next()
			return tir.Int(-n)
		}
		return tir.NewBinary(tir.OpMul, p.unary(), tir.Int(-1))
	case tok == "not":
		return &tir.Not{A: p.expr(2)}
	case tok == "(":
		e := p.expr(0)
		p.want(")")
		return e
	}
	if n, err := strconv.ParseInt(tok, 10, 64); err == nil {
		return tir.Int(n)
	}
	if v, ok := p.sc.vars[tok]; ok {
		return v
	}
	return p.call(tok)
}

func (p *parser) want(tok string) {
	if p.tok != tok {
		panic(fmt.Sprintf("want %q, got %q", tok, p.tok))
	}
	p.next()
}

func (p *parser) call(name string) tir.Expr {
	p.want("(")
	var args []tir.Expr
	for p.tok != ")" {
		args = append(args, p.expr(0))
		if p.tok == "," {
			p.next()
		}
	}
	p.want(")")
	switch name {
	case "min":
		return alike(tir.OpMin, args[0], args[1])
	case "max":
		return alike(tir.OpMax, args[0], args[1])
	case "div":
		return alike(tir.OpDiv, args[0], args[1])
	case "mod":
		return alike(tir.OpMod, args[0], args[1])
	case "select":
		like(args[1:])
		return &tir.Select{Cond: args[0], Then: args[1], Else: args[2]}
	case "ite":
		like(args[1:])
		return &tir.Call{Op: "if_then_else", Args: args, Type: args[1].DType()}
	case "i64":
		return &tir.Cast{Type: dtype.Int64, Value: args[0]}
	}
	panic("unknown function " + name)
}

// like gives literals the type of the other of two expressions.
func like(es []tir.Expr) {
	for i, e := range es {
		if k, ok := e.(*tir.IntImm); ok {
			es[i] = tir.IntOf(k.Value, es[1-i].DType())
		}
	}
}

var opText = map[tir.BinOp]string{tir.OpAdd: "+", tir.OpSub: "-", tir.OpMul: "*", tir.OpFloorDiv: "//", tir.OpFloorMod: "%",
	tir.OpEQ: "==", tir.OpNE: "!=", tir.OpLT: "<", tir.OpLE: "<=", tir.OpGT: ">", tir.OpGE: ">=", tir.OpAnd: "and", tir.OpOr: "or"}

func opLevel(op tir.BinOp) int {
	for i, l := range levels {
		if o, ok := l[opText[op]]; ok && o == op {
			return i
		}
	}
	return len(levels)
}

// show prints e as the parser reads it, with the fewest parentheses.
func show(e tir.Expr) string { return showAt(e, 0) }

func showAt(e tir.Expr, level int) string {
	list := func(name string, es ...tir.Expr) string {
		out := make([]string, len(es))
		for i, x := range es {
			out[i] = show(x)
		}
		return name + "(" + strings.Join(out, ", ") + ")"
	}
	switch x := e.(type) {
	case *tir.Var:
		return x.Name
	case *tir.IntImm:
		if x.Type.IsBool() {
			return strconv.FormatBool(x.Value != 0)
		}
		return strconv.FormatInt(x.Value, 10)
	case *tir.Not:
		return "not " + showAt(x.A, 2)
	case *tir.Select:
		return list("select", x.Cond, x.Then, x.Else)
	case *tir.Cast:
		return list("i64", x.Value)
	case *tir.Call:
		return list("ite", x.Args...)
	case *tir.Binary:
		l := opLevel(x.Op)
		if l == len(levels) {
			return list(map[tir.BinOp]string{tir.OpMin: "min", tir.OpMax: "max", tir.OpDiv: "div", tir.OpMod: "mod"}[x.Op], x.A, x.B)
		}
		s := showAt(x.A, l) + " " + opText[x.Op] + " " + showAt(x.B, l+1)
		if l < level {
			return "(" + s + ")"
		}
		return s
	}
	return fmt.Sprintf("%T", e)
}

// eval computes an integer or bool expression; ok is false on division by zero.
func eval(e tir.Expr, env map[*tir.Var]int64) (v int64, ok bool) {
	switch x := e.(type) {
	case *tir.Var:
		return env[x], true
	case *tir.IntImm:
		return x.Value, true
	case *tir.Cast:
		return eval(x.Value, env)
	case *tir.Not:
		v, ok := eval(x.A, env)
		return 1 - v, ok
	case *tir.Select:
		return evalChoice(x.Cond, x.Then, x.Else, env)
	case *tir.Call:
		return evalChoice(x.Args[0], x.Args[1], x.Args[2], env)
	case *tir.Binary:
		a, ok1 := eval(x.A, env)
		b, ok2 := eval(x.B, env)
		if !ok1 || !ok2 {
			return 0, false
		}
		return evalBinary(x.Op, a, b)
	}
	panic(fmt.Sprintf("eval of %T", e))
}

func evalChoice(c, x, y tir.Expr, env map[*tir.Var]int64) (int64, bool) {
	v, ok := eval(c, env)
	if !ok {
		return 0, false
	}
	if v != 0 {
		return eval(x, env)
	}
	return eval(y, env)
}

func evalBinary(op tir.BinOp, a, b int64) (int64, bool) {
	bit := func(c bool) (int64, bool) {
		if c {
			return 1, true
		}
		return 0, true
	}
	switch op {
	case tir.OpAdd:
		return a + b, true
	case tir.OpSub:
		return a - b, true
	case tir.OpMul:
		return a * b, true
	case tir.OpMin:
		return min(a, b), true
	case tir.OpMax:
		return max(a, b), true
	case tir.OpEQ:
		return bit(a == b)
	case tir.OpNE:
		return bit(a != b)
	case tir.OpLT:
		return bit(a < b)
	case tir.OpLE:
		return bit(a <= b)
	case tir.OpGT:
		return bit(a > b)
	case tir.OpGE:
		return bit(a >= b)
	case tir.OpAnd:
		return a & b, true
	case tir.OpOr:
		return a | b, true
	}
	if b == 0 {
		return 0, false
	}
	switch op {
	case tir.OpDiv:
		return a / b, true
	case tir.OpMod:
		return a % b, true
	case tir.OpFloorDiv:
		return tir.FloorDivInt(a, b), true
	}
	return floorMod(a, b), true
}

// floorModOr is base modulo coeff, or base itself when coeff is 0.
func floorModOr(base, coeff int64) int64 {
	if coeff == 0 {
		return base
	}
	return floorMod(base, coeff)
}
