package main

import (
	"testing"

	"hone/compiler"
)

func TestCovers(t *testing.T) {
	kernels := func(at ...[]int) compiler.Metadata {
		var m compiler.Metadata
		for _, a := range at {
			m.Kernels = append(m.Kernels, compiler.UsedKernel{At: a})
		}
		return m
	}
	for _, c := range []struct {
		meta compiler.Metadata
		n    int
		want bool
	}{
		{kernels([]int{0, 2}, []int{1}), 3, true},
		{kernels(), 0, true},
		{kernels([]int{0, 2}, []int{1}), 4, false},
		{kernels([]int{0, 1}, []int{1}), 3, false},
		{kernels([]int{0}, nil), 1, false},
		{kernels([]int{-1}, []int{0}), 2, false},
	} {
		if got := covers(c.meta, c.n); got != c.want {
			t.Errorf("covers(%v, %d) = %v", c.meta, c.n, got)
		}
	}
}
