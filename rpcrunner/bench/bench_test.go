package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestMedianInterval(t *testing.T) {
	seq := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[(i*7)%n] = float64(i + 1) // some order
		}
		return v
	}
	// Order statistics of the sign test at 95 %, from published tables.
	for _, c := range []struct {
		n         int
		low, high float64
		coverage  float64
	}{{5, 1, 5, 0.9375}, {6, 1, 6, 0.96875}, {10, 2, 9, 0.978515625}, {20, 6, 15, 0.958610534}} {
		got := MedianInterval(seq(c.n), 0.95)
		if got.Low != c.low || got.High != c.high || math.Abs(got.Coverage-c.coverage) > 1e-9 {
			t.Errorf("n=%d: %+v, want [%g, %g] with %g", c.n, got, c.low, c.high, c.coverage)
		}
	}
	if got := MedianInterval(nil, 0.95); !math.IsNaN(got.Low) {
		t.Errorf("no values: %+v", got)
	}
}

// TestIntervalCovers checks the promise by simulation on a skewed distribution.
// A machine that is fast for a few rounds and slow for the others compares kernels by all
// rounds, not by the one in which both happened to be fast. The series are from a tune.
func TestCompareWhenTheSpeedChanges(t *testing.T) {
	c := []float64{484, 487, 850, 827, 810, 801, 808, 793, 805, 781, 855, 776, 771, 810, 792, 782, 799, 794, 816, 801}
	i := []float64{945, 1257, 1162, 864, 816, 803, 797, 982, 806, 836, 846, 894, 807, 794, 797, 817, 798, 785, 838, 858}
	p := Compare(c, i, 1.3, 0.95)
	if p.Ratio < 0.95 || p.Ratio > 1.01 || p.Low < 0.9 || p.High > 1.02 {
		t.Errorf("%+v", p)
	}
	c[4], i[4] = 480, 940 // a lucky pair
	for k := range i {
		if k != 4 {
			c[k], i[k] = 1.35*c[k], 1.35*i[k]
		}
	}
	if p := Compare(c, i, 1.3, 0.95); p.Ratio < 0.95 {
		t.Errorf("one pair decides: %+v", p)
	}
}

func TestIntervalCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	hits, runs := 0, 4000
	for range runs {
		v := make([]float64, 20)
		for i := range v {
			v[i] = math.Exp(r.NormFloat64())
		}
		if iv := MedianInterval(v, 0.95); iv.Low <= 1 && 1 <= iv.High {
			hits++
		}
	}
	if p := float64(hits) / float64(runs); p < 0.945 {
		t.Errorf("the interval held the median in %.3f of the runs", p)
	}
}

func TestCompareDiscards(t *testing.T) {
	cand := []float64{10, 10, 20, 10, 10, 10, 10, 10}
	inc := []float64{10, 10, 10, 10, 30, 10, 10, 10}
	p := Compare(cand, inc, 1.3, 0.95)
	if p.Ratio != 1 || p.Discarded != 2 || !slices.Equal(p.Kept, []int{0, 1, 3, 5, 6, 7}) || !p.Steady {
		t.Errorf("%+v", p)
	}
	p = Compare([]float64{10, 20, 20, 20}, []float64{20, 10, 20, 20}, 1.3, 0.95)
	if p.Steady || math.IsNaN(p.Ratio) {
		t.Errorf("nothing near both minima: %+v", p)
	}
	if p := Compare(nil, nil, 1.3, 0.95); p.Steady || !math.IsNaN(p.Ratio) {
		t.Errorf("no samples: %+v", p)
	}
}

// recorded reads testdata/rounds.txt: rounds of two copies of one kernel (a, a2) and of
// one with 3.1 % more work (b), recorded on a shared machine.
func recorded(t *testing.T) map[string][]float64 {
	t.Helper()
	text, err := os.ReadFile("testdata/rounds.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]float64{}
	var names []string
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "#":
		case names == nil:
			names = f
		default:
			for i, n := range names {
				v, err := strconv.ParseFloat(f[i], 64)
				if err != nil {
					t.Fatal(err)
				}
				out[n] = append(out[n], v)
			}
		}
	}
	return out
}

func TestRecordedRounds(t *testing.T) {
	rec := recorded(t)
	good, same, n := 0, 0, 0
	for at := 0; at+20 <= len(rec["a"]); at += 20 {
		aa := Compare(rec["a2"][at:at+20], rec["a"][at:at+20], 1.3, 0.95)
		ab := Compare(rec["a"][at:at+20], rec["b"][at:at+20], 1.3, 0.95)
		n++
		if math.Abs(aa.Ratio-1) <= 0.02 {
			same++
		}
		if ab.Ratio < 1 {
			good++
		}
	}
	if n < 10 || same*100 < 95*n || good*100 < 95*n {
		t.Errorf("of %d races: %d A/A within 2 %%, %d A/B in the right order", n, same, good)
	}
}

// machine is a scripted device: true times, slow drift, and bursts of a busy neighbour.
type machine struct {
	times  []float64
	rnd    *rand.Rand
	drift  float64 // amplitude
	busy   float64 // probability that a sample is disturbed
	noise  float64 // of every sample, beside 0.3 %
	calls  int
	at     float64
	fail   int // fail at this call
	hit    int // disturb the first kernel at this call
	rounds []int
	inner  [][]int
}

func (m *machine) Sample(_ context.Context, rounds int, picks []Pick) ([][]float64, error) {
	m.calls++
	if m.calls == m.fail {
		return nil, errors.New("scripted failure")
	}
	m.rounds = append(m.rounds, rounds)
	var in []int
	for _, p := range picks {
		in = append(in, p.Inner)
	}
	m.inner = append(m.inner, in)
	out := make([][]float64, rounds)
	for r := range out {
		out[r] = make([]float64, len(picks))
		for i := range picks { // the executor's order: rotating, every other round backwards
			j := (r + i) % len(picks)
			if r%2 == 1 {
				j = (r + len(picks) - i) % len(picks)
			}
			p := picks[j]
			m.at++
			v := m.times[p.Kernel] * (1 + m.drift*math.Sin(m.at/40) + (0.003+m.noise)*m.rnd.NormFloat64())
			if m.rnd.Float64() < m.busy {
				v *= 1.5 + m.rnd.Float64()
			}
			if m.hit == m.calls && p.Kernel == 0 {
				v *= 3
			}
			out[r][j] = v
		}
	}
	return out, nil
}

func newMachine(times ...float64) *machine {
	return &machine{times: times, rnd: rand.New(rand.NewPCG(3, 4))}
}

func TestScreenStops(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		cand  float64
		stage int
	}{{2.5e6, 1}, {1.3e6, 2}, {1.05e6, 3}, {0.5e6, 3}} {
		m := newMachine(c.cand, 1e6)
		o, err := Default.Screen(ctx, m, Subject{0, 3 * c.cand}, &Incumbent{Subject{1, 1e6}, 1})
		if err != nil || o.Stage != c.stage || len(o.Samples) != len(o.Incumbent) {
			t.Errorf("%g: stage %d, %d samples, %v", c.cand, o.Stage, len(o.Samples), err)
		}
		if math.Abs(o.Paired.Ratio/(c.cand/1e6)-1) > 0.02 {
			t.Errorf("%g: ratio %g", c.cand, o.Paired.Ratio)
		}
		if want := map[int]int{1: 2, 2: 4, 3: 10}[c.stage]; len(o.Samples) != want {
			t.Errorf("%g: %d samples, want %d", c.cand, len(o.Samples), want)
		}
	}
}

// A slow incumbent is a good partner and a bad measure: what is far from the best stops.
// Kernels that take seconds race for as many rounds as an interval needs.
func TestSlowKernelsRaceLongEnough(t *testing.T) {
	m := newMachine(4e9, 4e9)
	o, err := Default.Race(context.Background(), m, []Subject{{0, 4e9}, {1, 4e9}})
	if err != nil || len(o[1].Samples) != minForLevel || o[1].Paired.Coverage < 0.95 {
		t.Errorf("%d rounds, coverage %g, %v", len(o[1].Samples), o[1].Paired.Coverage, err)
	}
}

func TestScreenStopsByTheBest(t *testing.T) {
	for _, c := range []struct {
		cand  float64
		stage int
	}{{1.1e6, 1}, {0.65e6, 2}, {0.52e6, 3}} {
		o, err := Default.Screen(context.Background(), newMachine(c.cand, 1e6), Subject{0, c.cand}, &Incumbent{Subject{1, 1e6}, 0.5})
		if err != nil || o.Stage != c.stage || math.Abs(o.Paired.Ratio/(c.cand/1e6)-1) > 0.02 {
			t.Errorf("%g: stage %d, ratio %g, %v", c.cand, o.Stage, o.Paired.Ratio, err)
		}
	}
}

func TestScreenAloneAndSlow(t *testing.T) {
	m := newMachine(700e6)
	o, err := Default.Screen(context.Background(), m, Subject{0, 900e6}, nil)
	if err != nil || o.Stage != 3 || o.Incumbent != nil || o.Paired.Ratio != 0 || !slices.Equal(m.rounds, []int{1, 3, 3}) {
		t.Errorf("stage %d, rounds %v, %v", o.Stage, m.rounds, err)
	}
}

func TestInnerCounts(t *testing.T) {
	m := newMachine(500, 40e3)
	if _, err := Default.Screen(context.Background(), m, Subject{0, 1000}, &Incumbent{Subject{1, 1e6}, 1}); err != nil {
		t.Fatal(err)
	}
	if m.inner[0][1] != 100 || m.inner[0][0] != 1 || m.inner[1][1] < 195 || m.inner[1][1] > 205 {
		t.Errorf("inner counts %v: a sample must last 100 µs", m.inner)
	}
}

func TestScreenLooksAgainWhenDisturbed(t *testing.T) {
	m := newMachine(1e6, 1e6)
	m.busy = 0.6
	o, err := Default.Screen(context.Background(), m, Subject{0, 1e6}, &Incumbent{Subject{1, 1e6}, 1})
	if err != nil || len(m.rounds) != 7 || o.Stage != 3 {
		t.Errorf("rounds %v, stage %d, %v", m.rounds, o.Stage, err)
	}
}

// TestDoubtlesslySlowerIsSettled: where noise leaves an interval wide, only what may be
// the best is looked at again.
func TestDoubtlesslySlowerIsSettled(t *testing.T) {
	for _, c := range []struct {
		cand    float64
		samples int
	}{{1.12e6, 16}, {0.98e6, 34}} {
		m := newMachine(c.cand, 1e6)
		m.noise = 0.03
		o, err := Default.Screen(context.Background(), m, Subject{0, c.cand}, &Incumbent{Subject{1, 1e6}, 1})
		if err != nil || o.Stage != 3 || len(o.Samples) != c.samples {
			t.Errorf("%g: stage %d, %d samples, want %d, %v", c.cand, o.Stage, len(o.Samples), c.samples, err)
		}
	}
}

// A race goes on while two kernels may be equal or not, and no longer.
func TestRacesGoOnWhileOpen(t *testing.T) {
	for _, c := range []struct {
		first, other, noise float64
		samples             int
	}{{1e6, 1e6, 0, 20}, {1e6, 1e6, 0.04, 220}, {4e6, 4e6, 0.04, 60}, {1e6, 1.2e6, 0.04, 20}} {
		m := newMachine(c.first, c.other)
		m.noise = c.noise
		o, err := Default.Race(context.Background(), m, []Subject{{0, c.first}, {1, c.other}})
		if err != nil || len(o[1].Samples) != c.samples || len(o[1].Incumbent) != c.samples {
			t.Errorf("%+v: %d samples, %v", c, len(o[1].Samples), err)
		}
	}
}

// TestRacesGoOnForThoseInDoubt: who is clearly slower than the first, or than another, has
// its verdict; its pairs are those of its own rounds.
func TestRacesGoOnForThoseInDoubt(t *testing.T) {
	m := newMachine(4e6, 4e6, 4.8e6)
	m.noise = 0.04
	o, err := Default.Race(context.Background(), m, []Subject{{0, 4e6}, {1, 4e6}, {2, 4.8e6}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{60, 60, 20} {
		if len(o[i].Samples) != want || i > 0 && len(o[i].Incumbent) != want {
			t.Errorf("subject %d: %d samples beside %d, want %d", i, len(o[i].Samples), len(o[i].Incumbent), want)
		}
	}
	if r := o[2].Paired.Ratio; math.Abs(r-1.2) > 0.04 {
		t.Errorf("ratio %g of a kernel that takes 1.2 times as long", r)
	}
	behind := []Outcome{{}, {Paired: Paired{Interval: Interval{Low: 0.98, High: 1.05}}}, {Paired: Paired{Interval: Interval{Low: 0.90, High: 0.92}}}}
	if in := Default.undecided(behind); len(in) != 1 {
		t.Errorf("%v go on though subject 2 has won", in)
	}
}

// TestOneDisturbedSampleDecidesNothing hits the first sample of an equal candidate.
func TestOneDisturbedSampleDecidesNothing(t *testing.T) {
	m := newMachine(1e6, 1e6)
	m.hit = 1
	o, err := Default.Screen(context.Background(), m, Subject{0, 1e6}, &Incumbent{Subject{1, 1e6}, 1})
	if err != nil || o.Stage != 3 || math.Abs(o.Paired.Ratio-1) > 0.02 || len(o.Samples) != 11 {
		t.Errorf("stage %d, ratio %g, %d samples, %v", o.Stage, o.Paired.Ratio, len(o.Samples), err)
	}
}

func TestScreenReportsTheStageItFailedIn(t *testing.T) {
	for fail, stage := range map[int]int{1: 1, 2: 1, 3: 2} {
		m := newMachine(1e6, 1e6)
		m.fail = fail
		if o, err := Default.Screen(context.Background(), m, Subject{0, 1e6}, &Incumbent{Subject{1, 1e6}, 1}); err == nil || o.Stage != stage {
			t.Errorf("failure at call %d: stage %d, %v", fail, o.Stage, err)
		}
	}
}

// TestRaceUnderDrift is the promise behind promotion: with 10 % drift and a disturbed
// sample in twenty, equal kernels are within 2 % in 95 % of races and are almost never
// called faster; a kernel 3 % faster is.
func TestRaceUnderDrift(t *testing.T) {
	ctx := context.Background()
	same, falseGain, found := 0, 0, 0
	const races = 300
	for i := range races {
		m := newMachine(1e6, 1e6, 0.97e6)
		m.rnd = rand.New(rand.NewPCG(uint64(i), 9))
		m.drift, m.busy, m.at = 0.1, 0.05, float64(i)*17
		o, err := Default.Race(ctx, m, []Subject{{0, 1e6}, {1, 1e6}, {2, 1e6}})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(o[1].Paired.Ratio-1) <= 0.02 {
			same++
		}
		if o[1].Paired.High < 1 {
			falseGain++
		}
		if o[2].Paired.High < 1 {
			found++
		}
	}
	if same*100 < 95*races || falseGain*100 > 4*races || found*100 < 90*races {
		t.Errorf("of %d races: %d equal within 2 %%, %d false gains, %d gains of 3 %% found", races, same, falseGain, found)
	}
}

func TestDriftAndHealth(t *testing.T) {
	if d := Drift([]float64{100, 103, 80}); math.Abs(d-0.2875) > 1e-9 {
		t.Errorf("drift %g", d)
	}
	var h Health
	for range 10 {
		if err := h.Reference(100); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 { // a throttled board must not become normal
		if err := h.Reference(180); err == nil {
			t.Fatal("180 of 100 passed")
		}
	}
	if err := h.Reference(110); err != nil {
		t.Error(err)
	}
	for i := range 15 {
		if err := h.Candidate(false); err != nil {
			t.Errorf("failure %d: %v", i, err)
		}
	}
	if err := h.Candidate(false); err == nil {
		t.Error("16 failures in a row passed")
	}
	if err := h.Candidate(true); err != nil || h.Candidate(false) != nil {
		t.Error("a success ends the row")
	}
}

func ExampleCompare() {
	p := Compare([]float64{9, 9, 9, 9, 9, 9}, []float64{10, 10, 10, 10, 10, 10}, 1.3, 0.95)
	fmt.Println(p.Ratio, p.High < 1)
	// Output: 0.9 true
}
