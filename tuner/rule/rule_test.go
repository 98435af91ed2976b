package rule_test

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/internal/golden"
	"hone/internal/rng"
	"hone/tuner/preset"
	"hone/tuner/rule"
	"hone/tuner/space"
	"hone/tuner/tunertest"
)

// halves is the custom rule of the scripts: it splits the first loop in two, in
// two ways.
func halves(s *schedule.Schedule, b schedule.BlockRV, _ *rule.Context) ([]*schedule.Schedule, error) {
	var out []*schedule.Schedule
	for _, n := range []int64{2, 4} {
		c := s.Fork()
		loops, err := c.GetLoops(b)
		if err != nil {
			return nil, err
		}
		if _, err := c.Split(loops[0], schedule.Open, schedule.Int(n)); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func init() { rule.AddCustom("cpu", "test_halves", halves) }

// rules are the members with the parameters of the presets.
func rules() map[string]rule.Rule {
	out := map[string]rule.Rule{}
	for _, name := range []string{"cpu-parity-vnni", "cpu-parity", "cpu"} {
		p, err := preset.Lookup(name)
		if err != nil {
			panic(err)
		}
		for _, r := range p.Rules {
			out[r.Name()] = r
		}
	}
	return out
}

// annotated adds the annotation block,key,value to a function.
func annotated(t *testing.T, f *tir.PrimFunc, spec string) *tir.PrimFunc {
	t.Helper()
	part := strings.Split(spec, ",")
	s := schedule.NewFunc(f, nil)
	b, err := s.GetSBlock(part[0])
	if err != nil {
		t.Fatal(err)
	}
	var value any = part[2]
	if part[1] == "s_tir.meta_schedule.write_cache_level" {
		value = []any{int64(part[2][0] - '0')}
	}
	if err := s.Annotate(b, part[1], value); err != nil {
		t.Fatal(err)
	}
	return s.Func()
}

// Scripts give the sketches of one rule, `sketches WORKLOAD`, after those that
// `after` names. Decisions drawn for each sketch must give a function that
// verifies and computes the same.
func TestRules(t *testing.T) {
	members := rules()
	golden.Run(t, "testdata/*.txt", func(t *testing.T, c *golden.Case) string {
		f, tgt := tunertest.Function(t, c), tunertest.CaseTarget(t, c)
		oracle := tunertest.NewOracle(t, f)
		if spec, ok := c.Arg("annotate"); ok {
			f = annotated(t, f, spec)
		}
		p := preset.Preset{Name: "one"}
		if after, ok := c.Arg("after"); ok {
			p.Rules = append(p.Rules, members[after])
		}
		p.Rules = append(p.Rules, members[path.Base(t.Name())])
		spaces, notes, err := space.Generate(f, p, &tgt)
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		for _, n := range notes {
			fmt.Fprintf(&b, "note: %s\n", n)
		}
		for i, sp := range spaces {
			fmt.Fprintf(&b, "sketch %d\n%s", i, tunertest.Lines(t, sp.Sketch))
			for seed := range 3 {
				s := schedule.NewFunc(f, rng.New(uint64(seed)))
				if err := sp.Sketch.Replay(s, trace.Options{}); err != nil {
					t.Fatalf("%s: %v", c.Pos, err)
				}
				oracle.Scheduled(t, c.Pos, s.Func())
			}
		}
		return b.String()
	})
}

// Every member has a script of its name.
func TestEveryRuleHasAScript(t *testing.T) {
	for name := range rules() {
		if found, _ := filepath.Glob(filepath.Join("testdata", name+".txt")); found == nil {
			t.Errorf("testdata/%s.txt is missing", name)
		}
		if found, _ := filepath.Glob(name + ".go"); found == nil {
			t.Errorf("%s.go is missing", name)
		}
	}
}
