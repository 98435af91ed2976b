package tirpass

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// AnnPack marks the blocks that copy a constant parameter into the layout a
// schedule chose; the key is the reference system's.
const AnnPack = "meta_schedule.layout_rewrite_preproc"

// Pack says how one constant parameter is laid out before the function runs:
// element i of the original goes to element Map(i) of the packed one, whose
// other elements are zero.
type Pack struct {
	Param  int           // index of the parameter
	Type   dtype.DType   // element type of both
	From   []int64       // original shape
	To     []int64       // packed shape
	Map    *tir.IndexMap // original indices to packed indices
	Func   *tir.PrimFunc // the copy itself, parameters source and packed
	packed *tir.Buffer
}

// SplitPacking takes the packing blocks out of f: the parameter takes the packed
// shape and the copy becomes a function of its own, named <f>_prepack_<param>.
func SplitPacking(f *tir.PrimFunc) (*tir.PrimFunc, []Pack, error) {
	root, ok := f.Root()
	if !ok {
		return f, nil, nil
	}
	var packs []Pack
	var rest []tir.Stmt
	for _, s := range listOf(root.Block.Body) {
		r := packingBlock(s)
		if r == nil {
			rest = append(rest, s)
			continue
		}
		p, err := newPack(f, s, r)
		if err != nil {
			return nil, nil, err
		}
		packs = append(packs, p)
	}
	if len(packs) == 0 {
		return f, nil, nil
	}
	g := *f
	g.Params = append([]tir.Param(nil), f.Params...)
	block := *root.Block
	block.Body = tir.NewSeq(rest...)
	block.Allocs = nil
	for _, b := range root.Block.Allocs {
		if !isPacked(packs, b) {
			block.Allocs = append(block.Allocs, b)
		}
	}
	for _, p := range packs {
		old := f.Params[p.Param].(*tir.Buffer)
		if len(collectAccesses(stripBlocks(block.Body))[old]) > 0 {
			return nil, nil, fmt.Errorf("parameter %s is read both packed and as it was", old.Name)
		}
		g.Params[p.Param] = p.packed
	}
	g.Body = &tir.BlockRealize{Predicate: root.Predicate, Block: &block}
	return &g, packs, nil
}

// stripBlocks exposes what is inside blocks to collectAccesses.
func stripBlocks(s tir.Stmt) tir.Stmt {
	w := tir.StmtRewriter{Stmt: func(x tir.Stmt) tir.Stmt {
		if r, ok := x.(*tir.BlockRealize); ok {
			return tir.NewSeq(r.Block.Init, r.Block.Body)
		}
		return x
	}}
	return w.Rewrite(s)
}

func isPacked(packs []Pack, b *tir.Buffer) bool {
	for _, p := range packs {
		if p.packed == b {
			return true
		}
	}
	return false
}

func packingBlock(s tir.Stmt) *tir.BlockRealize {
	for {
		switch x := s.(type) {
		case *tir.For:
			s = x.Body
		case *tir.BlockRealize:
			if _, ok := x.Block.Ann.Get(AnnPack); ok {
				return x
			}
			return nil
		default:
			return nil
		}
	}
}

func newPack(f *tir.PrimFunc, nest tir.Stmt, r *tir.BlockRealize) (Pack, error) {
	bad := func(why string) (Pack, error) {
		return Pack{}, fmt.Errorf("block %q packs a weight but %s", r.Block.Name, why)
	}
	st, ok := r.Block.Body.(*tir.Store)
	if !ok {
		return bad("is more than one store")
	}
	ld, ok := st.Value.(*tir.Load)
	if !ok {
		return bad("does not copy")
	}
	m := &tir.IndexMap{Final: st.Indices}
	for _, e := range ld.Indices {
		v, ok := e.(*tir.Var)
		if !ok {
			return bad("does not read its source in order")
		}
		m.Initial = append(m.Initial, v)
	}
	p := Pack{Param: -1, Type: ld.Buffer.Type, Map: m, packed: st.Buffer}
	for i, q := range f.Params {
		if q == tir.Param(ld.Buffer) {
			p.Param = i
		}
	}
	if p.Param < 0 {
		return bad("its source is no parameter")
	}
	var ok1, ok2 bool
	p.From, ok1 = ld.Buffer.StaticShape()
	p.To, ok2 = st.Buffer.StaticShape()
	if !ok1 || !ok2 {
		return bad("a shape is symbolic")
	}
	p.Func = packFunc(fmt.Sprintf("%s_prepack_%s", f.Name, ld.Buffer.Name), ld.Buffer, st.Buffer, nest)
	return p, nil
}

func packFunc(name string, from, to *tir.Buffer, nest tir.Stmt) *tir.PrimFunc {
	b := tir.NewBuilder(name)
	b.AddParam(from)
	b.AddParam(to)
	f := b.Func()
	root := *f.Body.(*tir.BlockRealize)
	block := *root.Block
	block.Body = serial(nest)
	root.Block = &block
	f.Body = &root
	return f
}

// serial drops the loop kinds of a nest and the mark that made it a packing
// block: packing runs once, untimed.
func serial(s tir.Stmt) tir.Stmt {
	w := tir.StmtRewriter{Stmt: func(x tir.Stmt) tir.Stmt {
		if l, ok := x.(*tir.For); ok {
			c := *l
			c.Kind, c.Ann = tir.Serial, nil
			return &c
		}
		if r, ok := x.(*tir.BlockRealize); ok {
			b := *r.Block
			b.Ann = b.Ann.Without(AnnPack)
			return &tir.BlockRealize{Values: r.Values, Predicate: r.Predicate, Block: &b}
		}
		return x
	}}
	return w.Rewrite(s)
}

// Apply packs a host tensor.
func (p *Pack) Apply(t *dtype.Tensor) (*dtype.Tensor, error) {
	if err := t.CheckBytes(); err != nil {
		return nil, err
	}
	if t.Type != p.Type || dtype.NumElements(t.Shape) != dtype.NumElements(p.From) {
		return nil, fmt.Errorf("packing wants %s%v, got %s%v", p.Type, p.From, t.Type, t.Shape)
	}
	at, err := compileMap(p.Map, p.To)
	if err != nil {
		return nil, err
	}
	out := dtype.NewTensor(p.Type, p.To...)
	size := p.Type.Bytes()
	idx := make([]int64, len(p.From))
	limit := dtype.NumElements(p.To)
	for i, n := 0, t.Len(); i < n; i++ {
		to := at(idx)
		if to < 0 || to >= limit {
			return nil, fmt.Errorf("the index map sends %v outside %v", idx, p.To)
		}
		copy(out.Data[int(to)*size:], t.Data[i*size:(i+1)*size])
		for d := len(idx) - 1; d >= 0; d-- {
			if idx[d]++; idx[d] < p.From[d] {
				break
			}
			idx[d] = 0
		}
	}
	return out, nil
}

// compileMap turns an index map into a function from indices to the row-major
// position in shape.
func compileMap(m *tir.IndexMap, shape []int64) (func([]int64) int64, error) {
	var pos tir.Expr = tir.IntOf(0, dtype.Int64)
	for d, e := range m.Final {
		pos = tir.Add(tir.Mul(pos, tir.IntOf(shape[d], dtype.Int64)), e)
	}
	return compileInt(pos, m.Initial)
}

func compileInt(e tir.Expr, vars []*tir.Var) (func([]int64) int64, error) {
	switch x := e.(type) {
	case *tir.IntImm:
		v := x.Value
		return func([]int64) int64 { return v }, nil
	case *tir.Var:
		for i, v := range vars {
			if v == x {
				return func(in []int64) int64 { return in[i] }, nil
			}
		}
	case *tir.Cast:
		return compileInt(x.Value, vars)
	case *tir.Binary:
		a, err := compileInt(x.A, vars)
		if err != nil {
			return nil, err
		}
		b, err := compileInt(x.B, vars)
		if err != nil {
			return nil, err
		}
		if f := intOp(x.Op, a, b); f != nil {
			return f, nil
		}
	}
	return nil, fmt.Errorf("an index map cannot contain %s", tir.ExprString(e))
}

func intOp(op tir.BinOp, a, b func([]int64) int64) func([]int64) int64 {
	switch op {
	case tir.OpAdd:
		return func(i []int64) int64 { return a(i) + b(i) }
	case tir.OpSub:
		return func(i []int64) int64 { return a(i) - b(i) }
	case tir.OpMul:
		return func(i []int64) int64 { return a(i) * b(i) }
	case tir.OpFloorDiv:
		return func(i []int64) int64 { return tir.FloorDivInt(a(i), b(i)) }
	case tir.OpFloorMod:
		return func(i []int64) int64 { x, y := a(i), b(i); return x - tir.FloorDivInt(x, y)*y }
	case tir.OpMin:
		return func(i []int64) int64 { return min(a(i), b(i)) }
	case tir.OpMax:
		return func(i []int64) int64 { return max(a(i), b(i)) }
	}
	return nil
}
