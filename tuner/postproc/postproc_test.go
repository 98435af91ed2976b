package postproc_test

import (
	"errors"
	"path"
	"path/filepath"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
	"hone/internal/golden"
	"hone/tuner/postproc"
	"hone/tuner/preset"
	"hone/tuner/tunertest"
)

// owner finds the preset that uses a member, and its place in the list.
func owner(name string) (preset.Preset, int) {
	vnni, err := preset.Lookup("cpu-parity-vnni")
	if err != nil {
		panic(err)
	}
	for _, p := range []preset.Preset{preset.CPUParity(), preset.CPU(), vnni} {
		for i, x := range p.Postprocs {
			if x.Name() == name {
				return p, i
			}
		}
	}
	return preset.Preset{}, -1
}

// Scripts give what one member makes of a schedule: `apply WORKLOAD sketch=N
// seed=N` draws it from the member's preset and lets the members before it go
// first; `function` takes the function below. The result must verify, compute the
// same and be what its trace replays to.
func TestPostprocs(t *testing.T) {
	golden.Run(t, "testdata/*.txt", func(t *testing.T, c *golden.Case) string {
		name := path.Base(t.Name())
		p, at := owner(name)
		if at < 0 {
			t.Fatalf("no preset has the member %s", name)
		}
		var s *schedule.Schedule
		if c.Cmd == "function" {
			f, err := tvmscript.ParseFunc(c.Input)
			if err != nil {
				t.Fatal(err)
			}
			s = schedule.NewFunc(f, nil)
		} else {
			s = tunertest.Drawn(t, c, p)
		}
		if err := s.EnterPostproc(); err != nil {
			t.Fatal(err)
		}
		tgt := tunertest.CaseTarget(t, c)
		for _, x := range p.Postprocs[:at+1] {
			if err := x.Apply(s, &tgt); err != nil {
				var r *postproc.Rejected
				if !errors.As(err, &r) && !schedule.IsRefusal(err) {
					t.Fatalf("%s: %v", c.Pos, err)
				}
				return err.Error()
			}
		}
		if c.Cmd == "apply" {
			f := tunertest.Function(t, c)
			tunertest.NewOracle(t, f).Scheduled(t, c.Pos, s.Func())
			again := schedule.NewFunc(f, nil)
			if err := trace.Of(s).Simplified(false).Replay(again, trace.Options{}); err != nil {
				t.Fatalf("%s: %v", c.Pos, err)
			}
			if tir.Hash(again.Func()) != tir.Hash(s.Func()) {
				t.Errorf("%s: the trace replays to another function", c.Pos)
			}
		}
		return tunertest.Body(s.Func())
	})
}

// Every member of a preset has a script and a file of its name.
func TestEveryPostprocHasAScript(t *testing.T) {
	for _, p := range []preset.Preset{preset.CPUParity(), preset.CPU()} {
		for _, x := range p.Postprocs {
			for _, want := range []string{x.Name() + ".go", filepath.Join("testdata", x.Name()+".txt")} {
				if found, _ := filepath.Glob(want); found == nil {
					t.Errorf("%s is missing", want)
				}
			}
		}
	}
}
