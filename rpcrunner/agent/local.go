package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Local keeps an agent process running on this machine for as long as its owner lives:
// the bundle travels through an inherited descriptor, and when the owner's end of the
// liveness pipe closes, however it died, the agent ends.
type Local struct {
	Program string   // from Locate
	Args    []string // before the agent's own flags ("agent" for the combined binary)
	Bundle  Bundle
	Log     *slog.Logger
	Stderr  io.Writer // of the agent; nil discards it
}

// Locate finds the agent beside the running program, or falls back on the program itself,
// whose `agent` command is the same package. builds tells the build id of a binary found.
func Locate(build string) (program string, args []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, fmt.Errorf("agent: %w", err)
	}
	beside := filepath.Join(filepath.Dir(self), "hone-agent")
	if out, err := exec.Command(beside, "--version").Output(); err == nil && string(out) == build+"\n" {
		return beside, nil, nil
	}
	return self, []string{"agent"}, nil
}

// Run starts the agent, and again after it ended unexpectedly, until ctx ends; then it
// stops the agent and waits for it. It returns an error when the agent cannot be started,
// or keeps ending at once.
func (l Local) Run(ctx context.Context) error {
	const quick, tolerated = 2 * time.Second, 5
	for early := 0; ctx.Err() == nil; {
		start := time.Now()
		err := l.once(ctx)
		if ctx.Err() != nil {
			return nil
		}
		l.Log.Warn("the agent ended and is started again", "error", err)
		if early++; time.Since(start) > quick {
			early = 0
		}
		if early >= tolerated {
			return fmt.Errorf("the agent ended %d times in a row right after its start, at last: %w", early, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(early) * 200 * time.Millisecond):
		}
	}
	return nil
}

// once is one life of the agent.
func (l Local) once(ctx context.Context) error {
	bundle, err := json.Marshal(l.Bundle)
	if err != nil {
		return fmt.Errorf("agent bundle: %w", err)
	}
	br, bw, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	defer bw.Close()
	lr, lw, err := os.Pipe()
	if err != nil {
		br.Close()
		return fmt.Errorf("agent: %w", err)
	}
	defer lw.Close()
	args := append(append([]string{}, l.Args...), "--bundle-fd", "3", "--live-fd", "4")
	cmd := exec.Command(l.Program, args...)
	cmd.ExtraFiles = []*os.File{br, lr}
	cmd.Stderr = l.Stderr
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal is the owner's to handle
	err = cmd.Start()
	br.Close()
	lr.Close()
	if err != nil {
		return fmt.Errorf("agent %s: %w", l.Program, err)
	}
	_, err = bw.Write(bundle) // shorter than a pipe holds
	bw.Close()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if err == nil {
		select {
		case err = <-ended:
			if err == nil {
				err = fmt.Errorf("exit status 0")
			}
			return err
		case <-ctx.Done():
		}
	}
	lw.Close()
	select {
	case e := <-ended:
		return e
	case <-time.After(2 * abandon):
		_ = cmd.Process.Kill()
		return <-ended
	}
}
