// Package agent is the program behind hone-agent and `hone agent`: it reads a bundle (who
// am I, where is the broker, which pools), connects a rpcrunner.Worker through
// rpcrunner/link and serves until told to stop.
//
// Start from Main (the command line) or Run (a bundle in hand).
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"hone/compiler/target"
	"hone/internal/cc"
	"hone/internal/version"
	"hone/internal/wire"
	"hone/rpcrunner"
	"hone/rpcrunner/link"
	"hone/rpcrunner/sandbox"
)

// Bundle is what an agent is given when it is enrolled, or started by `hone tune`.
type Bundle struct {
	URL    string `json:"url"`
	Agent  string `json:"agent"`
	Seed   string `json:"seed,omitempty"`    // nkey seed
	CAFile string `json:"ca_file,omitempty"` // private certificate authority
	Dir    string `json:"dir"`               // caches, scratch, journal
	// Pools of the device and of the compilers; empty means what this machine is.
	Device       []Pool   `json:"device,omitempty"`
	Builders     []Pool   `json:"builders,omitempty"`
	NoBuild      bool     `json:"no_build,omitempty"`
	NoMeasure    bool     `json:"no_measure,omitempty"`
	BlobDir      string   `json:"blob_dir,omitempty"` // the coordinator's blobs, on the same machine
	HostDir      string   `json:"host_dir,omitempty"` // of the machine's locks
	BinDir       string   `json:"bin_dir,omitempty"`  // of the compiled executor
	CPUs         []int    `json:"cpus,omitempty"`     // to measure on; empty: all usable ones
	WithoutSteps []string `json:"without,omitempty"`  // optional sandbox steps switched off
}

// Pool is a queue and the number of items taken from it at once.
type Pool struct {
	Name  string `json:"pool"`
	Slots int    `json:"slots,omitempty"` // 0 is 1
}

// ReadBundle parses a bundle.
func ReadBundle(r io.Reader) (Bundle, error) {
	var b Bundle
	if err := json.NewDecoder(io.LimitReader(r, 1<<20)).Decode(&b); err != nil {
		return b, fmt.Errorf("agent bundle: %w", err)
	}
	if b.URL == "" || b.Agent == "" || b.Dir == "" {
		return b, errors.New("agent bundle: url, agent and dir are needed")
	}
	return b, nil
}

// Run serves until ctx ends. The error is of the start; a broker that goes away later is
// waited for.
func Run(ctx context.Context, b Bundle, log *slog.Logger) error {
	unlock, err := lockDir(b.Dir)
	if err != nil {
		return err
	}
	defer unlock()
	native, err := target.Native()
	if err != nil {
		return fmt.Errorf("agent: this machine: %w", err)
	}
	policy := sandbox.DefaultPolicy()
	policy.Off = b.WithoutSteps
	var blobs rpcrunner.Blobs
	if b.BlobDir != "" {
		blobs = rpcrunner.BlobDir{Dir: b.BlobDir}
	}
	w, err := rpcrunner.New(rpcrunner.Config{Blobs: blobs, Dir: b.Dir, Agent: b.Agent, Device: native.Key(), BuildID: version.Build, CPUs: b.CPUs, HostDir: b.HostDir, BinDir: b.BinDir,
		Policy: policy, NoBuild: b.NoBuild, NoMeasure: b.NoMeasure})
	if err != nil {
		return err
	}
	defer w.Close()
	cfg := link.Config{URL: b.URL, Agent: b.Agent, CAFile: b.CAFile, Sources: sources(ctx, b, &native), Handler: w,
		Cancelled: rpcrunner.ErrCancelled, Draining: rpcrunner.ErrDraining, Log: log,
		Describe: func() wire.Presence {
			p := w.Describe()
			p.Device = native.String()
			return p
		}}
	if b.Seed != "" {
		cfg.Seed = []byte(b.Seed)
	}
	l, err := link.Connect(cfg)
	if err != nil {
		return err
	}
	for _, s := range cfg.Sources {
		log.Info("serving", "pool", s.Pool, "slots", s.Slots)
	}
	return l.Run(ctx)
}

// sources are the pools to take items from.
func sources(ctx context.Context, b Bundle, native *target.Target) []link.Source {
	device, builders := b.Device, b.Builders
	if len(device) == 0 && len(builders) == 0 {
		device = []Pool{{Name: native.Pool()}}
		if all, err := cc.Find(ctx, ""); err == nil {
			for _, c := range all {
				slots := runtime.NumCPU()
				builders = append(builders, Pool{native.BuilderPool(string(c.Kind)), slots}, Pool{native.BuilderPool(c.Name()), slots})
			}
		}
	}
	if b.NoMeasure {
		device = nil
	}
	if b.NoBuild {
		builders = nil
	}
	var out []link.Source
	seen := map[string]bool{}
	for _, p := range append(device, builders...) {
		if !seen[p.Name] {
			seen[p.Name] = true
			out = append(out, link.Source{Pool: p.Name, Slots: max(1, p.Slots)})
		}
	}
	return out
}

// lockDir makes sure that one agent uses a directory.
func lockDir(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("agent directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("agent directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("agent directory %s is in use by another agent", dir)
	}
	return func() { f.Close() }, nil
}
