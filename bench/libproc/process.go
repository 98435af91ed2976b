// Package libproc runs other people's libraries in processes of their own, for
// comparisons: a process is stopped while anything else is timed. OpenBLAS and
// oneDNN are here, ONNX Runtime is in ortproc. It is used by benchmarks only; the
// libraries are looked up, never shipped. Start from Start and Libraries.
package libproc

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Process is a running program that speaks as csrc/serve.h says, stopped unless
// it is asked for something.
type Process struct {
	cmd *exec.Cmd
	in  *os.File
	out *bufio.Scanner
}

// Start runs a program on the first threads processors and stops it once it is
// ready. env is added to the environment.
func Start(ctx context.Context, threads int, env []string, program string, args ...string) (*Process, error) {
	pr, pw, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer pr.Close()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stderr, cmd.Env = pr, os.Stderr, append(os.Environ(), env...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	// The child inherits the affinity of the thread that starts it.
	if err := OnCPUs(threads, cmd.Start); err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, in: pw, out: bufio.NewScanner(stdout)}
	if !p.out.Scan() || p.out.Text() != "ready" {
		p.Close()
		return nil, fmt.Errorf("%s %s did not get ready", program, strings.Join(args, " "))
	}
	return p, p.signal(syscall.SIGSTOP)
}

// OnCPUs runs f on a thread that may use only the first n processors.
func OnCPUs(n int, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var old unix.CPUSet
	if err := unix.SchedGetaffinity(0, &old); err != nil {
		return err
	}
	set := FirstCPUs(n)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return err
	}
	defer func() { _ = unix.SchedSetaffinity(0, &old) }()
	return f()
}

// FirstCPUs is the set of the first n processors this process may use.
func FirstCPUs(n int) unix.CPUSet {
	var all, set unix.CPUSet
	_ = unix.SchedGetaffinity(0, &all)
	for i := 0; i < 1024 && set.Count() < n; i++ {
		if all.IsSet(i) {
			set.Set(i)
		}
	}
	return set
}

func (p *Process) signal(sig syscall.Signal) error { return p.cmd.Process.Signal(sig) }

// ask sends a command to the woken process and collects the lines up to "done".
func (p *Process) ask(command string) ([]string, error) {
	if err := p.signal(syscall.SIGCONT); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		return nil, err
	}
	var lines []string
	for p.out.Scan() {
		if p.out.Text() == "done" {
			return lines, p.signal(syscall.SIGSTOP)
		}
		lines = append(lines, p.out.Text())
	}
	return nil, fmt.Errorf("the process of %s ended", p.cmd.Path)
}

// Time makes n calls and returns the nanoseconds of each, by the wall clock.
func (p *Process) Time(n int) ([]float64, error) { return p.Sample(n, 1, false) }

// Sample takes n samples of inner calls each and returns nanoseconds per call; cpu
// counts the calling thread's processor time instead of the wall clock's.
func (p *Process) Sample(n, inner int, cpu bool) ([]float64, error) {
	clock := 0
	if cpu {
		clock = 1
	}
	lines, err := p.ask(fmt.Sprintf("r %d %d %d", n, inner, clock))
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(lines))
	for i, l := range lines {
		if out[i], err = strconv.ParseFloat(l, 64); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Close ends the process.
func (p *Process) Close() {
	_ = p.signal(syscall.SIGCONT)
	p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// Median of a series that is not empty; the upper one of two.
func Median(x []float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return s[len(s)/2]
}
