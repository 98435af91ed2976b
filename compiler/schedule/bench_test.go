package schedule_test

import (
	"syscall"
	"testing"
	"time"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/trace"
)

// convTrace is a CPU schedule of a padded convolution with a bias, as
// multi-level tiling and its postprocessing write it: four-level tiles, a write
// cache, the padding inlined, parallel and vectorised loops, a decomposed
// reduction.
func convTrace(tb testing.TB) trace.Trace {
	tb.Helper()
	t, err := trace.Parse([]byte(convTraceText))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

const convTraceText = `[[["GetSBlock",[],["pad","main"],["b0"]],["GetSBlock",[],["conv","main"],["b1"]],["GetSBlock",[],["bias","main"],["b2"]],["GetSBlock",[],["root","main"],["b3"]],
["ComputeInline",["b0"],[],[]],
["Annotate",["b1","\"SSRSRS\""],["meta_schedule.tiling_structure"],[]],
["GetLoops",["b1"],[],["l4","l5","l6","l7","l8","l9","l10"]],
["SamplePerfectTile",["l4"],[4,64],["v11","v12","v13","v14"]],["Split",["l4","v11","v12","v13","v14"],[1,0],["l15","l16","l17","l18"]],
["SamplePerfectTile",["l5"],[4,64],["v19","v20","v21","v22"]],["Split",["l5","v19","v20","v21","v22"],[1,0],["l23","l24","l25","l26"]],
["SamplePerfectTile",["l6"],[4,64],["v27","v28","v29","v30"]],["Split",["l6","v27","v28","v29","v30"],[1,0],["l31","l32","l33","l34"]],
["SamplePerfectTile",["l7"],[4,64],["v35","v36","v37","v38"]],["Split",["l7","v35","v36","v37","v38"],[1,0],["l39","l40","l41","l42"]],
["SamplePerfectTile",["l8"],[2,64],["v43","v44"]],["Split",["l8","v43","v44"],[1,0],["l45","l46"]],
["SamplePerfectTile",["l9"],[2,64],["v47","v48"]],["Split",["l9","v47","v48"],[1,0],["l49","l50"]],
["SamplePerfectTile",["l10"],[2,64],["v51","v52"]],["Split",["l10","v51","v52"],[1,0],["l53","l54"]],
["Reorder",["l15","l23","l31","l39","l16","l24","l32","l40","l45","l49","l53","l17","l25","l33","l41","l46","l50","l54","l18","l26","l34","l42"],[],[]],
["ReverseComputeAt",["b2","l40"],[1,-1],[]],
["Annotate",["b3",64],["meta_schedule.parallel"],[]],["Annotate",["b3",64],["meta_schedule.vectorize"],[]],
["SampleCategorical",[],[[0,16,64,512],[0.25,0.25,0.25,0.25]],["v55"]],["Annotate",["b3","v55"],["meta_schedule.unroll_explicit"],[]],
["EnterPostproc",[],[],[]],
["GetSBlock",[],["root","main"],["b56"]],
["Unannotate",["b56"],["meta_schedule.parallel"],[]],["Unannotate",["b56"],["meta_schedule.vectorize"],[]],["Unannotate",["b56"],["meta_schedule.unroll_explicit"],[]],
["GetChildBlocks",["b56"],[],["b57","b58"]],
["GetLoops",["b57"],[],["l59","l60","l61","l62","l63","l64","l65","l66","l67","l68","l69","l70","l71","l72","l73","l74","l75","l76","l77","l78","l79","l80"]],
["Fuse",["l59","l60","l61","l62","l63","l64"],[1],["l81"]],["Parallel",["l81"],[],[]],["Vectorize",["l80"],[],[]],
["Annotate",["l81",64],["pragma_auto_unroll_max_step"],[]],["Annotate",["l81",1],["pragma_unroll_explicit"],[]],
["GetLoops",["b58"],[],["l82","l83","l84","l85","l86","l87","l88"]],["Vectorize",["l88"],[],[]],
["GetLoops",["b57"],[],["l89","l90","l91","l92","l93","l94","l95","l96","l97","l98","l99","l100","l101","l102","l103","l104","l105"]],
["DecomposeReduction",["b57","l92"],[],["b106"]]],
[[7,[1,1,1,1]],[9,[7,2,2,2]],[11,[4,2,1,7]],[13,[4,1,1,16]],[15,[1,3]],[17,[3,1]],[19,[8,8]],[25,2]]]`

// BenchmarkReplayConv2d replays the trace above, postprocessing included, on a
// schedule forked from a loaded one. The budget is 500 µs on one core.
func BenchmarkReplayConv2d(b *testing.B) {
	f := conv2d(1, 56, 56, 64, 64, 3)
	tr := convTrace(b)
	base := schedule.NewFunc(f, nil)
	if _, err := base.GetSBlock("root"); err != nil {
		b.Fatal(err)
	}
	fresh := schedule.NewFunc(f, nil)
	if err := tr.Replay(fresh, trace.Options{}); err != nil {
		b.Fatal(err)
	}
	if testing.Verbose() {
		b.Log("\n" + tir.Script(fresh.Func()))
	}
	b.ReportAllocs()
	start := cpuTime()
	for b.Loop() {
		s := base.Fork()
		if err := tr.Replay(s, trace.Options{}); err != nil {
			b.Fatal(err)
		}
		s.Func()
	}
	reportCPU(b, start)
}

// BenchmarkLoadConv2d makes a schedule of the function and learns its facts.
func BenchmarkLoadConv2d(b *testing.B) {
	f := conv2d(1, 56, 56, 64, 64, 3)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schedule.NewFunc(f, nil).GetSBlock("root"); err != nil {
			b.Fatal(err)
		}
	}
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
