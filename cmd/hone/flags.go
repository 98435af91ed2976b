package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"hone/api"
	"hone/cmd/hone/internal/local"
	"hone/compiler/onnx"
	"hone/compiler/target"
	"hone/internal/cc"
)

var errAgent = errors.New("the agent ended")

// stateFlags say where the state is.
type stateFlags struct{ dir, db string }

func (f *stateFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.dir, "data-dir", "", "directory of the state (default $HONE_DATA_DIR or the user's)")
	c.Flags().StringVar(&f.db, "db", "", "database: postgres://… or a file (default hone.db in the data directory)")
}

func (f *stateFlags) options() local.Options { return local.Options{Dir: f.dir, DB: f.db} }

// targetFlags say what the code is for and what compiles it.
type targetFlags struct {
	target  string
	threads int
	cc      string
}

func (f *targetFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.target, "target", "native", "device: native, a tag, or a description in JSON")
	c.Flags().IntVar(&f.threads, "threads", 0, "threads of the kernels (default: the device's cores)")
	c.Flags().StringVar(&f.cc, "cc", "", "C compiler: gcc, clang, gcc-12 … (default: the best one found)")
}

// parse gives the target with its number of threads.
func (f *targetFlags) parse() (target.Target, error) {
	t, err := target.Parse(f.target)
	if err != nil {
		return t, usagef("--target: %w", err)
	}
	if f.threads < 0 {
		return t, usagef("--threads %d: want 1 or more", f.threads)
	}
	if f.threads > 0 {
		t = t.WithThreads(f.threads)
		if err := t.Validate(); err != nil {
			return t, usagef("--threads %d: %w", f.threads, err)
		}
	}
	return t, nil
}

// compiler finds the compiler for a target.
func (f *targetFlags) compiler(ctx context.Context, t target.Target) (*cc.Compiler, error) {
	triple := t.Triple
	if triple == cc.HostTriple() {
		triple = ""
	}
	if f.cc != "" {
		return cc.Named(ctx, triple, f.cc)
	}
	return cc.Default(ctx, triple)
}

// modelFlags bind what a model leaves open.
type modelFlags struct{ shapes, dims, consts []string }

func (f *modelFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.shapes, "shape", nil, "shape of an input, INPUT:D0,D1,… (repeat for several)")
	c.Flags().StringArrayVar(&f.dims, "dim", nil, "value of a named dimension, NAME=N (repeat for several)")
	c.Flags().StringArrayVar(&f.consts, "const", nil, "value of an input that is fixed, INPUT=V (repeat for several)")
}

func (f *modelFlags) binding() (b onnx.Binding, err error) {
	for _, list := range []struct {
		texts []string
		add   func(string) error
	}{{f.shapes, b.AddShape}, {f.dims, b.AddDim}, {f.consts, b.AddConst}} {
		for _, text := range list.texts {
			if err := list.add(text); err != nil {
				return b, &usage{err}
			}
		}
	}
	return b, nil
}

// checkHere refuses targets that this machine is not.
func checkHere(t target.Target) error {
	here, err := target.Native()
	if err != nil {
		return err
	}
	if t.Pool() != here.Pool() {
		return fmt.Errorf("target %s is not this machine (%s): tune it through a broker that such a device is connected to, with --nats", describe(t), describe(here))
	}
	if n := runtime.NumCPU(); t.Threads > n {
		return usagef("--threads %d: this machine runs %d at once", t.Threads, n)
	}
	return nil
}

// describe names a target for people.
func describe(t target.Target) string {
	s := t.ISA
	for _, x := range []string{t.MCPU, t.Model} {
		if x != "" {
			s += " " + x
		}
	}
	return fmt.Sprintf("%s, %s", s, counted(t.Threads, "thread"))
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// targetOut is a target as the service knows it.
func targetOut(t target.Target) api.Target {
	return api.Target{Key: t.Key(), Version: target.KeyVersion, Kind: t.Kind, ISA: t.ISA, Features: t.Features, UArch: t.MCPU, Model: t.Model, Threads: t.Threads, Spec: []byte(t.String())}
}
