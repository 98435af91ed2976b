// Command search shows how fast the search converges and how well its cost model
// ranks, from stored measurements: no device is asked. With -record it makes these
// on this machine, with real builds. Every workload is searched with five seeds by
// preset cpu, cold and warm, by the same without its model, by random sampling and by
// preset cpu-parity; candidates that the log does not hold are answered by a model of
// the whole log, and the report says how many were.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// options of a run.
type options struct {
	record  bool
	ablate  bool
	half    int
	cc      string
	logs    string
	only    string
	modes   string
	seeds   int
	trials  int
	samples int
}

func main() {
	var o options
	flag.BoolVar(&o.record, "record", false, "measure the logs anew on this machine")
	flag.BoolVar(&o.ablate, "ablate", false, "grade the cost model without groups of features and with other objectives")
	flag.IntVar(&o.half, "half", 256, "trials of each half of a log to record")
	flag.StringVar(&o.cc, "cc", "gcc", "compiler to record with")
	flag.StringVar(&o.logs, "logs", filepath.Join("bench", "search", "testdata"), "folder of the logs")
	flag.StringVar(&o.only, "only", "", "workloads, separated by commas; all when empty")
	flag.StringVar(&o.modes, "modes", "", "kinds of search, separated by commas; all when empty")
	flag.IntVar(&o.seeds, "seeds", 5, "seeds, from 1 on")
	flag.IntVar(&o.trials, "trials", 200, "trials of a search")
	flag.IntVar(&o.samples, "samples", 256, "trials that teach the cost model")
	flag.Parse()
	run := simulated
	if o.record {
		run = record
	}
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "bench-search:", err)
		os.Exit(1)
	}
}

func (o *options) wants(name string) bool { return among(o.only, name) }

func (o *options) path(name string) string { return filepath.Join(o.logs, name+".json.gz") }

// among reports whether a list names something; the empty one names everything.
func among(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}
