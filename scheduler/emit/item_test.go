package emit

import (
	"testing"

	"hone/bench/workload"
	"hone/compiler/target"
	"hone/internal/wire"
)

// The loops as written of a large product take long, and must not end the task.
func TestLargeWorkloadsMayRunLonger(t *testing.T) {
	tgt, err := target.Parse(`{"kind":"cpu","mcpu":"znver3","num-cores":2}`)
	if err != nil {
		t.Fatal(err)
	}
	of := func(n int64) int64 {
		x, err := NewTask(workload.Matmul(n, n, n), tgt, "gcc")
		if err != nil {
			t.Fatal(err)
		}
		w := x.Item(wire.KindMeasure, nil, nil)
		if w.DeadlineMS-w.Limits.RunMS != deadlineMS-limits.RunMS {
			t.Errorf("%d: a call may take %d of %d ms", n, w.Limits.RunMS, w.DeadlineMS)
		}
		return w.Limits.RunMS
	}
	if small, large := of(64), of(2048); small != limits.RunMS+4 || large != limits.RunMS+137438 {
		t.Errorf("limits of %d and %d ms", small, large)
	}
}
