package tuner

import (
	"fmt"
	"math"

	"hone/compiler/tir"
	"hone/internal/rng"
	"hone/tuner/preset"
	"hone/tuner/search"
	"hone/tuner/task"
)

// Session is a job's search. It is not safe for concurrent use.
type Session struct {
	spec    Spec
	model   Model
	preset  preset.Preset
	engines []*search.Engine
	batch   int

	trials   []Trial
	outcomes []Outcome // in acceptance order
	zeros    int       // trials of the first round
	accepted map[int]bool
	made     map[[32]byte]*tir.PrimFunc // functions proposed and not admitted yet
	moved    map[int][]search.Candidate // repaired transfers of a task, once asked for

	fitted    Predictor // of the first fittedAt outcomes
	fittedAt  int
	predicted bool
}

// New starts a session. Design spaces are generated at once, so that a workload
// without one is an error here and not in the middle of a job.
func New(spec Spec, m Model) (*Session, error) {
	if err := spec.validate(); err != nil {
		return nil, err
	}
	if spec.Preset == "" {
		spec.Preset = "cpu"
	}
	p, err := preset.Lookup(spec.Preset)
	if err != nil {
		return nil, err
	}
	s := &Session{spec: spec, model: m, preset: p, accepted: map[int]bool{}, made: map[[32]byte]*tir.PrimFunc{}, moved: map[int][]search.Candidate{}, batch: spec.Batch}
	if s.batch == 0 {
		s.batch = min(task.Batch(spec.Trials, len(spec.Tasks)), 16)
	}
	for _, t := range spec.Tasks {
		e, err := search.NewEngine(t.Func, p, spec.Target)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.Name, err)
		}
		s.engines = append(s.engines, e)
	}
	return s, nil
}

// Admit appends a trial that is in the ledger: one proposed just now or, when a
// session is rebuilt, before. Seq must be the next one.
func (s *Session) Admit(t Trial) error {
	if t.Seq != len(s.trials) || t.Task < 0 || t.Task >= len(s.engines) {
		return fmt.Errorf("trial %d of task %d does not continue a ledger of %d", t.Seq, t.Task, len(s.trials))
	}
	if t.Func == nil {
		t.Func = s.made[t.Hash]
	}
	if t.Func == nil {
		c, err := s.engines[t.Task].Replay(t.Trace)
		if err != nil {
			return fmt.Errorf("trial %d of the ledger: %w", t.Seq, err)
		}
		t.Func, t.Hash = c.Func, c.Hash
	}
	delete(s.made, t.Hash)
	s.trials = append(s.trials, t)
	if t.Round == 0 {
		s.zeros = len(s.trials)
	}
	return nil
}

// Accept records how a trial ended. The first outcome of a trial counts.
func (s *Session) Accept(o Outcome) error {
	if o.Seq < 0 || o.Seq >= len(s.trials) {
		return fmt.Errorf("outcome of trial %d, of which there are %d", o.Seq, len(s.trials))
	}
	if !s.accepted[o.Seq] {
		s.accepted[o.Seq] = true
		s.outcomes = append(s.outcomes, o)
	}
	return nil
}

// view is what the next proposal may know: the outcomes accepted before a fixed
// point, so that a slow or a fast device proposes the same.
type view struct {
	outcomes []Outcome
	budget   int
}

// maxAhead is how many trials may be under way when the next round is proposed, a larger
// batch apart: two items for whoever builds and two for whoever measures. With less they
// take turns instead of working side by side.
const maxAhead = 16

// ahead is how many trials may be under way when the next round is proposed: a batch at
// least, and more where they are of other tasks, since a round learns most from the
// outcomes of its own.
func (s *Session) ahead() int {
	return max(s.batch, min(maxAhead, s.batch*len(s.spec.Tasks)/2))
}

// horizon says how many outcomes the next round depends on and how many trials
// are left then. Tasks are weighed by their defaults, so all but a batch of those come
// first; only the end of the budget waits for all.
func (s *Session) horizon() (need, left int) {
	need = max(0, len(s.trials)-s.ahead(), s.zeros-s.batch)
	if need <= len(s.outcomes) {
		if left = s.left(s.outcomes[:need]); left > 0 {
			return need, left
		}
	}
	if s.left(s.outcomes[:min(need, len(s.outcomes))]) > 0 {
		return need, 0
	}
	need = len(s.trials)
	if need <= len(s.outcomes) {
		left = s.left(s.outcomes)
	}
	return need, left
}

// left is the budget minus what is charged and what is not decided yet.
func (s *Session) left(known []Outcome) int {
	free := 0
	for _, o := range known {
		if !o.Charged {
			free++
		}
	}
	return s.spec.Trials - (len(s.trials) - free)
}

// Ready reports whether the next round can be proposed now. When it is false
// and Done is too, outcomes are missing.
func (s *Session) Ready() bool {
	need, left := s.horizon()
	return need <= len(s.outcomes) && left > 0
}

// Done reports whether the budget is spent and all outcomes are here.
func (s *Session) Done() bool {
	_, left := s.horizon()
	return len(s.trials) > 0 && len(s.outcomes) == len(s.trials) && left <= 0
}

// Charged is how much of the budget is spent.
func (s *Session) Charged() int {
	n := 0
	for _, o := range s.outcomes {
		if o.Charged {
			n++
		}
	}
	return n
}

// Propose returns the next round, nothing when there is none yet or ever. It
// changes nothing: the caller writes the trials to the ledger and admits them.
func (s *Session) Propose() ([]Trial, error) {
	if !s.Ready() {
		return nil, nil
	}
	need, left := s.horizon()
	v := view{s.outcomes[:need], left}
	if len(s.trials) == 0 {
		return s.candidatesZero(v)
	}
	exhausted := map[int]bool{}
	for {
		i := task.Next(s.states(v, exhausted))
		if i < 0 {
			return nil, nil
		}
		if out := s.proposeFor(i, v); len(out) > 0 {
			return out, nil
		}
		exhausted[i] = true
	}
}

func (s *Session) candidatesZero(v view) ([]Trial, error) {
	var out []Trial
	for i, e := range s.engines {
		if len(out) >= v.budget {
			break
		}
		c, err := e.Default()
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", s.spec.Tasks[i].Name, err)
		}
		out = append(out, s.trial(len(out), i, 0, c))
		for _, seed := range s.spec.Tasks[i].Seeds {
			c, err := e.Replay(seed)
			if err == nil && len(out) < v.budget && c.Hash != out[len(out)-1].Hash {
				c.Origin = search.OriginSeed
				out = append(out, s.trial(len(out), i, 0, c))
			}
		}
	}
	return out, nil
}

// trial makes the n-th trial of a round.
func (s *Session) trial(n, i, round int, c search.Candidate) Trial {
	s.made[c.Hash] = c.Func
	return Trial{Seq: len(s.trials) + n, Task: i, Round: round, Trace: c.Trace, Hash: c.Hash, Origin: c.Origin, Score: c.Score, Func: c.Func}
}

// round is the number of the next round.
func (s *Session) round() int { return s.trials[len(s.trials)-1].Round + 1 }

// proposeFor asks the task's engine for a batch.
func (s *Session) proposeFor(i int, v view) []Trial {
	seen := map[[32]byte]bool{}
	first := true // no round of its own yet
	for _, t := range s.trials {
		if t.Task == i {
			seen[t.Hash] = true
			first = first && t.Round == 0
		}
	}
	round := s.round()
	r := search.Round{
		N:        min(s.batch, v.budget),
		Measured: s.measured(i, v),
		Seen:     func(h [32]byte) bool { return seen[h] },
		Rand:     rng.New(s.spec.Seed, "search", s.spec.Tasks[i].ID, round),
		Polish:   5*v.budget <= s.spec.Trials && round%2 == 0,
		Random:   s.spec.Random,
	}
	if first {
		r.Transferred = s.transferred(i)
	}
	if p := s.predictor(v); p != nil {
		id := s.spec.Tasks[i].ID
		r.Predict = func(cs []*search.Candidate) []float64 {
			fs := make([]*tir.PrimFunc, len(cs))
			for k, c := range cs {
				fs[k] = c.Func
			}
			return p.Predict(id, fs)
		}
	}
	var out []Trial
	for _, c := range s.engines[i].Propose(r) {
		out = append(out, s.trial(len(out), i, round, c))
	}
	return out
}

// transferred repairs the traces that other workloads lend to a task.
func (s *Session) transferred(i int) []search.Candidate {
	if out, ok := s.moved[i]; ok {
		return out
	}
	var out []search.Candidate
	for k, t := range s.spec.Tasks[i].Transfer {
		c, err := s.engines[i].Transfer(t, rng.New(s.spec.Seed, "transfer", s.spec.Tasks[i].ID, k))
		if err == nil {
			out = append(out, c)
		}
	}
	s.moved[i] = out
	return out
}

func (s *Session) measured(i int, v view) []search.Measured {
	var out []search.Measured
	for _, o := range v.outcomes {
		if t := &s.trials[o.Seq]; t.Task == i {
			out = append(out, search.Measured{Trace: t.Trace, Hash: t.Hash, NS: o.NS})
		}
	}
	return out
}

// fitPoints are the sample counts at which a model is trained: 32, then a
// quarter more each time. They depend on nothing, so a rebuilt session uses the
// same models.
func fitPoint(n int) int {
	p := 32
	if n < p {
		return 0
	}
	for p+p/4 <= n {
		p += p / 4
	}
	return p
}

func (s *Session) predictor(v view) Predictor {
	at := fitPoint(len(v.outcomes))
	if s.model == nil || s.spec.Random {
		return nil
	}
	if !s.predicted || s.fittedAt != at {
		s.fitted, s.fittedAt, s.predicted = s.model.Fit(s.samples(v.outcomes[:at])), at, true
	}
	return s.fitted
}

// Samples are all that was measured, as models learn it.
func (s *Session) Samples() []Sample { return s.samples(s.outcomes) }

func (s *Session) samples(outcomes []Outcome) []Sample {
	var out []Sample
	for _, o := range outcomes {
		if !o.Charged { // what devices did to a candidate says nothing about it
			continue
		}
		t := &s.trials[o.Seq]
		out = append(out, Sample{Task: s.spec.Tasks[t.Task].ID, Func: t.Func, NS: o.NS})
	}
	return out
}

// states summarises the view for the choice of the next task.
func (s *Session) states(v view, exhausted map[int]bool) []task.State {
	out := make([]task.State, len(s.spec.Tasks))
	best := make([]float64, len(out))
	rounds := make([]map[int]float64, len(out))
	for i, t := range s.spec.Tasks {
		out[i] = task.State{Weight: t.Weight, Bound: t.Bound, Exhausted: exhausted[i]}
		best[i], rounds[i] = math.Inf(1), map[int]float64{}
	}
	for _, o := range v.outcomes {
		t := &s.trials[o.Seq]
		if o.NS <= 0 {
			continue
		}
		if s.isZero(t) {
			out[t.Task].Default = o.NS
		}
		if old, ok := rounds[t.Task][t.Round]; !ok || o.NS < old {
			rounds[t.Task][t.Round] = o.NS
		}
	}
	last := make([]int, len(out))
	for i := range last {
		last[i] = -1
	}
	for k := range s.trials {
		t := &s.trials[k]
		out[t.Task].Trials++
		if t.Round == last[t.Task] {
			continue
		}
		last[t.Task] = t.Round
		if ns, ok := rounds[t.Task][t.Round]; ok {
			best[t.Task] = min(best[t.Task], ns)
		}
		out[t.Task].History = append(out[t.Task].History, best[t.Task])
	}
	s.dropDominated(out)
	return out
}

// isZero reports whether a trial is its task's candidate zero: the first one.
func (s *Session) isZero(t *Trial) bool {
	for k := t.Seq - 1; k >= 0; k-- {
		if s.trials[k].Task == t.Task {
			return false
		}
	}
	return true
}

// Progress is what is known of one task now, every accepted outcome included.
type Progress struct {
	Task    Task
	Default float64 // ns of candidate zero, 0 when it failed or is not measured
	Best    float64 // ns, 0 when nothing was right yet
	BestSeq int     // trial of Best, -1 when there is none
	Trials  int
	Failed  int
}

// Progress reports every task.
func (s *Session) Progress() []Progress {
	out := make([]Progress, len(s.spec.Tasks))
	for i, t := range s.spec.Tasks {
		out[i] = Progress{Task: t, BestSeq: -1}
	}
	for _, o := range s.outcomes {
		t := &s.trials[o.Seq]
		p := &out[t.Task]
		p.Trials++
		if o.NS <= 0 {
			p.Failed++
			continue
		}
		if s.isZero(t) {
			p.Default = o.NS
		}
		if p.BestSeq < 0 || o.NS < p.Best {
			p.Best, p.BestSeq = o.NS, t.Seq
		}
	}
	return out
}

// Trials is the ledger so far; do not edit it.
func (s *Session) Trials() []Trial { return s.trials[:len(s.trials):len(s.trials)] }

// Notes are what the rules have to say to the user about the tasks' design
// spaces, such as a schedule rule that a block asks for and nobody knows.
func (s *Session) Notes() []string {
	var out []string
	for i, e := range s.engines {
		for _, n := range e.Notes {
			out = append(out, s.spec.Tasks[i].Name+": "+n)
		}
	}
	return out
}
