package postproc_test

import (
	"syscall"
	"testing"
	"time"

	"hone/bench/workload"
	"hone/compiler/dtype"
	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/internal/rng"
	"hone/tuner/preset"
	"hone/tuner/space"
	"hone/tuner/tunertest"
)

// convBiasRelu is a padded 3x3 convolution of 56x56 images, 64 to 64 channels,
// with its bias and relu.
func convBiasRelu() *tir.PrimFunc {
	const n, c = 56, 64
	b := tir.NewBuilder("main")
	X := b.Param("X", dtype.Float32, 1, n+2, n+2, c)
	W := b.Param("W", dtype.Float32, 3, 3, c, c)
	B := b.Param("B", dtype.Float32, c)
	Y := b.Param("Y", dtype.Float32, 1, n, n, c)
	conv := b.Alloc("conv", dtype.Float32, 1, n, n, c)
	bias := b.Alloc("bias", dtype.Float32, 1, n, n, c)
	b.ReduceSum("conv", conv, []int64{3, 3, c}, func(s, r []tir.Expr) tir.Expr {
		x := workload.Load(X, s[0], tir.Add(s[1], r[0]), tir.Add(s[2], r[1]), r[2])
		return tir.Mul(x, workload.Load(W, r[0], r[1], r[2], s[3]))
	})
	b.Compute("bias", bias, func(i []tir.Expr) tir.Expr { return tir.Add(workload.Load(conv, i...), workload.Load(B, i[3])) })
	b.Compute("relu", Y, func(i []tir.Expr) tir.Expr { return tir.Max(workload.Load(bias, i...), tir.F32(0)) })
	return workload.Finish(b)
}

// BenchmarkConvBiasRelu replays a sampled trace of the parity preset on a forked
// schedule and runs the preset's postprocessors. The budget is 500 µs on one core.
func BenchmarkConvBiasRelu(b *testing.B) {
	f, p, tgt := convBiasRelu(), preset.CPUParity(), tunertest.Target(b, "avx2", "8")
	spaces, _, err := space.Generate(f, p, &tgt)
	if err != nil {
		b.Fatal(err)
	}
	drawn := schedule.NewFunc(f, rng.New(3))
	if err := spaces[0].Sketch.Replay(drawn, trace.Options{}); err != nil {
		b.Fatal(err)
	}
	tr := trace.Of(drawn)
	base := schedule.NewFunc(f, nil)
	if _, err := base.GetSBlock("root"); err != nil { // the search loads it once
		b.Fatal(err)
	}
	b.Run("replay", func(b *testing.B) {
		b.ReportAllocs()
		start := cpuTime()
		for b.Loop() {
			replay(b, base, tr)
		}
		reportCPU(b, start)
	})
	b.Run("replay+postprocs", func(b *testing.B) {
		b.ReportAllocs()
		start := cpuTime()
		for b.Loop() {
			s := replay(b, base, tr)
			if err := s.EnterPostproc(); err != nil {
				b.Fatal(err)
			}
			for _, x := range p.Postprocs {
				if err := x.Apply(s, &tgt); err != nil {
					b.Fatal(err)
				}
			}
			s.Func()
		}
		reportCPU(b, start)
	})
}

func replay(b *testing.B, base *schedule.Schedule, tr trace.Trace) *schedule.Schedule {
	s := base.Fork()
	if err := tr.Replay(s, trace.Options{}); err != nil {
		b.Fatal(err)
	}
	return s
}

// cpuTime is what the process has used so far, in all threads.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// reportCPU adds processor time per operation, which other load on the machine
// disturbs less than wall time.
func reportCPU(b *testing.B, start time.Duration) {
	b.ReportMetric(float64((cpuTime()-start).Nanoseconds())/float64(b.N), "cpu-ns/op")
}
