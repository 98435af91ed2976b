package bench

import (
	"context"
	"math"
	"slices"
)

// Pick asks for samples of a kernel, each the mean of Inner back-to-back calls.
type Pick struct {
	Kernel int
	Inner  int
}

// Sampler takes interleaved samples: the result is [round][pick] in nanoseconds per call.
type Sampler interface {
	Sample(ctx context.Context, rounds int, picks []Pick) ([][]float64, error)
}

// Config holds the thresholds of the ladder. Changing one changes the protocol version.
type Config struct {
	MinSample   float64 // nanoseconds one sample lasts at least
	Stage1Ratio float64 // a candidate slower than this many times the best stops after one run
	Stage2Ratio float64 // … after three runs
	Stage2Runs  int
	Rounds      int     // of stage 3, at each look
	RaceRounds  int     // of stage 4, at each look
	MinRounds   int     // when the kernels are so slow that the budget does not allow Rounds
	Budget      float64 // nanoseconds stages 3 and 4 may take per kernel
	Slack       float64 // a sample beyond this many times the fastest of its window is discarded
	Level       float64 // of the confidence intervals
	Width       float64 // of a settled interval, relative to the ratio
	Looks       int     // how often stage 3 goes on when its result is not settled
	RaceWidth   float64 // of the interval of a race that found no difference
	RaceLooks   int     // how often a race goes on that found neither a difference nor that there is none …
	RaceTime    float64 // … and beyond that while it took less than this for a kernel, in nanoseconds, …
	MaxLooks    int     // … up to so often
	MaxDrift    float64 // of the reference kernel around a batch; beyond it the batch is measured again
	GiveUpDrift float64 // … and when the second time drifts beyond this, the times are not believed
}

// Default is measuring protocol 3.
var Default = Config{
	MinSample: 100e3, Stage1Ratio: 2, Stage2Ratio: 1.15, Stage2Runs: 3, Rounds: 6, RaceRounds: 20, MinRounds: 3,
	Budget: 2e9, Slack: 1.3, Level: 0.95, Width: 0.04, Looks: 4, RaceWidth: 0.02, RaceLooks: 2, RaceTime: 0.2e9, MaxLooks: 10, MaxDrift: 0.30, GiveUpDrift: 1.5,
}

// Subject is a kernel to be timed, with what is known of its time (nanoseconds per call;
// the checked first run will do).
type Subject struct {
	Kernel   int
	Estimate float64
}

// Incumbent is the kernel a candidate is paired with. Best is the fastest time known as a
// share of the incumbent's: what a candidate must come near to be worth more samples.
type Incumbent struct {
	Subject
	Best float64
}

// Outcome of timing one candidate. Samples and Incumbent are the rounds in time order,
// paired where both are present.
type Outcome struct {
	Stage     int
	Samples   []float64
	Incumbent []float64
	NS        float64 // fastest kept sample
	Paired    Paired  // of the last stage that took pairs
}

// inner is the number of calls that make a sample of n nanoseconds per call long enough.
func (c Config) inner(ns float64) int {
	if !(ns > 0) {
		return 1
	}
	return int(math.Min(1<<16, math.Max(1, math.Ceil(c.MinSample/ns))))
}

// Screen takes a candidate up the ladder as far as it deserves. Every sample is taken
// beside one of the incumbent, in the same moment, so that drift cancels. Without an
// incumbent all stages are run alone.
func (c Config) Screen(ctx context.Context, s Sampler, candidate Subject, incumbent *Incumbent) (Outcome, error) {
	w := window{c: c, s: s, subjects: []Subject{candidate}, best: 1}
	if incumbent != nil {
		w.subjects, w.best = append(w.subjects, incumbent.Subject), incumbent.Best
	}
	o := Outcome{Stage: 1}
	if err := w.take(ctx, 1); err != nil {
		return o, err
	}
	if r := w.bestRatio(); r > c.Stage1Ratio && r < 2*c.Stage1Ratio { // one disturbed sample must not decide
		if err := w.take(ctx, 1); err != nil {
			return w.outcome(1, 0), err
		}
	}
	if w.bestRatio() > c.Stage1Ratio {
		return w.outcome(1, 0), nil
	}
	if err := w.take(ctx, c.Stage2Runs); err != nil {
		return w.outcome(1, 0), err
	}
	if w.bestRatio() > c.Stage2Ratio {
		return w.outcome(2, 0), nil
	}
	from := len(w.series[0])
	rounds := c.affordable(c.Rounds, w.series)
	if err := w.take(ctx, rounds); err != nil {
		return w.outcome(2, 0), err
	}
	o = w.outcome(3, from)
	for look := 0; look < c.Looks && incumbent != nil && !o.Paired.settled(c.Width, incumbent.Best); look++ { // a neighbour is busy: look again before believing
		if err := w.take(ctx, rounds); err != nil {
			return o, err
		}
		o = w.outcome(3, from)
	}
	return o, nil
}

// Race interleaves all subjects round-robin. Subject 0 is the incumbent, or the one the
// others are compared with; the outcomes come in the order of the subjects, the first
// without pairs. Later looks are for those whose part in the decision is open.
func (c Config) Race(ctx context.Context, s Sampler, subjects []Subject) ([]Outcome, error) {
	w := window{c: c, s: s, subjects: subjects}
	if err := w.take(ctx, 1); err != nil { // settles the inner counts; warms up
		return nil, err
	}
	rounds := max(c.affordable(c.RaceRounds, w.series), minForLevel)
	w.series = nil
	for look := 0; ; look++ {
		if err := w.take(ctx, rounds); err != nil {
			return nil, err
		}
		out := w.standings()
		w.in = c.undecided(out)
		if len(w.in) == 1 || look >= c.RaceLooks && (look == c.MaxLooks || c.took(w.series[0]) > c.RaceTime) {
			return out, nil
		}
	}
}

// took is about how long a series took.
func (c Config) took(series []float64) float64 {
	sum := 0.0
	for _, v := range series {
		sum += math.Max(v, c.MinSample)
	}
	return sum
}

// undecided lists the subjects that go on: the first one, and those that may be equal to
// it or not and are not clearly behind another.
func (c Config) undecided(out []Outcome) []int {
	in := []int{0}
	best := math.Inf(1) // what the fastest takes at most, as a share of the first one's time
	for _, o := range out[1:] {
		best = math.Min(best, o.Paired.High)
	}
	for i, o := range out {
		if i > 0 && o.Paired.open(c.RaceWidth) && o.Paired.Low <= best {
			in = append(in, i)
		}
	}
	return in
}

// standings are the outcomes of all subjects beside the first.
func (w *window) standings() []Outcome {
	c := w.c
	out := make([]Outcome, len(w.subjects))
	for i := range w.subjects {
		out[i] = Outcome{Stage: 4, Samples: w.series[i]}
		out[i].NS = slices.Min(w.series[i])
		if i > 0 {
			out[i].Incumbent = w.series[0][:len(w.series[i])]
			out[i].Paired = Compare(w.series[i], w.series[0], c.Slack, c.Level)
		}
	}
	return out
}

// affordable cuts the rounds to the time budget, down to MinRounds.
func (c Config) affordable(rounds int, series [][]float64) int {
	perRound := 0.0
	for _, s := range series {
		perRound += math.Max(slices.Min(s), c.MinSample)
	}
	budget := c.Budget * float64(len(series))
	if most := int(budget / perRound); most < rounds {
		return max(most, c.MinRounds)
	}
	return rounds
}

// window collects the interleaved series of some subjects.
type window struct {
	c        Config
	s        Sampler
	subjects []Subject
	best     float64     // the fastest time known as a share of the incumbent's
	series   [][]float64 // [subject][round]
	in       []int       // subjects that are sampled; nil: all
}

// take adds rounds of samples; what they show sharpens the estimates behind the inner
// counts.
func (w *window) take(ctx context.Context, rounds int) error {
	if w.series == nil {
		w.series = make([][]float64, len(w.subjects))
	}
	in := w.in
	if in == nil {
		for i := range w.subjects {
			in = append(in, i)
		}
	}
	n := len(in)
	picks := make([]Pick, n) // the candidate last: whoever comes first pays for what the machine did before
	for k, i := range in {
		s := &w.subjects[i]
		picks[n-1-k] = Pick{Kernel: s.Kernel, Inner: w.c.inner(s.Estimate)}
	}
	got, err := w.s.Sample(ctx, rounds, picks)
	if err != nil {
		return err
	}
	for _, round := range got {
		for k, v := range round {
			i := in[n-1-k]
			w.series[i] = append(w.series[i], v)
		}
	}
	for _, i := range in {
		w.subjects[i].Estimate = slices.Min(w.series[i])
	}
	return nil
}

// bestRatio is the most favourable view of the candidate so far beside the best one known:
// the smaller of the ratio of the fastest times and the smallest paired ratio. Without an
// incumbent it is 0.
func (w *window) bestRatio() float64 {
	if len(w.series) < 2 {
		return 0
	}
	best := slices.Min(w.series[0]) / slices.Min(w.series[1])
	for i := range w.series[0] {
		best = min(best, w.series[0][i]/w.series[1][i])
	}
	return best / w.best
}

// outcome describes the candidate after a stage; pairs count from round `from` on.
func (w *window) outcome(stage, from int) Outcome {
	o := Outcome{Stage: stage, Samples: w.series[0], NS: slices.Min(w.series[0])}
	if len(w.series) > 1 {
		o.Incumbent = w.series[1]
		o.Paired = Compare(w.series[0][from:], w.series[1][from:], w.c.Slack, w.c.Level)
	}
	return o
}
