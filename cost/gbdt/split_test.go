package gbdt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// bruteSplit tries every threshold and both directions of missing values on the
// rows themselves and returns the largest gain.
func bruteSplit(p *Params, b *binning, bins []uint8, g, h []float64) float64 {
	score := func(g, h float64) float64 { return g * g / (h + p.Lambda) }
	var tg, th float64
	for i := range g {
		tg, th = tg+g[i], th+h[i]
	}
	best := 0.0
	for cut := range b.upper {
		for _, missingLeft := range []bool{false, true} {
			var lg, lh float64
			ln := 0
			for i := range g {
				if missing := int(bins[i]) == b.nanBin(); missing && missingLeft || !missing && int(bins[i]) <= cut {
					lg, lh, ln = lg+g[i], lh+h[i], ln+1
				}
			}
			if ln < p.MinData || len(g)-ln < p.MinData || lh < p.MinHessian || th-lh < p.MinHessian {
				continue
			}
			best = max(best, score(lg, lh)+score(tg-lg, th-lh)-score(tg, th)-p.MinGain)
		}
	}
	return best
}

func TestBestSplitEqualsBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	found := 0
	for range 300 {
		n := 2 + r.IntN(60)
		v := randomColumn(r, n)
		d := mustDataset(t, v, 1, 2+r.IntN(20))
		p := DefaultParams()
		p.MinData, p.Lambda, p.MinGain = 1+r.IntN(5), r.Float64(), r.Float64()/4
		g, h := make([]float64, n), make([]float64, n)
		for i := range g {
			g[i], h[i] = r.NormFloat64(), r.Float64()
		}
		gr := newGrower(&p, d)
		gr.features = []int{0}
		gr.q = newQuantiser(g, h)
		root := &leaf{hi: n, hist: gr.histogram()}
		for i := range n {
			gr.perm = append(gr.perm, int32(i))
			gr.gh[i] = gr.q.encode(g[i], h[i])
		}
		root.total = gr.total(root)
		f := newFinder(&p, &gr.q, root.total)
		column := d.columns[0]
		copy(gr.ordered, gr.gh)
		var spare window
		accumulate(gr.window(root, 0), &spare, column, column, gr.perm, gr.ordered)
		s := f.best(0, gr.of(root, 0), &d.binnings[0])
		want := bruteSplit(&p, &d.binnings[0], column, g, h)
		got := 0.0
		if s.feature >= 0 {
			got = s.gain - p.MinGain
			found++
		}
		if math.Abs(got-want) > 1e-6*(1+want) {
			t.Fatalf("gain %v, brute force finds %v (%d rows, %+v)", got, want, n, p)
		}
	}
	if found < 100 {
		t.Errorf("only %d of 300 cases had a split", found)
	}
}
