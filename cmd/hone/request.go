package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"hone/api"
	"hone/compiler/tir"
	"hone/internal/wire"
	"hone/scheduler/jobrun"
)

// request is the job that the command asks for.
func (t *tuning) request() (api.NewJob, error) {
	spec, err := json.Marshal(jobrun.Spec{Target: t.target, Preset: t.f.preset, CC: t.comp.Name(), Cold: t.model.constants > lastCache(t), Sites: t.model.sites})
	if err != nil {
		return api.NewJob{}, fmt.Errorf("the job's specification: %w", err)
	}
	n := api.NewJob{Name: t.model.name, Seed: t.f.seed, ModelDigest: t.model.digest, TrialBudget: t.f.trials, TimeBudgetMS: t.f.budget.Milliseconds(), Spec: spec, Fresh: t.f.fresh}
	if n.TrialBudget == 0 && n.TimeBudgetMS == 0 {
		n.TrialBudget = int64(trialsPerTask * len(t.model.workloads))
	}
	for i, w := range t.model.workloads {
		var own json.RawMessage
		if t.bounds != nil && t.bounds[i] > 0 {
			if own, err = json.Marshal(jobrun.TaskSpec{Bound: t.bounds[i]}); err != nil {
				return api.NewJob{}, fmt.Errorf("the specification of task %s: %w", w.name, err)
			}
		}
		structure := tir.Structure(w.fn)
		n.Tasks = append(n.Tasks, api.NewTask{Name: w.name + " " + shapes(w.fn), Weight: float64(w.weight), Target: targetOut(t.target), Spec: own,
			Workload:  api.Workload{Hash: hex.EncodeToString(w.hash[:]), Name: w.name, Text: tir.Script(w.fn), Structure: hex.EncodeToString(structure[:])},
			Toolchain: api.Toolchain{Triple: t.target.Triple, Compiler: t.comp.Name()}})
	}
	n.ResumeKey, err = t.resumeKey(n)
	return n, err
}

// lastCache is the size of the target's last cache: constants beyond it are
// read from memory in every run of the model.
func lastCache(t *tuning) int64 { return max(t.target.L2, t.target.L3) }

// resumeKey is equal for commands that continue one another: the same model,
// shapes, target, options and way of measuring.
func (t *tuning) resumeKey(n api.NewJob) (string, error) {
	sorted := func(s []string) []string { s = slices.Clone(s); slices.Sort(s); return s }
	var hashes []string
	for _, k := range n.Tasks {
		hashes = append(hashes, k.Workload.Hash)
	}
	text, err := json.Marshal(map[string]any{
		"model": n.ModelDigest, "workloads": hashes, "target": t.target.Key(), "compiler": t.comp.Name(), "spec": n.Spec, "protocol": wire.Protocol,
		"shapes": sorted(t.f.shapes), "dims": sorted(t.f.dims), "consts": sorted(t.f.consts),
		"seed": n.Seed, "trials": n.TrialBudget, "time": n.TimeBudgetMS,
	})
	if err != nil {
		return "", fmt.Errorf("the job's key: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
