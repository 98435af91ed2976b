package search_test

import (
	"errors"
	"reflect"
	"testing"

	"hone/bench/workload"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/internal/rng"
	"hone/tuner/search"
	"hone/tuner/tunertest"
)

// pairs are functions of one structure and different extents.
var pairs = map[string][2]func() *tir.PrimFunc{
	"matmul":    {func() *tir.PrimFunc { return workload.Matmul(48, 64, 96) }, func() *tir.PrimFunc { return workload.Matmul(20, 56, 35) }},
	"conv":      {func() *tir.PrimFunc { return workload.Conv(12, 12, 16, 16, 3, 8) }, func() *tir.PrimFunc { return workload.Conv(7, 9, 32, 24, 3, 8) }},
	"depthwise": {func() *tir.PrimFunc { return workload.Depthwise(16, 16, 32, 3, 8) }, func() *tir.PrimFunc { return workload.Depthwise(9, 11, 16, 3, 8) }},
}

// TestTransfer moves candidates between functions of one structure: most fit, all
// that do are programs of the other function, and one that comes home is what it was.
func TestTransfer(t *testing.T) {
	for name, pair := range pairs {
		for _, preset := range []string{"cpu", "cpu-parity"} {
			t.Run(name+"/"+preset, func(t *testing.T) {
				from, to := engineOf(t, pair[0](), preset), engineOf(t, pair[1](), preset)
				oracle := tunertest.NewOracle(t, to.Func)
				const n = 40
				moved := 0
				for i, c := range from.Samples(n, rng.New(5, name)) {
					same, err := from.Transfer(c.Trace, rng.New(6, i))
					if err != nil || same.Hash != c.Hash {
						t.Fatalf("a candidate moved to its own function is another one (%v)", err)
					}
					m, err := to.Transfer(c.Trace, rng.New(6, i))
					if err != nil {
						continue
					}
					moved++
					if m.Origin != search.OriginTransferred {
						t.Errorf("origin %q", m.Origin)
					}
					if i < 4 {
						oracle.Scheduled(t, name, m.Func)
					}
				}
				if moved < n*9/10 {
					t.Errorf("%d of %d candidates could be moved", moved, n)
				}
			})
		}
	}
}

// TestTransferKeepsDecisions looks at what became of them: register tiles are the
// same, factors are near and divide.
func TestTransferKeepsDecisions(t *testing.T) {
	from, to := engineOf(t, workload.Matmul(512, 512, 512), "cpu"), engineOf(t, workload.Matmul(384, 768, 768), "cpu")
	c, err := from.Default()
	if err != nil {
		t.Fatal(err)
	}
	m, err := to.Transfer(c.Trace, rng.New(1, "x"))
	if err != nil {
		t.Fatal(err)
	}
	for i, inst := range m.Trace.WithoutPostproc().Insts {
		got, was := m.Trace.Decisions[i], c.Trace.Decisions[i]
		if inst.Kind.Name == "SampleCategorical" {
			old := c.Trace.Insts[i].Attrs[0].([]any)[was.(int64)]
			if now := inst.Attrs[0].([]any)[got.(int64)]; now != old {
				t.Errorf("instruction %d: choice %v became %v", i, old, now)
			}
		}
		if inst.Kind.Name == "SamplePerfectTile" && len(got.([]int64)) != len(was.([]int64)) {
			t.Errorf("instruction %d: tile %v became %v", i, was, got)
		}
	}
}

// TestTransferRefuses other structures.
func TestTransferRefuses(t *testing.T) {
	e := engine(t, "matmul", "cpu")
	for name, tr := range map[string]trace.Trace{"empty": {}, "conv": engine(t, "conv", "cpu").Samples(1, rng.New(1, "x"))[0].Trace} {
		if _, err := e.Transfer(tr, rng.New(1, "x")); !errors.Is(err, search.ErrNoSketch) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestProposeTransferred puts what was transferred first, up to half of a round,
// and asks for nothing twice.
func TestProposeTransferred(t *testing.T) {
	e := engine(t, "matmul", "cpu")
	moved := e.Samples(6, rng.New(3, "donors"))
	r := search.Round{N: 8, Rand: rng.New(4, "round"), Transferred: moved, Seen: func(h [32]byte) bool { return h == moved[0].Hash }}
	for _, learnt := range []bool{false, true} {
		if learnt {
			r.Predict = predict(landscape(t, e, 9))
		}
		out := e.Propose(r)
		if len(out) != 8 {
			t.Fatalf("%d candidates", len(out))
		}
		have := map[[32]byte]bool{}
		for i, c := range out {
			if i < 4 && c.Hash != moved[i+1].Hash {
				t.Errorf("candidate %d is not the transferred one", i)
			}
			if have[c.Hash] || c.Hash == moved[0].Hash {
				t.Errorf("candidate %d was seen", i)
			}
			have[c.Hash] = true
		}
	}
}

// TestRandomRounds know nothing: what was measured and a predictor change nothing.
func TestRandomRounds(t *testing.T) {
	e := engine(t, "matmul", "cpu")
	hashes := func(r search.Round) (out [][32]byte) {
		r.N, r.Random, r.Rand = 8, true, rng.New(4, "round")
		for _, c := range e.Propose(r) {
			if c.Origin != search.OriginRandom {
				t.Errorf("origin %q", c.Origin)
			}
			out = append(out, c.Hash)
		}
		return out
	}
	c := e.Samples(1, rng.New(8, "x"))[0]
	with := search.Round{Measured: []search.Measured{{Trace: c.Trace, Hash: c.Hash, NS: 1}}, Predict: predict(landscape(t, e, 9))}
	if a, b := hashes(search.Round{}), hashes(with); len(a) != 8 || !reflect.DeepEqual(a, b) {
		t.Errorf("%d and %d candidates differ", len(a), len(b))
	}
}
