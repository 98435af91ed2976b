package ops

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// A convolution by 3×3 with stride 1 is, on tiles of m×m results, Aᵀ[(G w Gᵀ)·(Bᵀ x B)]A:
// one product of matrices over the channels for each of the (m+2)² places of a
// transformed tile, instead of nine for each of the m² results. The matrices are
// those of Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2016.

// winograd holds the matrices of F(m×m, 3×3); a is m+2, the tile that is read.
type winograd struct {
	m, a int64
	bt   [][]float64 // [a][a]: input
	g    [][]float64 // [a][3]: weights
	at   [][]float64 // [m][a]: result
}

var winograds = map[int64]winograd{
	2: {m: 2, a: 4,
		bt: [][]float64{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
		g:  [][]float64{{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}},
		at: [][]float64{{1, 1, 1, 0}, {0, 1, -1, -1}}},
	4: {m: 4, a: 6,
		bt: [][]float64{{4, 0, -5, 0, 1, 0}, {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0}, {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}},
		g:  [][]float64{{1. / 4, 0, 0}, {-1. / 6, -1. / 6, -1. / 6}, {-1. / 6, 1. / 6, -1. / 6}, {1. / 24, 1. / 12, 1. / 6}, {1. / 24, -1. / 12, 1. / 6}, {0, 0, 1}},
		at: [][]float64{{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}},
}

func winogradOf(c *graph.Call) (winograd, error) {
	w, ok := winograds[c.Attrs.Int("tile")]
	if !ok {
		return w, fmt.Errorf("there is no Winograd transform for tiles of %d", c.Attrs.Int("tile"))
	}
	return w, nil
}

// WinogradWeights transforms weights[O,I,3,3] for tiles of m×m results, 2 or 4:
// the result is [m+2,m+2,I,O].
func WinogradWeights(w *dtype.Tensor, m int64) *dtype.Tensor {
	f := winograds[m]
	o, i := w.Shape[0], w.Shape[1]
	out := dtype.NewTensor(w.Type, f.a, f.a, i, o)
	v := doubles(w)
	for oc := range o {
		for ic := range i {
			tap := func(r, s int) float64 { return v[((oc*i+ic)*3+int64(r))*3+int64(s)] }
			for p := range f.a {
				for q := range f.a {
					x := bilinear(f.g[p], f.g[q], tap)
					out.SetFloat(int(((p*f.a+q)*i+ic)*o+oc), x)
				}
			}
		}
	}
	return out
}

// bilinear is Σ rows[r] cols[s] x(r, s).
func bilinear(rows, cols []float64, x func(r, s int) float64) float64 {
	sum := 0.0
	for r, a := range rows {
		for s, b := range cols {
			if a != 0 && b != 0 {
				sum += a * b * x(r, s)
			}
		}
	}
	return sum
}

// winograd_input transforms the tiles of x[N,C,H,W], padded by pads (top, left,
// bottom, right), to [m+2,m+2,N·rows·columns,C]. The tiles of a convolution's
// result lie side by side; the last ones may reach beyond, where x counts as 0.
var _ = graph.Register(&graph.Op{
	Name: "winograd_input", Min: 1, Max: 1, Class: graph.Opaque, Layout: graph.ReadsAny,
	Attrs: []graph.AttrSpec{{Key: "pads", Zero: []int64(nil)}, {Key: "tile", Zero: int64(0)}},
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		w, err := winogradOf(c)
		if err != nil {
			return nil, err
		}
		x := c.In[0]
		if x.Rank() != 4 || !x.Elem.IsFloat() || len(c.Attrs.Ints("pads")) != 4 {
			return nil, fmt.Errorf("cannot transform %s with pads %v", x, c.Attrs.Ints("pads"))
		}
		rows, cols := w.tiles(c)
		if rows < 1 || cols < 1 {
			return nil, fmt.Errorf("a window of 3×3 exceeds the padded %s", x)
		}
		return oneType(x.Elem, []int64{w.a, w.a, x.Shape[0] * rows * cols, x.Shape[1]}), nil
	},
	Eval: evalWinogradInput, Lower: lowerWinogradInput,
})

// tiles counts the tiles of the result down and across.
func (w winograd) tiles(c *graph.Call) (rows, cols int64) {
	x, pads := c.In[0].Shape, c.Attrs.Ints("pads")
	return w.cover(x[2]+pads[0]+pads[2]-2, x[3]+pads[1]+pads[3]-2)
}

// cover counts the tiles that cover a result.
func (w winograd) cover(height, width int64) (rows, cols int64) {
	return (height + w.m - 1) / w.m, (width + w.m - 1) / w.m
}

func evalWinogradInput(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	w, err := winogradOf(c)
	if err != nil {
		return nil, err
	}
	return one(fromDoubles(c.Out[0], w.transformed(c, in[0])))
}

// transformed is the transform of the tiles of x: [m+2,m+2,tiles,channels].
func (w winograd) transformed(c *graph.Call, x *dtype.Tensor) []float64 {
	rows, cols := w.tiles(c)
	pads, v, shape := c.Attrs.Ints("pads"), doubles(x), x.Shape
	channels, height, width := shape[1], shape[2], shape[3]
	tiles := shape[0] * rows * cols
	out := make([]float64, w.a*w.a*tiles*channels)
	for t := range tiles {
		n, y, x := t/(rows*cols), t/cols%rows*w.m-pads[0], t%cols*w.m-pads[1]
		for ch := range channels {
			at := func(r, s int) float64 {
				h, k := y+int64(r), x+int64(s)
				if h < 0 || h >= height || k < 0 || k >= width {
					return 0
				}
				return v[((n*channels+ch)*height+h)*width+k]
			}
			for p := range w.a {
				for q := range w.a {
					out[((p*w.a+q)*tiles+t)*channels+ch] = bilinear(w.bt[p], w.bt[q], at)
				}
			}
		}
	}
	return out
}

func lowerWinogradInput(l *graph.Lowering) error {
	w, err := winogradOf(l.Call)
	if err != nil {
		return err
	}
	w.input(l, l.Args[0], l.Outs[0], l.Compute)
	return nil
}

// emit is Compute, or Stage, of a Lowering.
type emit func(block string, out *graph.Operand, f func(i []tir.Expr) tir.Expr)

// input emits the tile that is read, its rows transformed, and the columns of these:
// stages that one tile of some channels goes through at a time.
func (w winograd) input(l *graph.Lowering, x, out *graph.Operand, last emit) {
	t := out.Type
	rows, cols := w.tiles(l.Call)
	tiles, channels, pads := t.Shape[2], t.Shape[3], l.Attrs.Ints("pads")
	around := []int64{0, 0, pads[0], pads[1], 0, 0, w.m*rows + 2 - pads[0] - x.Type.Shape[2], w.m*cols + 2 - pads[1] - x.Type.Shape[3]}
	patch := l.Temp("patch", graph.Of(t.Elem, tiles, w.a, w.a, channels))
	l.Stage("patch", patch, func(i []tir.Expr) tir.Expr {
		n, y, z := w.place(i[0], rows, cols)
		at := []tir.Expr{n, i[3], tir.Add(tir.Mul(y, tir.Int(w.m)), i[1]), tir.Add(tir.Mul(z, tir.Int(w.m)), i[2])}
		return padded(x, at, around, "constant", 0)
	})
	half := l.Temp("rows", patch.Type)
	l.Stage("rows", half, func(i []tir.Expr) tir.Expr {
		return formula(w.bt, i[1], func(r int64) tir.Expr { return patch.At([]tir.Expr{i[0], tir.Int(r), i[2], i[3]}) })
	})
	last("winograd_input", out, func(i []tir.Expr) tir.Expr {
		return formula(w.bt, i[1], func(s int64) tir.Expr { return half.At([]tir.Expr{i[2], i[0], tir.Int(s), i[3]}) })
	})
}

// place is the image, row and column of a tile.
func (w winograd) place(t tir.Expr, rows, cols int64) (n, row, col tir.Expr) {
	return tir.FloorDiv(t, tir.Int(rows*cols)), tir.FloorMod(tir.FloorDiv(t, tir.Int(cols)), tir.Int(rows)), tir.FloorMod(t, tir.Int(cols))
}

// formula is row i of a matrix times a vector of which x gives the elements. Each
// row is a sum of its own: schedules unroll i, and the choice is gone.
func formula(matrix [][]float64, i tir.Expr, x func(k int64) tir.Expr) tir.Expr {
	last := len(matrix) - 1
	out := combination(matrix[last], x)
	for r := last - 1; r >= 0; r-- {
		out = tir.NewSelect(tir.Compare(tir.OpEQ, i, tir.Int(int64(r))), combination(matrix[r], x), out)
	}
	return out
}

func combination(row []float64, x func(k int64) tir.Expr) tir.Expr {
	var sum tir.Expr
	for k, c := range row {
		if c == 0 {
			continue
		}
		e := x(int64(k))
		switch {
		case c == 1 && sum == nil:
			sum = e
		case c == 1:
			sum = tir.Add(sum, e)
		case c == -1 && sum != nil:
			sum = tir.Sub(sum, e)
		case sum == nil:
			sum = tir.Mul(e, tir.Const(c, e.DType()))
		default:
			sum = tir.Add(sum, tir.Mul(e, tir.Const(c, e.DType())))
		}
	}
	return sum
}

// winograd_output transforms products [m+2,m+2,N·rows·columns,O] back to
// size = N, H, W: a result [N,O,H,W].
var _ = graph.Register(&graph.Op{
	Name: "winograd_output", Min: 1, Max: 1, Class: graph.OutFusable, Layout: graph.WritesBlocks,
	Attrs: []graph.AttrSpec{{Key: "size", Zero: []int64(nil)}, {Key: "tile", Zero: int64(0)}},
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		w, err := winogradOf(c)
		if err != nil {
			return nil, err
		}
		x, size := c.In[0], c.Attrs.Ints("size")
		if len(size) != 3 || min(size[0], size[1], size[2]) < 1 || max(size[0], size[1], size[2]) > maxWindow {
			return nil, fmt.Errorf("size %v is not that of images, rows and columns", size)
		}
		rows, cols := w.cover(size[1], size[2])
		tiles := size[0] * rows * cols
		if x.Rank() != 4 || !x.Elem.IsFloat() || x.Shape[0] != w.a || x.Shape[1] != w.a || x.Shape[2] != tiles {
			return nil, fmt.Errorf("cannot transform %s: %d×%d places of %d tiles are wanted", x, w.a, w.a, tiles)
		}
		return oneType(x.Elem, []int64{size[0], x.Shape[3], size[1], size[2]}), nil
	},
	Eval: evalWinogradOutput, Lower: lowerWinogradOutput,
})

func evalWinogradOutput(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	w, err := winogradOf(c)
	if err != nil {
		return nil, err
	}
	return one(fromDoubles(c.Out[0], w.result(doubles(in[0]), c.Out[0])))
}

// result transforms products [m+2,m+2,tiles,channels] back to a result of type t.
func (w winograd) result(v []float64, t graph.Type) []float64 {
	channels, height, width := t.Shape[1], t.Shape[2], t.Shape[3]
	rows, cols := w.cover(height, width)
	tiles := t.Shape[0] * rows * cols
	out := make([]float64, t.Len())
	for i := range out {
		x, y, ch, n := int64(i)%width, int64(i)/width%height, int64(i)/width/height%channels, int64(i)/width/height/channels
		tile := (n*rows+y/w.m)*cols + x/w.m
		out[i] = bilinear(w.at[y%w.m], w.at[x%w.m], func(p, q int) float64 {
			return v[((int64(p)*w.a+int64(q))*tiles+tile)*channels+ch]
		})
	}
	return out
}

func lowerWinogradOutput(l *graph.Lowering) error {
	w, err := winogradOf(l.Call)
	if err != nil {
		return err
	}
	w.output(l, l.Args[0], l.Outs[0])
	return nil
}

// output emits the transformed columns of every tile as a stage, then the result.
func (w winograd) output(l *graph.Lowering, x, out *graph.Operand) {
	t := out.Type
	rows, cols := w.cover(t.Shape[2], t.Shape[3])
	half := l.Temp("columns", graph.Of(t.Elem, x.Type.Shape[2], w.m, w.a, x.Type.Shape[3]))
	l.Stage("columns", half, func(i []tir.Expr) tir.Expr {
		return formula(w.at, i[1], func(p int64) tir.Expr { return x.At([]tir.Expr{tir.Int(p), i[2], i[0], i[3]}) })
	})
	m := tir.Int(w.m)
	l.Compute("winograd_output", out, func(i []tir.Expr) tir.Expr {
		tile := tir.Add(tir.Mul(tir.Add(tir.Mul(i[0], tir.Int(rows)), tir.FloorDiv(i[2], m)), tir.Int(cols)), tir.FloorDiv(i[3], m))
		return formula(w.at, tir.FloorMod(i[3], m), func(q int64) tir.Expr {
			return half.At([]tir.Expr{tile, tir.FloorMod(i[2], m), tir.Int(q), i[1]})
		})
	})
}
