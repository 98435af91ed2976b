package cost

import (
	"math"
	"math/rand/v2"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/cost/feature"
)

// The tests learn from real features of real tilings of matrix products; only
// the time is simulated, by a small machine: vector units with registers, two
// caches, threads.

type decisions struct {
	m, n, k  int64 // extents
	mr, nv   int64 // register tile: rows, vectors
	mo, kc   int64 // rows of a chunk, depth of a reduction block
	unrollK  int64
	packed   bool
	parallel bool
}

func pick(r *rand.Rand, of ...int64) int64 { return of[r.IntN(len(of))] }

func randomDecisions(r *rand.Rand, m, n, k int64) decisions {
	return decisions{
		m: m, n: n, k: k, mr: pick(r, 1, 2, 4, 8, 16), nv: pick(r, 1, 2, 4, 8),
		mo: pick(r, 16, 32, 64, 128), kc: pick(r, 4, 16, 64, 128, 256), unrollK: pick(r, 1, 2, 4),
		packed: r.IntN(2) == 0, parallel: r.IntN(4) > 0,
	}
}

const simLanes, simRegisters, simThreads = 8, 16, 4

func simTarget() target.Target {
	return target.Target{
		Kind: "cpu", ISA: "x86_64", NumCores: simThreads, Threads: simThreads, L1D: 32 << 10, L2: 512 << 10,
		VectorBits: 32 * simLanes, VectorRegisters: simRegisters,
	}
}

// function schedules C = A·B as the decisions say.
func (d decisions) function() *tir.PrimFunc {
	nr := d.nv * simLanes
	a := tir.NewStaticBuffer("A", dtype.Float32, d.m, d.k)
	b := tir.NewStaticBuffer("B", dtype.Float32, d.k, d.n)
	if d.packed {
		b = tir.NewStaticBuffer("B", dtype.Float32, d.n/nr, d.k, nr)
	}
	c := tir.NewStaticBuffer("C", dtype.Float32, d.m, d.n)
	vars := map[string]*tir.Var{}
	axes := []struct {
		name   string
		extent int64
		kind   tir.LoopKind
	}{
		{"i0", d.m / d.mo, tir.Serial}, {"j0", d.n / nr, tir.Serial}, {"k0", d.k / d.kc, tir.Serial},
		{"i1", d.mo / d.mr, tir.Serial}, {"k1", d.kc, tir.Serial}, {"i2", d.mr, tir.Unrolled}, {"j1", nr, tir.Vectorized},
	}
	for _, x := range axes {
		vars[x.name] = tir.NewVar(x.name, dtype.Int32)
	}
	sum := func(terms ...tir.Expr) tir.Expr {
		e := terms[0]
		for _, t := range terms[1:] {
			e = tir.Add(e, t)
		}
		return e
	}
	times := func(v string, k int64) tir.Expr { return tir.Mul(vars[v], tir.Int(k)) }
	vi, vj, vk := tir.NewVar("vi", dtype.Int32), tir.NewVar("vj", dtype.Int32), tir.NewVar("vk", dtype.Int32)
	loadB := &tir.Load{Buffer: b, Indices: []tir.Expr{vk, vj}}
	if d.packed {
		loadB.Indices = []tir.Expr{tir.FloorDiv(vj, tir.Int(nr)), vk, tir.FloorMod(vj, tir.Int(nr))}
	}
	at := []tir.Expr{vi, vj}
	product := tir.Mul(&tir.Load{Buffer: a, Indices: []tir.Expr{vi, vk}}, loadB)
	iter := func(v *tir.Var, extent int64, kind tir.IterKind) *tir.IterVar {
		return &tir.IterVar{Var: v, Dom: tir.Range{Min: tir.Int(0), Extent: tir.Int(extent)}, Kind: kind}
	}
	var s tir.Stmt = &tir.BlockRealize{
		Predicate: tir.True,
		Values:    []tir.Expr{sum(times("i0", d.mo), times("i1", d.mr), vars["i2"]), sum(times("j0", nr), vars["j1"]), sum(times("k0", d.kc), vars["k1"])},
		Block: &tir.Block{
			Name:  "C",
			Iters: []*tir.IterVar{iter(vi, d.m, tir.Spatial), iter(vj, d.n, tir.Spatial), iter(vk, d.k, tir.Reduce)},
			Body:  &tir.Store{Buffer: c, Indices: at, Value: tir.Add(&tir.Load{Buffer: c, Indices: at}, product)},
		},
	}
	for i := len(axes) - 1; i >= 0; i-- {
		x := axes[i]
		f := &tir.For{Var: vars[x.name], Min: tir.Int(0), Extent: tir.Int(x.extent), Kind: x.kind, Body: s}
		if x.name == "i0" && d.parallel {
			f.Kind = tir.Parallel
		}
		if x.name == "k1" {
			f.Ann = tir.Annotations{}.With("hone.unroll_k", d.unrollK)
		}
		s = f
	}
	root := &tir.BlockRealize{Predicate: tir.True, Block: &tir.Block{Name: "root", Body: s}}
	return &tir.PrimFunc{Name: "main", Params: []tir.Param{a, b, c}, Body: root}
}

// seconds is the simulated time; ok is false if the candidate fails.
func (d decisions) seconds(r *rand.Rand) (s float64, ok bool) {
	accumulators, pressure := float64(d.mr*d.nv), float64(d.mr*d.nv+d.nv+1)/simRegisters
	if pressure > 2 && r.IntN(5) > 0 {
		return 0, false
	}
	efficiency := math.Min(1, accumulators/8) * math.Min(1, 1/(pressure*pressure))
	efficiency *= float64(d.kc) / float64(d.kc+8)         // loads and stores of accumulators
	efficiency *= 1 - 0.05*math.Abs(float64(d.unrollK-2)) // too little, too much
	efficiency *= float64(d.mr) / (float64(d.mr) + 0.7)
	if float64(d.kc*d.nv*simLanes*4) > 16<<10 {
		efficiency *= 0.7 // a panel of B does not stay in L1
	}
	if float64(d.mo*d.kc*4) > 256<<10 {
		efficiency *= 0.8
	}
	if !d.packed {
		efficiency *= 0.75
	}
	cores := 1.0
	if chunks := float64(d.m / d.mo); d.parallel {
		cores = chunks / math.Ceil(chunks/simThreads)
	}
	flop := 2 * float64(d.m) * float64(d.n) * float64(d.k)
	noise := math.Exp(0.03 * r.NormFloat64())
	return flop / (100e9 * efficiency * cores) * noise, true
}

// simulate draws n candidates of one product with features and times.
func simulate(t testing.TB, r *rand.Rand, n int, extents [3]int64) (features [][][]float32, seconds []float64) {
	t.Helper()
	x := feature.NewExtractor(simTarget())
	for range n {
		d := randomDecisions(r, extents[0], extents[1], extents[2])
		rows, err := x.Extract(d.function())
		if err != nil {
			t.Fatal(err)
		}
		s, ok := d.seconds(r)
		if !ok {
			s = math.Inf(1)
		}
		features, seconds = append(features, rows), append(seconds, s)
	}
	return features, seconds
}

func newModel(t testing.TB, change func(*Options)) *Model {
	t.Helper()
	o := DefaultOptions()
	if change != nil {
		change(&o)
	}
	m, err := NewModel(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func update(t testing.TB, m *Model, workload string, features [][][]float32, seconds []float64) Report {
	t.Helper()
	if err := m.Update(workload, features, seconds); err != nil {
		t.Fatal(err)
	}
	return m.Report()
}
