package tir

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"hone/compiler/dtype"
)

// Python's precedences, loosest first.
const (
	precOr = iota + 1
	precAnd
	precNot
	precCompare
	precBitOr
	precBitXor
	precBitAnd
	precShift
	precAdd
	precMul
	precUnary
	precAtom
)

// operatorSyntax is how an operator is written and how tightly it binds.
type operatorSyntax struct {
	sign string
	prec int
}

var binarySyntax = map[BinOp]operatorSyntax{
	OpAdd: {"+", precAdd}, OpSub: {"-", precAdd}, OpMul: {"*", precMul}, OpDiv: {"/", precMul},
	OpFloorDiv: {"//", precMul}, OpFloorMod: {"%", precMul},
	OpEQ: {"==", precCompare}, OpNE: {"!=", precCompare}, OpLT: {"<", precCompare}, OpLE: {"<=", precCompare},
	OpGT: {">", precCompare}, OpGE: {">=", precCompare}, OpAnd: {"and", precAnd}, OpOr: {"or", precOr},
}

var callSyntax = map[string]struct {
	sign string
	prec int
}{
	"bitwise_and": {"&", precBitAnd}, "bitwise_or": {"|", precBitOr}, "bitwise_xor": {"^", precBitXor},
	"shift_left": {"<<", precShift}, "shift_right": {">>", precShift},
}

// typedCalls take the type of their result as a first text argument.
var typedCalls = map[string]bool{"call_extern": true, "call_pure_extern": true, "reinterpret": true,
	"call_llvm_intrin": true, "call_llvm_pure_intrin": true, "call_intrin": true, "type_annotation": true, "get_active_lane_mask": true, "masked_load": true, "dp4a": true, "vectorlow": true, "vectorhigh": true, "vectorcombine": true}

func (p *script) expr(e Expr) string { s, _ := p.exprPrec(e); return s }

// operand prints e, in parentheses when it binds more loosely than least.
func (p *script) operand(e Expr, least int) string {
	s, prec := p.exprPrec(e)
	if prec < least {
		return "(" + s + ")"
	}
	return s
}

func (p *script) exprPrec(e Expr) (string, int) {
	switch e := e.(type) {
	case *Var:
		return p.name(e), precAtom
	case *IntImm:
		return intLiteral(e), precAtom
	case *FloatImm:
		return typeName(e.Type) + "(" + floatLiteral(e.Value) + ")", precAtom
	case *StringImm:
		return quote(e.Value), precAtom
	case *Binary:
		return p.binary(e)
	case *Not:
		return "not " + p.operand(e.A, precNot), precNot
	case *Load:
		if p.isScalar(e.Buffer, e.Indices) {
			return p.name(e.Buffer), precAtom
		}
		return p.name(e.Buffer) + "[" + p.indices(e.Indices, false) + "]", precAtom
	case *BufferRef:
		return p.source(e.Buffer) + ".data", precAtom
	case *Call:
		return p.call(e)
	}
	return p.exprCall(e), precAtom
}

// exprCall prints the nodes that are always written as calls.
func (p *script) exprCall(e Expr) string {
	switch e := e.(type) {
	case *Cast:
		return "T.Cast(" + quote(e.Type.String()) + ", " + p.expr(e.Value) + ")"
	case *Select:
		return "T.Select(" + p.list([]Expr{e.Cond, e.Then, e.Else}) + ")"
	case *Ramp:
		return "T.Ramp(" + p.list([]Expr{e.Base, e.Stride}) + ", " + lanesText(e.Lanes) + ")"
	case *Broadcast:
		return "T.Broadcast(" + p.expr(e.Value) + ", " + lanesText(e.Lanes) + ")"
	case *Let:
		value := p.expr(e.Value)
		p.push()
		name := p.define(e.Var)
		s := "T.Let(" + p.expr(e.Body) + ", where={" + name + ": " + value + "})"
		p.pop()
		return s
	case nil:
		return "None"
	}
	panic("BUG: unknown expression node")
}

func (p *script) binary(e *Binary) (string, int) {
	syn, ok := infix(e)
	if !ok {
		return "T." + callName(e) + "(" + p.list([]Expr{e.A, e.B}) + ")", precAtom
	}
	if e.Op.IsCompare() { // a < b < c would be a chain
		return p.operand(e.A, syn.prec+1) + " " + syn.sign + " " + p.operand(e.B, syn.prec+1), syn.prec
	}
	// A run of one operator is joined at once: one by one, a long one would be
	// copied as often as it has terms.
	run := []*Binary{e}
	for {
		a, ok := run[len(run)-1].A.(*Binary)
		if !ok || a.Op != e.Op {
			break
		}
		if _, ok := infix(a); !ok {
			break
		}
		run = append(run, a)
	}
	terms := make([]string, 1, len(run)+1)
	terms[0] = p.operand(run[len(run)-1].A, syn.prec)
	for _, x := range slices.Backward(run) {
		terms = append(terms, p.operand(x.B, syn.prec+1))
	}
	return strings.Join(terms, " "+syn.sign+" "), syn.prec
}

// infix is how e is written with an operator, if it can be.
func infix(e *Binary) (operatorSyntax, bool) {
	syn, ok := binarySyntax[e.Op]
	return syn, ok && !(e.Op == OpDiv && e.A.DType().IsInt()) && rebuildsSame(e)
}

// callName is the function that makes e. T.min and T.truncmod fold like the
// operators do; T.Min and T.Mod never do.
func callName(e *Binary) string {
	raw := map[BinOp]string{OpMin: "Min", OpMax: "Max", OpMod: "Mod"}[e.Op]
	if raw != "" && !rebuildsSame(e) {
		return raw
	}
	return e.Op.String()
}

// rebuildsSame reports whether writing e with an operator gives e back rather
// than something folded or converted.
func rebuildsSame(e *Binary) bool {
	ca, cb := isConstant(e.A), isConstant(e.B)
	switch {
	case e.Op.IsLogic():
		return !ca && !cb
	case e.Op.IsCompare():
		return !(ca && cb)
	}
	r, ok := Arith(e.Op, e.A, e.B).(*Binary)
	return ok && r.Op == e.Op && r.A == e.A && r.B == e.B
}

func isConstant(e Expr) bool {
	switch e.(type) {
	case *IntImm, *FloatImm:
		return true
	}
	return false
}

func (p *script) call(e *Call) (string, int) {
	if syn, ok := callSyntax[e.Op]; ok && len(e.Args) == 2 && !foldsBits(e, syn.prec == precShift) {
		return p.operand(e.Args[0], syn.prec) + " " + syn.sign + " " + p.operand(e.Args[1], syn.prec+1), syn.prec
	}
	if e.Op == "bitwise_not" && len(e.Args) == 1 && !isConstant(e.Args[0]) {
		return "~" + p.operand(e.Args[0], precUnary), precUnary
	}
	return p.namedCall(e), precAtom
}

// foldsBits reports whether the operator form of a bit operation would fold.
func foldsBits(e *Call, shift bool) bool {
	return isConstant(e.Args[0]) && isConstant(e.Args[1]) || shift && IsConst(e.Args[1], 0)
}

// namedCall prints a call under its operator's name, whatever sugar it has.
func (p *script) namedCall(e *Call) string {
	args := make([]string, 0, len(e.Args)+1)
	if typedCalls[e.Op] && e.Type == dtype.HandleType {
		args = append(args, "T.handle().ty")
	} else if typedCalls[e.Op] {
		args = append(args, quote(e.Type.String()))
	}
	operands, tags := launchTags(e)
	for _, a := range operands {
		args = append(args, p.expr(a))
	}
	if tags != nil {
		args = append(args, "launch_params=["+p.list(tags.Args)+"]", "ret_ty="+quote(e.Type.String()))
	}
	if e.Op == "tvm_struct_get" {
		args = append(args, quote(e.Type.String()))
	}
	if name, ok := strings.CutPrefix(e.Op, "@"); ok {
		return "Module." + name + "(" + strings.Join(args, ", ") + ")"
	}
	return "T." + e.Op + "(" + strings.Join(args, ", ") + ")"
}

// LaunchParams is the operator of the last argument of call_ffi_kernel: texts
// that say what the arguments before it launch.
const LaunchParams = "launch_params"

// launchTags takes the LaunchParams off the arguments of a call.
func launchTags(e *Call) (operands []Expr, tags *Call) {
	if n := len(e.Args); n > 0 && e.Op == "call_ffi_kernel" {
		if tags, ok := e.Args[n-1].(*Call); ok && tags.Op == LaunchParams {
			return e.Args[:n-1], tags
		}
	}
	return e.Args, nil
}

func (p *script) list(es []Expr) string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = p.expr(e)
	}
	return strings.Join(out, ", ")
}

// indices prints what stands between the brackets of an access; a store shows a
// ramp of constant stride as a slice.
func (p *script) indices(idx []Expr, store bool) string {
	if len(idx) == 0 {
		return "()"
	}
	out := make([]string, len(idx))
	for i, e := range idx {
		if r, ok := e.(*Ramp); ok && store {
			if stride, ok := AsInt(r.Stride); ok {
				end := Add(r.Base, Mul(LanesExpr(r.Lanes, r.Stride.DType()), r.Stride))
				out[i] = p.expr(r.Base) + ":" + p.expr(end)
				if stride != 1 {
					out[i] += ":" + p.expr(r.Stride)
				}
				continue
			}
		}
		out[i] = p.expr(e)
	}
	return strings.Join(out, ", ")
}

func lanesText(n int) string {
	if k := dtype.VScale(n); k > 0 {
		return "T.vscale() * " + strconv.Itoa(k)
	}
	return strconv.Itoa(n)
}

func intLiteral(e *IntImm) string {
	var s string
	switch {
	case e.Type.IsBool():
		s = "False"
		if e.Value != 0 {
			s = "True"
		}
	case e.Type == dtype.UInt64:
		s = strconv.FormatUint(uint64(e.Value), 10)
	default:
		s = strconv.FormatInt(e.Value, 10)
	}
	if e.Type == dtype.Int32 {
		return s
	}
	return typeName(e.Type) + "(" + s + ")"
}

func floatLiteral(v float64) string {
	switch {
	case math.IsNaN(v):
		return `"nan"`
	case math.IsInf(v, 1):
		return `"inf"`
	case math.IsInf(v, -1):
		return `"-inf"`
	case v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 17, 64)
}
