package codegentest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"hone/compiler/codegen"
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// RunRandom checks random functions against the interpreter: loop nests of all
// kinds around stores of random expressions over several types, vectors and
// indices. Their values are exact, so bits must be equal.
func RunRandom(t *testing.T, b codegen.Backend, seeds int) {
	if os.Getenv("HONE_TEST_SOAK") != "" {
		seeds *= 20
	}
	for ci, c := range configs(t) {
		if c.qemu != "" {
			continue // one process a call; the fixed cases run there
		}
		var cases []Case
		for s := range seeds + len(instructiveSeeds) {
			seed := uint64(ci*seeds + s)
			if s >= seeds {
				seed = instructiveSeeds[s-seeds]
			}
			g := &generator{r: rand.New(rand.NewPCG(seed, 17)), w: c.tgt.Lanes(32)}
			cases = append(cases, Case{Name: fmt.Sprintf("seed-%d", seed), Func: g.function(), Zeros: true})
		}
		t.Run(c.name, func(t *testing.T) {
			for group := range slices.Chunk(cases, unitSize) {
				RunCases(t, b, c.tgt, c.comp, "", group)
			}
		})
	}
}

// instructiveSeeds have failed once: under gcc 12 without the flag
// -fno-delete-null-pointer-checks.
var instructiveSeeds = []uint64{111, 198}

// unitSize is how many random functions share a unit.
const unitSize = 40

// generator draws functions. Every store has an output buffer of its own, of
// which each iteration writes its own part; everything read is an input.
type generator struct {
	r      *rand.Rand
	w      int
	inputs []*tir.Buffer
	params []*tir.Buffer
	loops  []drawnLoop // around the statement being drawn, outermost first
}

type drawnLoop struct {
	v   *tir.Var
	n   int64
	min int64
}

// inputSize is larger than any index that is drawn.
const inputSize = 4096

var drawnTypes = []dtype.DType{dtype.Float32, dtype.Float32, dtype.Int32, dtype.Float64, dtype.Int8, dtype.Int64}

func (g *generator) function() *tir.PrimFunc {
	for i, t := range drawnTypes {
		g.inputs = append(g.inputs, buf(fmt.Sprintf("in%d", i), t, inputSize))
	}
	g.params = append(g.params, g.inputs...)
	var body []tir.Stmt
	for range 1 + g.r.IntN(3) {
		body = append(body, g.nest(g.r.IntN(4), true))
	}
	return fn("random", seq(body...), g.params...)
}

// nest draws a nest of so many loops around one or two statements.
func (g *generator) nest(depth int, parallel bool) tir.Stmt {
	if depth == 0 {
		return g.statements()
	}
	l := &tir.For{Var: iv(fmt.Sprintf("i%d", len(g.loops))), Min: num(int64(g.r.IntN(3))), Extent: num(int64(1 + g.r.IntN(5)))}
	l.Kind = []tir.LoopKind{tir.Serial, tir.Serial, tir.Unrolled, tir.Parallel}[g.r.IntN(4)]
	if l.Kind == tir.Parallel && !parallel {
		l.Kind = tir.Serial
	}
	n, _ := tir.AsInt(l.Extent)
	lo, _ := tir.AsInt(l.Min)
	g.loops = append(g.loops, drawnLoop{l.Var, n, lo})
	l.Body = g.nest(depth-1, parallel && l.Kind != tir.Parallel)
	g.loops = g.loops[:len(g.loops)-1]
	return l
}

func (g *generator) statements() tir.Stmt {
	first := g.store()
	switch g.r.IntN(4) {
	case 0:
		return seq(first, g.store())
	case 1:
		other := g.store()
		return &tir.If{Cond: g.condition(1), Then: first, Else: other}
	}
	return first
}

// store draws a store to a buffer of its own: the iterations number its parts.
func (g *generator) store() tir.Stmt {
	t := drawnTypes[g.r.IntN(len(drawnTypes))]
	lanes := []int{1, 1, 2, 3, g.w, g.w, g.w + 1, 2*g.w + 3}[g.r.IntN(8)]
	at, parts := tir.Expr(num(0)), int64(1)
	for _, l := range g.loops {
		at = tir.Add(tir.Mul(at, num(l.n)), tir.Sub(l.v, num(l.min)))
		parts *= l.n
	}
	out := buf(fmt.Sprintf("out%d", len(g.params)), t, parts*int64(lanes))
	g.params = append(g.params, out)
	base := tir.Mul(at, num(int64(lanes)))
	var bind []tir.Stmt
	if g.r.IntN(3) == 0 {
		v := tir.NewVar("x", t.WithLanes(lanes))
		bind = append(bind, &tir.Bind{Var: v, Value: g.value(t, lanes, 2)})
		return seq(append(bind, set(out, vectorIndex(base, lanes), bin(tir.OpMax, v, g.value(t, lanes, 1))))...)
	}
	return set(out, vectorIndex(base, lanes), g.value(t, lanes, 3))
}

func vectorIndex(base tir.Expr, lanes int) tir.Expr {
	if lanes == 1 {
		return base
	}
	return ramp(base, 1, lanes)
}

// index draws a scalar index that stays inside an input with room for lanes at
// a stride of at most 3 around it.
func (g *generator) index() tir.Expr {
	e := tir.Expr(num(int64(200 + g.r.IntN(100))))
	for _, l := range g.loops {
		v := tir.Expr(l.v)
		switch g.r.IntN(4) {
		case 0:
			continue
		case 1:
			v = bin(tir.OpFloorDiv, v, num(int64(1+g.r.IntN(3))))
		case 2:
			v = bin(tir.OpFloorMod, tir.Sub(v, num(4)), num(int64(1+g.r.IntN(4))))
		}
		e = tir.Add(e, tir.Mul(v, num(int64(g.r.IntN(60)-20))))
	}
	return e
}

// value draws an expression whose floats stay small integers.
func (g *generator) value(t dtype.DType, lanes, depth int) tir.Expr {
	if depth == 0 {
		return g.leaf(t, lanes)
	}
	sub := func() tir.Expr { return g.value(t, lanes, depth-1) }
	switch g.r.IntN(9) {
	case 0, 1:
		return bin(tir.OpAdd, sub(), sub())
	case 2:
		return bin(tir.OpSub, sub(), sub())
	case 3:
		return bin(tir.OpMul, g.leaf(t, lanes), g.leaf(t, lanes))
	case 4:
		return bin(tir.OpMin, sub(), sub())
	case 5:
		return &tir.Select{Cond: g.condition(lanes), Then: sub(), Else: sub()}
	case 6:
		return call("if_then_else", t.WithLanes(lanes), g.condition([]int{1, lanes}[g.r.IntN(2)]), sub(), sub())
	case 7:
		from := drawnTypes[g.r.IntN(len(drawnTypes))]
		return tir.NewCast(t.WithLanes(lanes), g.leaf(from, lanes))
	}
	if t.IsInt() {
		d := tir.Const(float64(1+g.r.IntN(7)), t.WithLanes(lanes))
		return bin([]tir.BinOp{tir.OpFloorDiv, tir.OpFloorMod, tir.OpDiv, tir.OpMod}[g.r.IntN(4)], sub(), d)
	}
	return call("abs", t.WithLanes(lanes), sub())
}

func (g *generator) leaf(t dtype.DType, lanes int) tir.Expr {
	switch g.r.IntN(6) {
	case 0:
		return tir.Const(float64(g.r.IntN(9)-4), t.WithLanes(lanes))
	case 1:
		if len(g.loops) > 0 {
			v := tir.NewCast(t, tir.Expr(g.loops[g.r.IntN(len(g.loops))].v))
			if lanes == 1 {
				return v
			}
			return bcast(v, lanes)
		}
	}
	in := g.inputs[0]
	for _, b := range g.inputs {
		if b.Type == t {
			in = b
		}
	}
	if lanes > 1 && g.r.IntN(4) == 0 {
		return bcast(at(in, g.index()), lanes)
	}
	if lanes == 1 {
		return at(in, g.index())
	}
	return at(in, ramp(g.index(), []int64{1, 1, 1, 2, 3, -1}[g.r.IntN(6)], lanes))
}

// condition draws a comparison, sometimes two.
func (g *generator) condition(lanes int) tir.Expr {
	ops := []tir.BinOp{tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE, tir.OpEQ, tir.OpNE}
	compare := func() tir.Expr {
		t := drawnTypes[g.r.IntN(len(drawnTypes))]
		return bin(ops[g.r.IntN(len(ops))], g.leaf(t, lanes), g.leaf(t, lanes))
	}
	switch g.r.IntN(4) {
	case 0:
		return bin(tir.OpAnd, compare(), compare())
	case 1:
		return &tir.Not{A: compare()}
	}
	return compare()
}
