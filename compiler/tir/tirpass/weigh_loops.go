package tirpass

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// forkWork is the least work worth a second thread, in operations on whole vectors, of
// which a processor does about two in a cycle. A fork and its join cost half a microsecond
// to one and a half, and half of the operands then lie in another core's cache: loops of
// less than two microseconds gain nothing, and lose where the other core is late.
const forkWork = 12000

// Costs in the same operations. A core streams about 16 bytes in a cycle out of its
// second-level cache.
const (
	divideWork    = 8
	callWork      = 14
	bytesPerWork  = 8
	unknownAmount = math.MaxFloat64 // of loops without bound: worth a fork
)

// WeighLoops makes parallel loops serial that do too little to be worth a fork, whether
// a default schedule or a search made them parallel.
func WeighLoops(s tir.Stmt, lanes func(dtype.DType) int) tir.Stmt {
	w := &weigher{lanes: lanes}
	return w.stmt(s, bounds{})
}

type weigher struct {
	lanes func(dtype.DType) int
	moved map[*tir.Buffer]float64 // bytes that the loop being weighed moves
}

func (w *weigher) stmt(s tir.Stmt, b bounds) tir.Stmt {
	switch x := s.(type) {
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, y := range x.Stmts {
			out[i] = w.stmt(y, b)
		}
		return tir.NewSeq(out...)
	case *tir.If:
		c := &tir.If{Cond: x.Cond, Then: w.stmt(x.Then, b)}
		if x.Else != nil {
			c.Else = w.stmt(x.Else, b)
		}
		return c
	case *tir.For:
		c := *x
		if x.Kind != tir.Parallel {
			c.Body = w.stmt(x.Body, b.loop(x))
		} else if w.weigh(x, b) < forkWork {
			c.Kind = tir.Serial
		}
		return &c
	}
	return s
}

// weigh is what a loop costs: its arithmetic or the memory it moves, whichever is more.
func (w *weigher) weigh(l *tir.For, b bounds) float64 {
	w.moved = map[*tir.Buffer]float64{}
	ops := w.work(l, 1, b)
	bytes := 0.0
	for buf, n := range w.moved {
		size := math.Inf(1)
		if shape, ok := buf.StaticShape(); ok {
			size = float64(buf.Type.Bytes())
			for _, d := range shape {
				size *= float64(d)
			}
		}
		bytes += min(n, size)
	}
	return max(ops, bytes/bytesPerWork)
}

// work counts the operations of a statement that runs so many times.
func (w *weigher) work(s tir.Stmt, times float64, b bounds) float64 {
	switch x := s.(type) {
	case nil, *tir.AllocBuffer, *tir.Evaluate: // fetches ahead
		return 0
	case *tir.Seq:
		sum := 0.0
		for _, y := range x.Stmts {
			sum += w.work(y, times, b)
		}
		return sum
	case *tir.If:
		return times*w.value(x.Cond, times) + max(w.work(x.Then, times, b), w.work(x.Else, times, b))
	case *tir.For:
		n, ok := b.of(x.Extent)
		if !ok {
			return unknownAmount
		}
		step := int64(1)
		if x.Step != nil {
			step, _ = tir.AsInt(x.Step)
		}
		return w.work(x.Body, times*float64(max(n.hi, 0))/float64(max(step, 1)), b.loop(x))
	case *tir.Bind:
		return times * w.value(x.Value, times)
	case *tir.Store:
		return times * (w.value(x.Value, times) + w.access(x.Buffer, x.Value.DType(), times))
	}
	return unknownAmount
}

// value counts the operations of an expression. Indices cost nothing, and an addition
// takes the product beside it in.
func (w *weigher) value(e tir.Expr, times float64) float64 {
	sum := 0.0
	tir.Walk(e, func(x tir.Expr) bool {
		switch x := x.(type) {
		case *tir.Binary:
			sum += w.vectors(x.T) * arithmetic(x)
		case *tir.Select:
			sum += w.vectors(x.DType())
		case *tir.Call:
			if x.Op != OpBarrier {
				sum += w.vectors(x.Type) * callWork
			}
		case *tir.Load:
			sum += w.access(x.Buffer, x.DType(), times)
			return false
		}
		return true
	})
	return sum
}

func arithmetic(x *tir.Binary) float64 {
	switch x.Op {
	case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
		return divideWork
	case tir.OpAdd, tir.OpSub:
		if isProduct(x.A) || isProduct(x.B) {
			return 0
		}
	}
	return 1
}

func isProduct(e tir.Expr) bool {
	p, ok := e.(*tir.Binary)
	return ok && p.Op == tir.OpMul
}

// access is the cost of one load or store; registers are free.
func (w *weigher) access(buf *tir.Buffer, t dtype.DType, times float64) float64 {
	if buf.Scope == ScopeRegister {
		return 0
	}
	w.moved[buf] += times * float64(t.Bytes())
	return w.vectors(t)
}

// vectors is how many registers a value takes.
func (w *weigher) vectors(t dtype.DType) float64 {
	return math.Ceil(float64(t.Lanes) / float64(max(1, w.lanes(t.Element()))))
}
