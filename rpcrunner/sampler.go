package rpcrunner

import (
	"context"
	"math"
	"time"

	"hone/internal/hostlock"
	"hone/internal/wire"
	"hone/rpcrunner/bench"
	"hone/rpcrunner/executor"
)

// sampler takes the ladder's samples from the session's child, under the host's lock.
type sampler struct {
	s     *session
	quiet bool // parallel kernels, final races
}

// chunk bounds one request of samples: a quiet period ends with it, and progress is seen
// at least this often while kernels are short.
const chunk = hostlock.MaxQuiet / 2

// Sample implements bench.Sampler.
func (m sampler) Sample(ctx context.Context, rounds int, picks []bench.Pick) ([][]float64, error) {
	perRound := 0.0 // nanoseconds
	for _, p := range picks {
		perRound += m.s.estimate[p.Kernel] * float64(p.Inner+m.warmCalls(p.Kernel))
	}
	step := rounds
	if perRound > 0 {
		step = int(math.Max(1, math.Min(float64(rounds), float64(chunk.Nanoseconds())/perRound)))
	}
	var out [][]float64
	for len(out) < rounds {
		n := min(step, rounds-len(out))
		got, err := m.take(ctx, n, picks, perRound*float64(n))
		if err != nil {
			return nil, err
		}
		out = append(out, got...)
	}
	m.learn(out, picks)
	return out, nil
}

// take is one request. The limit leaves room for a slow moment; a hang is caught by it.
func (m sampler) take(ctx context.Context, rounds int, picks []bench.Pick, expected float64) ([][]float64, error) {
	enter := m.s.w.host.Work
	if m.quiet {
		enter = m.s.w.host.Quiet
	}
	release, err := enter(ctx)
	if err != nil {
		return nil, blame(wire.DeviceBusy, err)
	}
	defer release()
	limit := m.s.runLimit() + 10*time.Duration(expected)
	warm := 0
	var list []executor.Pick
	for _, p := range picks {
		list = append(list, executor.Pick{Kernel: p.Kernel, Inner: p.Inner})
		warm = max(warm, m.warmCalls(p.Kernel))
	}
	got, err := m.s.p.Time(ctx, limit, m.s.item.Threads > 1, rounds, warm, m.s.copy, list)
	m.s.w.touch()
	for _, p := range picks {
		m.s.copy += rounds * (p.Inner + warm)
	}
	m.s.copy %= 1 << 20
	return got, err
}

// warmCalls is the number of untimed calls before each sample: one for short kernels, whose
// activations and weights would otherwise be those the other kernel left in the cache.
// With cold constants there is none.
func (m sampler) warmCalls(kernel int) int {
	const short = 2e6
	if m.s.copies > 1 || m.s.estimate[kernel] > short {
		return 0
	}
	return 1
}

func (m sampler) learn(series [][]float64, picks []bench.Pick) {
	for _, round := range series {
		for i, p := range picks {
			if e := m.s.estimate[p.Kernel]; e == 0 || round[i] < e {
				m.s.estimate[p.Kernel] = round[i]
			}
		}
	}
}
