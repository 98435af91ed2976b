package main

import (
	"fmt"
	"math"
	"strings"
)

// print is the line of one result in the table.
func (r *result) print() {
	var b strings.Builder
	for _, name := range []string{"OpenBLAS", "oneDNN", "ORT"} {
		if ns, ok := r.rivals[name]; ok {
			fmt.Fprintf(&b, " %s %.2f (%.1f µs)", name, r.ratios[name], ns/1e3)
		}
	}
	if r.coldNS > 0 {
		fmt.Fprintf(&b, " cold weights %.1f µs", r.coldNS/1e3)
		if r.cold > 0 {
			fmt.Fprintf(&b, ", best other %.2f", r.cold)
		}
	}
	fmt.Printf("%-14s threads %d: %9.1f µs %7.1f GFLOP/s %6.1f GB/s, peak %.3f, default schedule %.2f;%s\n",
		r.name, r.threads, r.ns/1e3, r.layers.flops()/r.ns, r.layers.bytes()/r.ns, r.share, r.gain, b.String())
}

// group is a class of lines held against one measure on a number of threads.
type group struct {
	threads     int
	class, held string
}

// resultLine gives the geometric mean and the least ratio of every group, in the
// order of the lines. A rival that is missing leaves its groups out.
func resultLine(list []*result, trials int) string {
	var order []group
	ratios := map[group][]float64{}
	for _, r := range list {
		for _, h := range r.held {
			g := group{r.threads, r.class, h}
			v, ok := r.ratios[h]
			if !ok {
				continue
			}
			if ratios[g] == nil {
				order = append(order, g)
			}
			ratios[g] = append(ratios[g], v)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "RESULT kernels trials=%d lines=%d", trials, len(list))
	for _, g := range order {
		sum, least := 0.0, math.Inf(1)
		for _, v := range ratios[g] {
			sum += math.Log(v)
			least = min(least, v)
		}
		key := fmt.Sprintf(" t%d_%s_%s", g.threads, g.class, strings.ToLower(g.held))
		fmt.Fprintf(&b, "%s=%.3f%s_min=%.3f", key, math.Exp(sum/float64(len(ratios[g]))), key, least)
	}
	return b.String()
}
