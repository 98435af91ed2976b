package local

import (
	"context"
	"fmt"
	"runtime"

	"hone/api"
	"hone/db/store"
	"hone/internal/version"
	"hone/rpcrunner/agent"
	"hone/scheduler/placement"
)

// Machine is what the agent of this machine serves.
type Machine struct {
	Target    api.Target
	Toolchain api.Toolchain
}

// agentOf describes the agent process of this data directory, let in by the
// broker.
func (h *Home) agentOf(m Machine) (agent.Local, error) {
	program, args, err := agent.Locate(version.Build)
	if err != nil {
		return agent.Local{}, err
	}
	device := placement.DevicePool(store.Target(m.Target))
	builder := placement.BuildPool(m.Toolchain.Triple, m.Toolchain.Compiler)
	b := agent.Bundle{URL: h.opt.NATS, Agent: "local-" + h.id, Dir: h.agentDir(), BlobDir: h.blobDir(),
		Device: []agent.Pool{{Name: device, Slots: 1}}, Builders: []agent.Pool{{Name: builder, Slots: runtime.NumCPU()}}}
	if h.broker != nil {
		c, err := h.broker.Enroll(b.Agent, device, builder)
		if err != nil {
			return agent.Local{}, err
		}
		b.URL, b.Seed = c.URL, string(c.Seed)
	}
	a := agent.Local{Program: program, Args: args, Bundle: b, Log: h.opt.Log}
	if h.logFile != nil {
		a.Stderr = h.logFile
	}
	return a, nil
}

// Run works until f returns or something breaks for good: the coordinator's
// loops and, with a machine, its agent. It returns f's error, or the reason
// why it was stopped.
func (h *Home) Run(ctx context.Context, m *Machine, f func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	parts := []func(context.Context) error{h.Coordinator.Run}
	if h.lease.Name != "" {
		parts = append(parts, h.keepBroker)
	}
	if m != nil {
		a, err := h.agentOf(*m)
		if err != nil {
			return err
		}
		parts = append(parts, a.Run)
	}
	ended := make(chan error, len(parts))
	for _, run := range parts {
		go func() {
			err := run(ctx)
			if err != nil {
				stop(err)
			}
			ended <- err
		}()
	}
	err := f(ctx)
	cause := context.Cause(ctx)
	stop(nil)
	for range parts {
		<-ended
	}
	if err != nil && cause != nil && cause != context.Canceled {
		if h.logFile != nil {
			return fmt.Errorf("stopped: %w (the log is %s)", cause, h.logFile.Name())
		}
		return fmt.Errorf("stopped: %w", cause)
	}
	return err
}
