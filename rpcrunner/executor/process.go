package executor

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hone/rpcrunner/sandbox"
)

// Options of one child.
type Options struct {
	Program string // from Build
	Threads int    // of the kernels; at least 1
	CPUs    []int  // processors the child may run on; none leaves it unpinned
	Page    *Page  // nil: a private one
	Policy  sandbox.Policy
}

// Process is one child. It serves one request at a time and is not safe for concurrent
// use, except for Kill and Report.
type Process struct {
	page    *Page
	ownPage bool
	cpus    []int
	conn    *net.UnixConn
	in      *bufio.Reader
	cmd     *exec.Cmd
	stderr  *boundedBuffer
	exited  chan struct{}
	state   *os.ProcessState // after exited
	report  sandbox.Report
	timeout bool
	kill    sync.Once
}

// startLimit bounds what a healthy child needs to come up or to answer a request that
// runs no foreign code.
const startLimit = 20 * time.Second

// Start runs a child and confines it. The error of a machine that cannot run executors
// at all is not a *Death.
func Start(ctx context.Context, o Options) (*Process, error) {
	if o.Threads < 1 {
		return nil, fmt.Errorf("executor: %d threads", o.Threads)
	}
	p := &Process{page: o.Page, cpus: o.CPUs, stderr: &boundedBuffer{}, exited: make(chan struct{})}
	if p.page == nil {
		page, err := OpenPage("")
		if err != nil {
			return nil, err
		}
		p.page, p.ownPage = page, true
	}
	p.page.reset()
	if err := p.spawn(o); err != nil {
		p.closePage()
		return nil, err
	}
	words, err := p.readAnswer(ctx, startLimit)
	if err == nil && (len(words) < 2 || words[0] != "honex" || words[1] != "1") {
		err = fmt.Errorf("executor: unexpected greeting %q", words)
	}
	if err == nil {
		var died error // an optional measure that fails is left out, but not one that kills
		p.report, err = o.Policy.Apply(func(words string, f *os.File) error {
			_, err := p.Request(ctx, startLimit, f, words)
			var d *Death
			if errors.As(err, &d) && died == nil {
				died = err
			}
			return err
		})
		if died != nil {
			err = died
		}
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("executor: starting %s: %w", o.Program, err)
	}
	return p, nil
}

// spawn starts the program with one end of a socket pair and the page.
func (p *Process) spawn(o Options) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("executor: socket pair: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "control"), os.NewFile(uintptr(fds[1]), "control of the child")
	defer ours.Close()
	defer theirs.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		return fmt.Errorf("executor: control socket: %w", err)
	}
	p.conn = conn.(*net.UnixConn)
	p.in = bufio.NewReaderSize(p.conn, 1<<16)
	args := []string{strconv.Itoa(o.Threads)}
	for _, c := range o.CPUs {
		args = append(args, strconv.Itoa(c))
	}
	p.cmd = exec.Command(o.Program, args...)
	p.cmd.Env = []string{"LC_ALL=C"}
	p.cmd.Dir = "/"
	p.cmd.Stderr = p.stderr
	p.cmd.ExtraFiles = []*os.File{theirs, p.page.file} // descriptors 3 and 4
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = 2 * time.Second
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		p.conn.Close()
		return fmt.Errorf("executor: starting %s: %w", o.Program, err)
	}
	return nil
}

// run starts the child and reaps it on one operating-system thread: the child asks to be
// killed when the thread that started it ends, and Go ends idle threads as it likes.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = p.cmd.Wait() // the outcome is in ProcessState
	p.state = p.cmd.ProcessState
	close(p.exited)
}

// Kill ends the child and its group at once.
func (p *Process) Kill() {
	p.kill.Do(func() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) })
}

// Close kills the child, waits until it is reaped and frees what was held for it.
func (p *Process) Close() {
	p.Kill()
	<-p.exited
	p.conn.Close()
	p.closePage()
}

func (p *Process) closePage() {
	if p.ownPage {
		_ = p.page.Close()
		p.ownPage = false
	}
}

// PID is the child's process id; Report says how it is confined.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// CPU is the first processor the child runs on, 0 when it may run anywhere.
func (p *Process) CPU() int {
	if len(p.cpus) == 0 {
		return 0
	}
	return p.cpus[0]
}

// Report says how the child is confined.
func (p *Process) Report() sandbox.Report { return p.report }

// Beat tells whether the child makes progress.
func (p *Process) Beat() uint64 { return p.page.Beat() }

// Request sends one line, with f's descriptor when f is not nil, and returns the words of
// the answer. After a *Refusal the child lives; after a *Death, or the context's error, it
// is gone and reaped.
func (p *Process) Request(ctx context.Context, limit time.Duration, f *os.File, line string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		p.abort()
		return nil, err
	}
	var oob []byte
	if f != nil {
		oob = unix.UnixRights(int(f.Fd()))
	}
	_ = p.conn.SetWriteDeadline(time.Now().Add(startLimit))
	if _, _, err := p.conn.WriteMsgUnix([]byte(line+"\n"), oob, nil); err != nil {
		return nil, p.mourn()
	}
	return p.readAnswer(ctx, limit)
}

func (p *Process) readAnswer(ctx context.Context, limit time.Duration) ([]string, error) {
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	_ = p.conn.SetReadDeadline(time.Now().Add(limit))
	line, err := p.in.ReadString('\n')
	if err != nil {
		return nil, p.ended(ctx, err)
	}
	words := strings.Fields(line)
	switch {
	case len(words) > 0 && words[0] == "ok":
		return words[1:], nil
	case len(words) > 1 && words[0] == "err":
		return nil, &Refusal{Class: Class(words[1]), Text: strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "err "+words[1]))}
	}
	p.abort()
	return nil, fmt.Errorf("executor: garbled answer %.80q", line)
}

// readRaw reads the n bytes that follow an answer.
func (p *Process) readRaw(ctx context.Context, limit time.Duration, n int64) ([]byte, error) {
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	_ = p.conn.SetReadDeadline(time.Now().Add(limit))
	b := make([]byte, n)
	if _, err := io.ReadFull(p.in, b); err != nil {
		return nil, p.ended(ctx, err)
	}
	return b, nil
}

// ended turns a failed read into what happened to the child.
func (p *Process) ended(ctx context.Context, err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		p.timeout = true
	}
	death := p.mourn()
	if cerr := ctx.Err(); cerr != nil && !p.timeout {
		return cerr
	}
	return death
}

func (p *Process) abort() {
	p.Kill()
	<-p.exited
}

// mourn waits for the child's end and describes it.
func (p *Process) mourn() error {
	if p.timeout {
		p.Kill()
	} else { // it is dying by itself: give its own signal a moment to be the cause
		select {
		case <-p.exited:
		case <-time.After(2 * time.Second):
			p.Kill()
		}
	}
	<-p.exited
	d := &Death{Timeout: p.timeout, Stderr: p.stderr.String()}
	d.Tag, d.Phase = p.page.Running()
	if ws, ok := p.state.Sys().(syscall.WaitStatus); ok {
		if ws.Signaled() {
			d.Signal = ws.Signal()
		} else {
			d.Exit = ws.ExitStatus()
		}
	}
	if _, guard := p.page.fault(); guard {
		d.Guard = true
	}
	return d
}

// boundedBuffer keeps the first 4 KiB a child says.
type boundedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if room := 4096 - b.buf.Len(); room > 0 {
		b.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (b *boundedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.TrimSpace(b.buf.String())
}
