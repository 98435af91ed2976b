package postproc

import (
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// RewriteParallelVectorizeUnroll turns the marks that the rule of the name left
// on the root block into loops: for every nest the
// outer spatial loops become one parallel loop, the inner ones that walk through
// memory in order one vector loop, and a nest with a reduction gets the bound of
// unrolled bodies.
func RewriteParallelVectorizeUnroll() Postproc {
	return fn{"rewrite_parallel_vectorize_unroll", func(s *schedule.Schedule, _ *target.Target) error {
		root, ok := s.Header().Root()
		if !ok {
			return nil
		}
		b, err := s.GetSBlock(root.Block.Name)
		if err != nil {
			return err
		}
		now, err := s.BlockOf(b)
		if err != nil {
			return err
		}
		m := marksOf(now.Block)
		if !m.any() {
			return nil
		}
		for _, key := range m.keys {
			if err := s.Unannotate(b, key); err != nil {
				return err
			}
		}
		nests, err := s.GetChildBlocks(b)
		if err != nil {
			return err
		}
		for _, x := range nests {
			if err := m.rewrite(s, x); err != nil {
				return err
			}
		}
		return nil
	}}
}

// absent is the count of loops of a kind that a nest has none of.
const absent = -1

// marks are what the root block asks for; absent where it asks for nothing.
type marks struct {
	parallel, vectorize, unroll int64
	explicit                    bool
	keys                        []string
}

func marksOf(root *tir.Block) marks {
	m := marks{parallel: absent, vectorize: absent, unroll: absent}
	get := func(key string, to *int64) bool {
		v, _ := root.Ann.Get(key)
		n, ok := v.(int64)
		if ok {
			*to = n
			m.keys = append(m.keys, key)
		}
		return ok
	}
	get(schedule.KeyParallel, &m.parallel)
	get(schedule.KeyVectorize, &m.vectorize)
	m.explicit = get(schedule.KeyUnrollExplicit, &m.unroll)
	if !m.explicit {
		get(schedule.KeyUnrollImplicit, &m.unroll)
	}
	return m
}

func (m *marks) any() bool { return len(m.keys) > 0 }

func (m *marks) rewrite(s *schedule.Schedule, b schedule.BlockRV) error {
	x, err := nestOf(s, b)
	if err != nil || len(x.loops) == 0 {
		return err
	}
	parallel, vector := m.counts(x)
	first := x.loops[0]
	if n := len(x.loops); parallel == n && vector == n {
		first, err = m.whole(s, x.loops)
	} else {
		first, err = prefixAndSuffix(s, x.loops, parallel, vector)
	}
	if err != nil || m.unroll <= 0 || x.spatial() {
		return err
	}
	if err := s.AnnotateLoop(first, schedule.KeyUnrollMaxStep, m.unroll); err != nil {
		return err
	}
	explicit := int64(0)
	if m.explicit {
		explicit = 1
	}
	return s.AnnotateLoop(first, schedule.KeyPragmaUnrollExplicit, explicit)
}

// counts says how many outer loops run in parallel and how many inner ones in
// vectors; both are all of them when the nest is one stream through memory.
func (m *marks) counts(x *nest) (parallel, vector int) {
	parallel, vector = absent, absent
	n, stream := len(x.loops), x.streamLoops()
	if m.parallel != absent {
		parallel = x.parallelLoops(m.parallel)
	}
	if m.vectorize != absent {
		vector = x.vectorLoops(m.vectorize, stream)
	}
	if parallel == absent || vector == absent {
		return parallel, vector
	}
	if stream == n && !slices.Contains(x.plain, false) && !slices.Contains(x.single, false) {
		return n, n
	}
	return min(parallel, n-vector), vector
}

// whole makes one parallel loop over vectors of all loops.
func (m *marks) whole(s *schedule.Schedule, loops []schedule.LoopRV) (schedule.LoopRV, error) {
	fused, err := s.Fuse(loops...)
	if err != nil {
		return 0, err
	}
	parts, err := s.Split(fused, schedule.Open, schedule.Int(m.vectorize))
	if err != nil {
		return 0, err
	}
	if err := s.Parallel(parts[0]); err != nil {
		return 0, err
	}
	if len(loops) == 1 {
		return parts[1], s.Vectorize(parts[1])
	}
	return parts[0], s.Vectorize(parts[1])
}

// prefixAndSuffix makes one parallel loop of the first loops and one vector loop
// of the last ones, and returns what is the outermost loop then.
func prefixAndSuffix(s *schedule.Schedule, loops []schedule.LoopRV, parallel, vector int) (schedule.LoopRV, error) {
	first := loops[0]
	if parallel > 0 {
		fused, err := s.Fuse(loops[:parallel]...)
		if err != nil {
			return 0, err
		}
		if err := s.Parallel(fused); err != nil {
			return 0, err
		}
		first = fused
	}
	if vector > 0 {
		fused, err := s.Fuse(loops[len(loops)-vector:]...)
		if err != nil {
			return 0, err
		}
		if err := s.Vectorize(fused); err != nil {
			return 0, err
		}
		if vector == len(loops) {
			first = fused
		}
	}
	return first, nil
}
