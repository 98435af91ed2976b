package rule

import (
	"hone/compiler/schedule"
	"hone/compiler/tir/analysis"
)

// ParallelOptions are the parameters of ParallelizeVectorizeUnroll.
type ParallelOptions struct {
	JobsPerCore    int64 // parallel iterations per core; -1 leaves loops serial
	MaxVectorize   int64 // bound of the vector loops' extent; -1 leaves loops scalar
	UnrollSteps    []int64
	UnrollExplicit bool // unrolled bodies are spelled out
}

type parallelizeVectorizeUnroll struct{ o ParallelOptions }

// ParallelizeVectorizeUnroll marks the root block with how much is to run in
// parallel and in vectors, and with a sampled bound of unrolled bodies unless
// the function has no reduction. The postprocessor of the rewriting turns the
// marks into loops.
func ParallelizeVectorizeUnroll(o ParallelOptions) Rule { return parallelizeVectorizeUnroll{o} }

func (parallelizeVectorizeUnroll) Name() string { return "parallelize_vectorize_unroll" }

func (r parallelizeVectorizeUnroll) Apply(s *schedule.Schedule, b schedule.BlockRV, c *Context) ([]*schedule.Schedule, error) {
	scope, _, err := s.ScopeOf(b)
	if err != nil || scope != nil {
		return []*schedule.Schedule{s}, err
	}
	if r.o.JobsPerCore >= 0 {
		if err := s.Annotate(b, schedule.KeyParallel, r.o.JobsPerCore*int64(c.Target.NumCores)); err != nil {
			return nil, err
		}
	}
	if r.o.MaxVectorize >= 0 {
		if err := s.Annotate(b, schedule.KeyVectorize, r.o.MaxVectorize); err != nil {
			return nil, err
		}
	}
	if len(r.o.UnrollSteps) == 0 || analysis.IsSpatial(s.Func()) {
		return only(s)
	}
	return []*schedule.Schedule{s}, r.unroll(s, b)
}

func (r parallelizeVectorizeUnroll) unroll(s *schedule.Schedule, b schedule.BlockRV) error {
	probs := make([]float64, len(r.o.UnrollSteps))
	for i := range probs {
		probs[i] = 1 / float64(len(probs))
	}
	steps, err := s.SampleCategorical(r.o.UnrollSteps, probs, schedule.Draw)
	if err != nil {
		return err
	}
	key := schedule.KeyUnrollImplicit
	if r.o.UnrollExplicit {
		key = schedule.KeyUnrollExplicit
	}
	return s.Annotate(b, key, steps)
}
