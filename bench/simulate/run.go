package simulate

import (
	"fmt"

	"hone/compiler/trace"
	"hone/cost/feature"
	"hone/tuner"
	"hone/tuner/preset"
	"hone/tuner/search"
)

// Candidates makes the entries of a log into programs: stale counts those whose
// program is another one today, because rules or postprocessors have changed since;
// they are left out, as are those that cannot be made any more.
func Candidates(l *Log) (out []Candidate, stale int, err error) {
	f, err := l.Func()
	if err != nil {
		return nil, 0, err
	}
	engines := map[string]*search.Engine{}
	x := feature.NewExtractor(l.Target)
	for i := range l.Entries {
		e := &l.Entries[i]
		eng := engines[e.Preset]
		if eng == nil {
			p, err := preset.Lookup(e.Preset)
			if err != nil {
				return nil, 0, fmt.Errorf("log %s: %w", l.Name, err)
			}
			if eng, err = search.NewEngine(f, p, l.Target); err != nil {
				return nil, 0, fmt.Errorf("log %s: %w", l.Name, err)
			}
			engines[e.Preset] = eng
		}
		t, err := l.Trace(e)
		if err != nil {
			return nil, 0, err
		}
		c, err := eng.Complete(t)
		if err != nil || Key(c.Hash) != e.Hash {
			stale++
			continue
		}
		rows, err := x.Extract(c.Func)
		if err != nil {
			return nil, 0, fmt.Errorf("log %s: candidate %s: %w", l.Name, e.Hash, err)
		}
		out = append(out, Candidate{Entry: *e, Func: c.Func, Rows: rows})
	}
	return out, stale, nil
}

// Curve is how a search went.
type Curve struct {
	Hashes [][32]byte // of the trials, in order of proposal
	Best   []float64  // least time in ns after each charged trial, 0 before any was right
}

// To is how many trials it took to a time, 0 when it never came there.
func (c Curve) To(ns float64) int {
	for i, b := range c.Best {
		if b > 0 && b <= ns {
			return i + 1
		}
	}
	return 0
}

// Run searches until the budget is spent. Every batch is measured before the next
// one is proposed.
func Run(spec tuner.Spec, m tuner.Model, fleet Fleet) (Curve, error) {
	var c Curve
	s, err := tuner.New(spec, m)
	if err != nil {
		return c, err
	}
	best := 0.0
	for !s.Done() {
		batch, err := s.Propose()
		if err != nil || len(batch) == 0 {
			return c, err
		}
		for _, t := range batch {
			if err := s.Admit(t); err != nil {
				return c, err
			}
			c.Hashes = append(c.Hashes, t.Hash)
		}
		for _, t := range batch {
			o, err := fleet.Measure(t)
			if err != nil {
				return c, err
			}
			if err := s.Accept(o); err != nil {
				return c, err
			}
			if o.NS > 0 && (best == 0 || o.NS < best) {
				best = o.NS
			}
			if o.Charged {
				c.Best = append(c.Best, best)
			}
		}
	}
	return c, nil
}

// Traces are the traces of a log's fastest candidates of a preset, n at most.
func Traces(l *Log, cs []Candidate, presetName string, n int) ([]trace.Trace, error) {
	var out []trace.Trace
	for _, c := range fastest(cs, presetName, n) {
		t, err := l.Trace(&c.Entry)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
