package onnx

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// Recurrent layers are unrolled: one product for the inputs of all steps, then the
// steps one after another, which are alike and so become one kernel.

func init() {
	register("RNN", 1, func(c *opCtx) { c.recurrent(1, []string{"Tanh"}, (*recurrence).rnn) })
	register("GRU", 1, func(c *opCtx) { c.recurrent(3, []string{"Sigmoid", "Tanh"}, (*recurrence).gru) })
	register("LSTM", 1, func(c *opCtx) { c.recurrent(4, []string{"Sigmoid", "Tanh", "Tanh"}, (*recurrence).lstm) })
}

// maxSteps bounds what is unrolled.
const maxSteps = 1 << 12

// recurrence is one direction of a recurrent layer. Values of a step have the
// shape [batch, hidden], or [batch, gates·hidden].
type recurrence struct {
	*opCtx
	elem                  dtype.DType
	gates, hidden         int64
	steps, batch          int64
	r                     graph.ValueID   // [hidden, gates·hidden]
	wb, rb                graph.ValueID   // biases [gates·hidden], or absent
	peep                  []graph.ValueID // of an LSTM's input, output and forget gates, or none
	h, cell               graph.ValueID
	act                   []string
	clip                  float64 // bound of what activations take; 0 for none
	lens                  graph.ValueID
	beforeReset, coupling bool
}

// step computes the next state from the product of the step's input and the
// weights, with all biases but a GRU's own of the state.
type step func(r *recurrence, x graph.ValueID) (h, cell graph.ValueID)

// recurrent imports a layer of the given number of gates.
func (c *opCtx) recurrent(gates int64, defaults []string, f step) {
	x, w, r := c.input(0), c.input(1), c.input(2)
	if c.attrInt("layout", 0) == 1 {
		x = c.transpose(x, 1, 0, 2)
	}
	xs, ws, rs := c.shape(x), c.shape(w), c.shape(r)
	if c.err != nil {
		return
	}
	if len(xs) != 3 || len(ws) != 3 || len(rs) != 3 || ws[2] != xs[2] || ws[0] != rs[0] || ws[1] != gates*rs[2] || rs[1] != ws[1] {
		c.fail("input %v, weights %v and recurrence %v do not fit %d gates", xs, ws, rs, gates)
		return
	}
	if xs[0] < 1 || xs[0] > maxSteps {
		c.fail("%d steps; 1 to %d are unrolled", xs[0], maxSteps)
		return
	}
	backward, ok := map[string][]bool{"forward": {false}, "reverse": {true}, "bidirectional": {false, true}}[c.attrStr("direction", "forward")]
	if !ok || int64(len(backward)) != ws[0] {
		c.fail("direction %q and weights of %d directions", c.attrStr("direction", "forward"), ws[0])
		return
	}
	c.fits(ws[0], gates, xs[1], rs[2])
	var ys, hs, cs []graph.ValueID
	for d, back := range backward {
		if c.err != nil {
			return
		}
		rec := c.direction(d, len(backward), gates, xs, rs[2], defaults)
		y := rec.run(x, c.part(w, d), back, f)
		ys, hs, cs = append(ys, y), append(hs, c.reshape(rec.h, []int64{1, xs[1], rs[2]})), append(cs, rec.cell)
	}
	c.finishRecurrent(ys, hs, cs, xs[1], rs[2])
}

// fits checks the size that the attribute states and the operands that may be absent.
func (c *opCtx) fits(directions, gates, batch, hidden int64) {
	if h := c.attrInt("hidden_size", hidden); h != hidden {
		c.fail("hidden_size is %d, the recurrence has %d", h, hidden)
	}
	state := []int64{directions, batch, hidden}
	if c.attrInt("layout", 0) == 1 {
		state = []int64{batch, directions, hidden}
	}
	for _, o := range []struct {
		i     int
		what  string
		shape []int64
	}{{3, "biases", []int64{directions, 2 * gates * hidden}}, {4, "sequence lengths", []int64{batch}}, {5, "initial state", state}, {6, "initial cell", state}, {7, "peepholes", []int64{directions, 3 * hidden}}} {
		if c.has(o.i) && !slices.Equal(c.shape(c.in[o.i]), o.shape) {
			c.fail("its %s are %s, want the shape %v", o.what, c.typ(c.in[o.i]), o.shape)
		}
	}
	if c.has(4) && !c.typ(c.in[4]).Elem.IsInt() {
		c.fail("its sequence lengths are %s, not integers", c.typ(c.in[4]))
	}
}

// finishRecurrent joins the directions and brings the results to the layout that
// was asked for.
func (c *opCtx) finishRecurrent(ys, hs, cs []graph.ValueID, batch, hidden int64) {
	y, h := c.join(1, ys), c.join(0, hs)
	out := []graph.ValueID{y, h}
	if c.n.Op == "LSTM" {
		for i, v := range cs {
			cs[i] = c.reshape(v, []int64{1, batch, hidden})
		}
		out = append(out, c.join(0, cs))
	}
	if c.attrInt("layout", 0) == 1 {
		out[0] = c.transpose(out[0], 2, 0, 1, 3)
		for i := range out[1:] {
			out[i+1] = c.transpose(out[i+1], 1, 0, 2)
		}
	}
	c.result(out...)
}

func (c *opCtx) join(axis int, parts []graph.ValueID) graph.ValueID {
	if len(parts) == 1 {
		return parts[0]
	}
	return c.emit("concat", graph.A("axis", int64(axis)), parts...)
}

// part is index i of the first dimension of v, without that dimension.
func (c *opCtx) part(v graph.ValueID, i int) graph.ValueID {
	shape := slices.Clone(c.shape(v))
	if c.err == nil && (len(shape) < 2 || shape[0] <= int64(i)) {
		c.fail("an operand is %s, which has no part %d", c.typ(v), i)
	}
	if c.err != nil {
		return graph.NoValue
	}
	starts := repeat(0, len(shape))
	starts[0], shape[0] = int64(i), 1
	return c.reshape(c.emitSlice(v, starts, shape, repeat(1, len(shape))), shape[1:])
}

// columns are n columns of a matrix from column at on; of a vector, its elements.
func (c *opCtx) columns(v graph.ValueID, at, n int64) graph.ValueID {
	shape := slices.Clone(c.shape(v))
	if c.err != nil {
		return graph.NoValue
	}
	starts := repeat(0, len(shape))
	starts[len(shape)-1], shape[len(shape)-1] = at, n
	return c.emitSlice(v, starts, shape, repeat(1, len(shape)))
}

// direction reads what belongs to direction d of n.
func (c *opCtx) direction(d, n int, gates int64, xs []int64, hidden int64, defaults []string) *recurrence {
	r := &recurrence{opCtx: c, elem: c.typ(c.in[0]).Elem, gates: gates, hidden: hidden, steps: xs[0], batch: xs[1],
		wb: graph.NoValue, rb: graph.NoValue, lens: graph.NoValue,
		clip: c.attrFloat("clip", 0), beforeReset: c.attrInt("linear_before_reset", 0) != 0, coupling: c.attrInt("input_forget", 0) != 0}
	r.r = c.transpose(c.part(c.in[2], d), 1, 0)
	if c.has(3) {
		b := c.part(c.in[3], d)
		r.wb, r.rb = c.columns(b, 0, gates*hidden), c.columns(b, gates*hidden, gates*hidden)
	}
	if c.has(4) {
		r.lens = c.reshape(c.in[4], []int64{xs[1], 1})
	}
	r.h, r.cell = r.initial(5, d), r.initial(6, d)
	if c.n.Op == "LSTM" && c.has(7) {
		p := c.part(c.in[7], d)
		for g := range int64(3) {
			r.peep = append(r.peep, c.columns(p, g*hidden, hidden))
		}
	}
	r.act = r.activations(d, n, defaults)
	return r
}

// initial is the state that operand i gives, or zeros.
func (r *recurrence) initial(i, d int) graph.ValueID {
	if i == 6 && r.n.Op != "LSTM" {
		return graph.NoValue
	}
	if !r.has(i) {
		return r.emit("fill", graph.A("shape", []int64{r.batch, r.hidden}), r.splat(0, r.elem))
	}
	v := r.in[i]
	if r.attrInt("layout", 0) == 1 {
		v = r.transpose(v, 1, 0, 2)
	}
	return r.part(v, d)
}

var activationOps = map[string]string{"Relu": "relu", "Tanh": "tanh", "Sigmoid": "sigmoid", "Softsign": "softsign", "Softplus": "softplus"}

func (r *recurrence) activations(d, n int, defaults []string) []string {
	names := defaults
	if a := r.attr("activations", AttrStrings); a != nil {
		if len(a.Strs) != n*len(defaults) {
			r.fail("%d activations for %d directions", len(a.Strs), n)
			return defaults
		}
		names = nil
		for _, s := range a.Strs[d*len(defaults) : (d+1)*len(defaults)] {
			names = append(names, string(s))
		}
	}
	out := make([]string, len(names))
	for i, name := range names {
		if out[i] = activationOps[name]; out[i] == "" {
			r.fail("the activation %q is not supported", name)
		}
	}
	return out
}

// activate applies activation i.
func (r *recurrence) activate(i int, v graph.ValueID) graph.ValueID {
	if r.clip != 0 {
		v = r.emit("clip", graph.A("max", r.clip, "min", -r.clip), v)
	}
	return r.emit(r.act[i], nil, v)
}

// run performs all steps and returns the states after each, [steps, 1, batch, hidden].
func (r *recurrence) run(x, w graph.ValueID, back bool, f step) graph.ValueID {
	if back && r.lens != graph.NoValue && !r.allLens() {
		r.fail("sequences of several lengths are not supported backwards")
	}
	xs := r.shape(x)
	if r.err != nil {
		return graph.NoValue
	}
	all := r.emit("matmul", nil, r.reshape(x, []int64{xs[0] * xs[1], xs[2]}), r.transpose(w, 1, 0))
	all = r.add(all, r.wb)
	if r.n.Op != "GRU" { // whose reset gate multiplies one of the others
		all = r.add(all, r.rb)
	}
	all = r.reshape(all, []int64{r.steps, r.batch, r.gates * r.hidden})
	states := make([]graph.ValueID, r.steps)
	for i := range r.steps {
		t := i
		if back {
			t = r.steps - 1 - i
		}
		h, cell := f(r, r.part(all, int(t)))
		y := h
		if r.lens != graph.NoValue && !r.allLens() {
			on := r.emit("less", nil, r.splat(float64(t), r.typ(r.lens).Elem), r.lens)
			y = r.emit("where", nil, on, h, r.splat(0, r.elem))
			h = r.emit("where", nil, on, h, r.h)
			if cell != graph.NoValue {
				cell = r.emit("where", nil, on, cell, r.cell)
			}
		}
		r.h, r.cell = h, cell
		states[t] = r.reshape(y, []int64{1, 1, r.batch, r.hidden})
	}
	return r.join(0, states)
}

// allLens reports whether every sequence is known to have all steps.
func (r *recurrence) allLens() bool {
	t := r.im.g.Const(r.in[4])
	for i := 0; t != nil && i < t.Len(); i++ {
		if t.Int(i) != r.steps {
			return false
		}
	}
	return t != nil
}

// gate is gate g of a step's value, or of a bias.
func (r *recurrence) gate(v graph.ValueID, g int64) graph.ValueID {
	return r.columns(v, g*r.hidden, r.hidden)
}

func (r *recurrence) add(vs ...graph.ValueID) graph.ValueID {
	sum := graph.NoValue
	for _, v := range vs {
		switch {
		case v == graph.NoValue:
		case sum == graph.NoValue:
			sum = v
		default:
			sum = r.emit("add", nil, sum, v)
		}
	}
	return sum
}

func (r *recurrence) mul(a, b graph.ValueID) graph.ValueID { return r.emit("mul", nil, a, b) }

// rnn is h' = f(x·W + h·R + b).
func (r *recurrence) rnn(x graph.ValueID) (h, cell graph.ValueID) {
	return r.activate(0, r.add(x, r.emit("matmul", nil, r.h, r.r))), graph.NoValue
}

// gru is ONNX's: gates z, r and h; h' = (1−z)·h̃ + z·h.
func (r *recurrence) gru(x graph.ValueID) (h, cell graph.ValueID) {
	biased := func(v graph.ValueID, from, gates int64) graph.ValueID {
		if r.rb == graph.NoValue {
			return v
		}
		return r.add(v, r.columns(r.rb, from*r.hidden, gates*r.hidden))
	}
	var own graph.ValueID // of all gates, or of z and r
	if r.beforeReset {
		own = biased(r.emit("matmul", nil, r.h, r.r), 0, 3)
	} else {
		own = biased(r.emit("matmul", nil, r.h, r.columns(r.r, 0, 2*r.hidden)), 0, 2)
	}
	z := r.activate(0, r.add(r.gate(x, 0), r.gate(own, 0)))
	reset := r.activate(0, r.add(r.gate(x, 1), r.gate(own, 1)))
	var inner graph.ValueID
	if r.beforeReset {
		inner = r.mul(reset, r.gate(own, 2))
	} else {
		inner = biased(r.emit("matmul", nil, r.mul(reset, r.h), r.columns(r.r, 2*r.hidden, r.hidden)), 2, 1)
	}
	fresh := r.activate(1, r.add(r.gate(x, 2), inner))
	return r.add(r.mul(r.emit("sub", nil, r.splat(1, r.elem), z), fresh), r.mul(z, r.h)), graph.NoValue
}

// lstm is ONNX's: gates i, o, f and c; c' = f·c + i·c̃, h' = o·tanh(c').
func (r *recurrence) lstm(x graph.ValueID) (h, cell graph.ValueID) {
	all := r.add(x, r.emit("matmul", nil, r.h, r.r))
	gate := func(g int64, peep int, state graph.ValueID) graph.ValueID {
		v := r.gate(all, g)
		if len(r.peep) > 0 {
			v = r.add(v, r.mul(r.peep[peep], state))
		}
		return r.activate(0, v)
	}
	in := gate(0, 0, r.cell)
	var forget graph.ValueID
	if r.coupling {
		forget = r.emit("sub", nil, r.splat(1, r.elem), in)
	} else {
		forget = gate(2, 2, r.cell)
	}
	cell = r.add(r.mul(forget, r.cell), r.mul(in, r.activate(1, r.gate(all, 3))))
	out := gate(1, 1, cell)
	return r.mul(out, r.emit(r.act[2], nil, cell)), cell
}
