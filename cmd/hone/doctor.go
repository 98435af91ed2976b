package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hone/cmd/hone/internal/local"
	"hone/compiler/target"
	"hone/internal/cc"
	"hone/internal/hostlock"
	"hone/internal/wire"
	"hone/rpcrunner"
	"hone/rpcrunner/sandbox"
	"hone/scheduler/bus"
)

// check is one line of the doctor's.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Needed bool   `json:"needed"`
	Detail string `json:"detail"`
}

func newDoctor() *cobra.Command {
	var f stateFlags
	var l listFlags
	c := &cobra.Command{Use: "doctor", Short: "Check that this machine can tune and compile",
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			checks, err := examine(cmd.Context(), f.options())
			if err != nil {
				return err
			}
			if err := printChecks(cmd, l, checks); err != nil {
				return err
			}
			for _, c := range checks {
				if !c.OK && c.Needed {
					return fmt.Errorf("%s: %s", c.Name, c.Detail)
				}
			}
			return nil
		}}
	f.add(c)
	l.add(c)
	return c
}

func printChecks(cmd *cobra.Command, l listFlags, checks []check) error {
	if l.output != "table" {
		return l.print(cmd.OutOrStdout(), checks, nil, nil)
	}
	for _, c := range checks {
		mark := "ok  "
		switch {
		case !c.OK && c.Needed:
			mark = "FAIL"
		case !c.OK:
			mark = "warn"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s  %-14s %s\n", mark, c.Name, c.Detail)
	}
	return nil
}

// examine makes all checks; the error is of the doctor itself.
func examine(ctx context.Context, o local.Options) ([]check, error) {
	tmp, err := os.MkdirTemp("", "hone-doctor-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	var out []check
	add := func(name string, needed bool, f func() (string, error)) {
		detail, err := f()
		if err != nil {
			detail = err.Error()
		}
		out = append(out, check{name, err == nil, needed, detail})
	}
	add("compiler", true, func() (string, error) {
		all, err := cc.Find(ctx, "")
		var names []string
		for _, c := range all {
			names = append(names, fmt.Sprintf("%s (%s)", c.Name(), c.Path))
		}
		return strings.Join(names, ", "), err
	})
	add("target", true, func() (string, error) {
		t, err := target.Native()
		return describe(t) + ": " + t.Key(), err
	})
	add("data directory", true, func() (string, error) { return local.Examine(o) })
	add("host lock", true, func() (string, error) { return hostLock(ctx) })
	add("broker", true, func() (string, error) { return broker(tmp) })
	device, confined := selftest(ctx, tmp)
	return append(out, device, confined), nil
}

// hostLock takes the machine's lock as every piece of work does.
func hostLock(ctx context.Context) (string, error) {
	h, err := hostlock.Open("")
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	start := time.Now()
	release, err := h.Work(ctx)
	if err != nil {
		return "", fmt.Errorf("not free within 10 s: %w", err)
	}
	release()
	return fmt.Sprintf("taken within %d ms", time.Since(start).Milliseconds()), nil
}

// broker starts one and stops it.
func broker(dir string) (string, error) {
	s, err := bus.Start(bus.ServerConfig{Dir: dir})
	if err != nil {
		return "", err
	}
	defer s.Stop()
	return "starts on " + s.URL(), nil
}

// selftest runs the agent's: an executor is built, confined and timed.
func selftest(ctx context.Context, dir string) (device, confined check) {
	device = check{Name: "measuring", Needed: true}
	confined = check{Name: "sandbox"}
	fail := func(err error) (check, check) {
		device.Detail, confined.Detail = err.Error(), "not tried"
		return device, confined
	}
	w, err := rpcrunner.New(rpcrunner.Config{Dir: filepath.Join(dir, "agent"), Policy: sandbox.DefaultPolicy()})
	if err != nil {
		return fail(err)
	}
	defer w.Close()
	r := w.Do(ctx, wire.Work{V: wire.Version, Kind: wire.KindSelftest, Work: "doctor", Job: "doctor", Project: "default", Pool: "d-doctor", Attempt: 1,
		Nonce: wire.NewNonce(), DeadlineMS: 60_000, Protocol: wire.Protocol, Threads: 1, Limits: wire.Limits{BuildMS: 60_000, RunMS: 10_000, MemMB: 1024, OutKB: 1024}})
	if r.Code != wire.OK {
		return fail(errors.New(r.Detail))
	}
	device.OK, device.Detail = true, fmt.Sprintf("%.1f GFLOP/s a core at best, steady within %.1f %%", r.Conditions.PeakGFLOPS, 100*r.Conditions.Drift)
	confined.OK, confined.Detail = len(r.Conditions.SandboxLacks) == 0, strings.Join(r.Conditions.Sandbox, ", ")
	if !confined.OK {
		confined.Detail += "; lacks " + strings.Join(r.Conditions.SandboxLacks, ", ")
	}
	return device, confined
}
