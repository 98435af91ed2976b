package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"hone/api"
	"hone/compiler"
	"hone/compiler/runtime"
	"hone/internal/cc"
)

// tuned is what the search left.
type tuned struct {
	job        api.Job
	tasks      []api.Task
	ok, failed int
}

// hone runs the binary.
func (d *demo) hone(ctx context.Context, out io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(d.bin, "hone"), args...)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("hone %s: %w", args[0], err)
	}
	return nil
}

// query runs a listing and reads its JSON.
func (d *demo) query(ctx context.Context, into any, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(d.bin, "hone"), append(args, "-o", "json", "--data-dir", d.state())...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("hone %s: %w", args[0], err)
	}
	return nil
}

// search tunes the model and asks what came of it.
func (d *demo) search(ctx context.Context) error {
	err := d.hone(ctx, os.Stdout, "tune", d.modelFile(), "--fresh", "--data-dir", d.state(), "--trials", fmt.Sprint(d.trials),
		"--threads", fmt.Sprint(d.target.Threads), "--seed", fmt.Sprint(d.seed))
	if err != nil {
		return err
	}
	var jobs []api.Job
	if err := d.query(ctx, &jobs, "jobs", "list"); err != nil {
		return err
	}
	if len(jobs) != 1 {
		return fmt.Errorf("%d jobs in a new data directory", len(jobs))
	}
	var job struct {
		api.Job
		Tasks []api.Task `json:"tasks"`
	}
	if err := d.query(ctx, &job, "jobs", "show", jobs[0].ID); err != nil {
		return err
	}
	var records []api.Record
	if err := d.query(ctx, &records, "records", "list", "--limit", "1000000"); err != nil {
		return err
	}
	d.tune = tuned{job: job.Job, tasks: job.Tasks, ok: len(records), failed: int(job.TrialsSpent) - len(records)}
	return nil
}

// build makes the three libraries.
func (d *demo) build(ctx context.Context) error {
	common := []string{"compile", d.modelFile(), "--threads", fmt.Sprint(d.target.Threads), "--data-dir", d.state()}
	fmt.Println()
	return errors.Join(d.naive(ctx),
		d.hone(ctx, io.Discard, append(common, "-o", d.library("untuned"), "--untuned")...),
		d.hone(ctx, os.Stdout, append(common, "-o", d.library("tuned"), "--report", d.compiled(), "--require-coverage", "100%")...))
}

// naive builds the model's loops as they are: no schedule, one thread.
func (d *demo) naive(ctx context.Context) error {
	l, err := compiler.Load(d.modelFile(), &d.target, compiler.LoadOptions{})
	if err != nil {
		return err
	}
	defer l.Close()
	var choices []compiler.Choice
	for _, t := range l.Tasks {
		choices = append(choices, compiler.Choice{Task: t, Func: t.Func, Source: "none"})
	}
	comp, err := cc.Default(ctx, "")
	if err != nil {
		return err
	}
	a, err := compiler.Build(ctx, l.Program, choices, compiler.BuildOptions{Target: d.target, Toolchain: &cc.Toolchain{Compiler: comp}})
	if err != nil {
		return err
	}
	return runtime.WriteFiles(d.library("naive"), a.Library, runtime.Library{Model: a.Model})
}
