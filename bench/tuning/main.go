// Command tuning measures what a trial costs: it runs `hone tune` on models of
// convolutions and reads the job's own clocks, builds and searches alone on one core,
// and races one kernel against itself. It ends with `RESULT tuning …`. Arguments name the
// models to take instead of ResNet-18 and MobileNetV2.
//
//	make bench-tuning
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"hone/bench/artifact"
	"hone/bench/harness"
	"hone/compiler/target"
	"hone/scheduler/jobrun"
)

type options struct {
	artifact.Lab
	threads, races, rounds int
}

func main() {
	var o options
	o.Flags(120, "model")
	flag.IntVar(&o.threads, "threads", 1, "threads of the tuned kernels")
	flag.IntVar(&o.races, "races", 40, "races of a kernel against itself, for each size and number of threads")
	flag.IntVar(&o.rounds, "search-rounds", 4, "rounds of search, and units built, for each workload")
	flag.Parse()
	jobrun.RoomyHeap() // as a process that tunes has it
	models := flag.Args()
	if len(models) == 0 {
		models = []string{"resnet18", "mobilenetv2"}
	}
	if err := run(context.Background(), o, models); err != nil {
		fmt.Fprintln(os.Stderr, "bench-tuning:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, models []string) error {
	if err := o.Check(models); err != nil {
		return err
	}
	tgt, err := target.Native()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "hone-bench-tuning")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	line := fmt.Sprintf("RESULT tuning threads=%d trials=%d", o.threads, o.Trials)
	for _, m := range models {
		j, err := tune(ctx, o, m, filepath.Join(tmp, m))
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		fmt.Println(j.text(m))
		line += fmt.Sprintf(" %s_trial_s=%.3f %s_busy=%.2f", m, j.perTrial(), m, j.busy())
	}
	r, err := rates(ctx, o, tgt.WithThreads(1), tmp)
	if err != nil {
		return err
	}
	line += fmt.Sprintf(" built_s_core=%.1f searched_s_core=%.0f", r.built, r.searched)
	if o.races > 0 {
		w, blobs, err := harness.NewWorker(filepath.Join(tmp, "races"))
		if err != nil {
			return err
		}
		defer w.Close()
		same, err := equals(ctx, o, w, blobs, tgt)
		if err != nil {
			return err
		}
		line += fmt.Sprintf(" aa_within_2pc=%.3f", same)
	}
	fmt.Println(line)
	return nil
}
