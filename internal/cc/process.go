package cc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// process is one tool invocation.
type process struct {
	stage, compiler string
	dir             string
	argv            []string
	limits          Limits
}

// run executes the process and returns its standard output. A failure is an
// *Error, a *LimitError, the context's error, or a start-up error.
func (p process) run(ctx context.Context) (string, error) {
	lim := p.limits.withDefaults()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Dir = p.dir
	cmd.Env = toolEnv(p.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var stdout, stderr boundedBuffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("cc: starting %s: %w", p.argv[0], err)
	}
	killGroup := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := applyLimits(cmd.Process.Pid, lim); err != nil {
		killGroup()
		_ = cmd.Wait()
		return "", err
	}
	if lim.Nice > 0 {
		_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, lim.Nice) // one that has ended already needs none
	}
	timedOut := false
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	timer := time.NewTimer(lim.Wall)
	defer timer.Stop()
	var err error
	select {
	case err = <-done:
	case <-timer.C:
		timedOut = true
		killGroup()
		err = <-done
	case <-ctx.Done():
		killGroup()
		<-done
		return "", ctx.Err()
	}
	if timedOut {
		return "", &LimitError{Stage: p.stage, Compiler: p.compiler, Limit: "time", After: time.Since(start)}
	}
	if err != nil {
		return "", p.failure(err, stderr.String()+stdout.String(), time.Since(start))
	}
	return stdout.String(), nil
}

// failure turns an unsuccessful exit into the error that says why.
func (p process) failure(err error, output string, after time.Duration) error {
	var ee *exec.ExitError
	if !errors.As(err, &ee) {
		return fmt.Errorf("cc: running %s: %w", p.argv[0], err)
	}
	limit := ""
	if ws, ok := ee.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		switch ws.Signal() {
		case syscall.SIGXCPU:
			limit = "cpu"
		case syscall.SIGXFSZ:
			limit = "output"
		case syscall.SIGKILL:
			limit = "memory"
		}
	}
	low := strings.ToLower(output)
	for _, s := range []struct{ text, limit string }{
		{"virtual memory exhausted", "memory"}, {"out of memory", "memory"}, {"cannot allocate memory", "memory"},
		{"memory exhausted", "memory"}, {"bad_alloc", "memory"}, {"cpu time limit exceeded", "cpu"}, {"file size limit exceeded", "output"}, {"file too large", "output"},
	} {
		if limit == "" && strings.Contains(low, s.text) {
			limit = s.limit
		}
	}
	if limit != "" {
		return &LimitError{Stage: p.stage, Compiler: p.compiler, Limit: limit, After: after}
	}
	return &Error{Stage: p.stage, Compiler: p.compiler, Diagnostics: diagnostics(output), ExitCode: ee.ExitCode()}
}

// toolEnv is the whole environment of a tool: its search path, a scratch
// directory and untranslated messages.
func toolEnv(dir string) []string {
	path := os.Getenv("PATH")
	if path == "" {
		path = "/usr/local/bin:/usr/bin:/bin"
	}
	env := []string{"PATH=" + path, "LC_ALL=C", "SOURCE_DATE_EPOCH=0"}
	if dir != "" {
		env = append(env, "TMPDIR="+dir, "HOME="+dir)
	}
	return env
}

// boundedBuffer keeps the first 64 KiB written and drops the rest, so that a
// babbling tool cannot fill memory.
type boundedBuffer struct{ buf bytes.Buffer }

const maxToolOutput = 64 << 10

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if room := maxToolOutput - b.buf.Len(); room > 0 {
		b.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (b *boundedBuffer) String() string { return b.buf.String() }
