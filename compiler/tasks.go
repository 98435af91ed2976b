package compiler

import (
	"hone/compiler/lower"
	"hone/compiler/tir"
)

// Task is one function to tune: a workload that a program calls, with all the
// calls of structurally equal functions counted together.
type Task struct {
	Name    string // the function's name, for people
	Hash    [32]byte
	Func    *tir.PrimFunc
	Weight  int   // calls per run of the program
	Kernels []int // which calls, by index into the program's kernels
}

// ExtractTasks lists the distinct functions of a program in the order in which
// it first calls them.
func ExtractTasks(p *lower.Program) []Task {
	index := map[[32]byte]int{}
	var tasks []Task
	for i := range p.Kernels {
		f := p.Kernels[i].Func
		h := tir.Hash(f)
		at, ok := index[h]
		if !ok {
			at = len(tasks)
			index[h] = at
			tasks = append(tasks, Task{Name: f.Name, Hash: h, Func: f})
		}
		tasks[at].Weight++
		tasks[at].Kernels = append(tasks[at].Kernels, i)
	}
	return tasks
}
