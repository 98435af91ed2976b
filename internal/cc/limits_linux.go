package cc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// applyLimits sets the resource limits of a child that has just started, and
// of the children it may already have: everything later inherits them.
func applyLimits(pid int, l Limits) error {
	secs := uint64((l.CPU + time.Second - 1) / time.Second)
	set := []struct {
		which int
		lim   syscall.Rlimit
	}{
		{syscall.RLIMIT_AS, syscall.Rlimit{Cur: uint64(l.Memory), Max: uint64(l.Memory)}},
		{syscall.RLIMIT_CPU, syscall.Rlimit{Cur: secs, Max: secs + 1}},
		{syscall.RLIMIT_FSIZE, syscall.Rlimit{Cur: uint64(l.Output), Max: uint64(l.Output)}},
		{syscall.RLIMIT_CORE, syscall.Rlimit{}},
	}
	pids := []int{pid}
	for i := 0; i < len(pids); i++ {
		for _, s := range set {
			if err := prlimit(pids[i], s.which, &s.lim); err != nil && err != syscall.ESRCH {
				return fmt.Errorf("cc: setting a resource limit of process %d: %w", pids[i], err)
			}
		}
		pids = append(pids, childrenOf(pids[i])...)
	}
	return nil
}

func prlimit(pid, which int, lim *syscall.Rlimit) error {
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), uintptr(which), uintptr(unsafe.Pointer(lim)), 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// childrenOf lists the live children of a process; nil where the kernel does
// not tell.
func childrenOf(pid int) []int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil
	}
	var out []int
	for _, f := range bytes.Fields(b) {
		if n, err := strconv.Atoi(string(f)); err == nil {
			out = append(out, n)
		}
	}
	return out
}
