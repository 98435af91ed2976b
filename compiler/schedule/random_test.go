package schedule_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
	"hone/internal/rng"
)

// small are the functions of testdata/small, which random sequences transform.
func small(t testing.TB) map[string]*tir.PrimFunc {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "small", "*.py"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no functions: %v", err)
	}
	out := map[string]*tir.PrimFunc{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := tvmscript.Parse(p, string(text))
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(p), ".py")] = m.Funcs[0]
	}
	return out
}

func smallNames(t testing.TB) []string {
	var out []string
	for n := range small(t) {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// call is one instruction that a player tries.
type call struct {
	inputs, attrs []any
	outputs       int // how many results it gives, where handles do not say
}

// player performs random primitives on one schedule.
type player struct {
	s *schedule.Schedule
	r *rng.Rand
}

// pick is a random block other than the root whose name is its own.
func (p *player) pick() (schedule.BlockRV, *tir.Block, bool) {
	count, blocks := map[string]int{}, []*tir.Block{}
	tir.WalkStmt(p.s.Func().Body, func(s tir.Stmt) bool {
		if b, ok := s.(*tir.BlockRealize); ok && b.Block.Name != "root" {
			count[b.Block.Name]++
			blocks = append(blocks, b.Block)
		}
		return true
	})
	b := rng.Pick(p.r, blocks)
	if count[b.Name] > 1 {
		return 0, nil, false
	}
	rv, err := p.s.GetSBlock(b.Name)
	return rv, b, err == nil
}

// nest is a random block with loops around it.
func (p *player) nest() (schedule.BlockRV, []schedule.LoopRV, bool) {
	b, _, ok := p.pick()
	if !ok {
		return 0, nil, false
	}
	ls, err := p.s.GetLoops(b)
	return b, ls, err == nil && len(ls) > 0
}

func (p *player) loop() (schedule.LoopRV, bool) {
	_, ls, ok := p.nest()
	if !ok {
		return 0, false
	}
	return rng.Pick(p.r, ls), true
}

// int is a random integer from lo to hi.
func (p *player) int(lo, hi int) int64 { return int64(lo + p.r.Intn(hi-lo+1)) }

// flag is 1 with probability q.
func (p *player) flag(q float64) any {
	if p.r.Bool(q) {
		return int64(1)
	}
	return int64(0)
}

// indexMap is a random map of n indices that is often invertible.
func (p *player) indexMap(n int) *tir.IndexMap {
	return schedule.NewIndexMap(n, func(i []tir.Expr) []tir.Expr {
		out := slices.Clone(i)
		if p.r.Bool(0.7) {
			rng.Shuffle(p.r, out)
		}
		if len(out) > 0 && p.r.Bool(0.5) {
			d, c := p.r.Intn(len(out)), tir.Int(p.int(2, 4))
			x := out[d]
			out[d] = tir.FloorDiv(x, c)
			out = append(out, tir.FloorMod(x, c))
		}
		return out
	})
}

// refused is a call that did not happen.
type refused struct {
	done int // instructions before it
	move string
	call call
	err  error
}

// game is what a player did.
type game struct {
	name     string
	seed     int
	before   *tir.PrimFunc
	s        *schedule.Schedule
	accepted map[string]int
	refused  []refused
}

func (g *game) pos() string { return fmt.Sprintf("%s seed %d", g.name, g.seed) }

// play tries n random primitives on a function and checks after each that a
// refused one changed nothing.
func play(t *testing.T, name string, f *tir.PrimFunc, seed, n int, keeps bool) *game {
	t.Helper()
	r := rng.New(uint64(seed), "random", name)
	g := &game{name: name, seed: seed, before: f, s: withIntrins(t, schedule.NewFunc(f, r.Split("sample"))), accepted: map[string]int{}}
	p := &player{g.s, r}
	for tried, done := 0, 0; tried < 12*n && done < n; tried++ {
		m := rng.Pick(r, moves)
		if keeps && m.changes {
			continue
		}
		kind, err := schedule.LookupKind(m.kind)
		if err != nil {
			t.Fatal(err)
		}
		c, ok := m.draw(p)
		if !ok {
			continue
		}
		if err := kind.Check(c.inputs, c.attrs); err != nil {
			t.Fatalf("%s: the test calls %v", g.pos(), err)
		}
		if g.try(t, m.kind, kind, c) && !kind.Pure {
			done++
		}
	}
	return g
}

func (g *game) try(t *testing.T, move string, k *schedule.Kind, c call) bool {
	t.Helper()
	done, before := len(g.s.Instructions()), g.s.Func()
	err := k.Apply(g.s, schedule.Call{Inputs: c.inputs, Attrs: c.attrs})
	var refusal *schedule.Error
	switch {
	case err == nil:
		g.accepted[move]++
	case !errors.As(err, &refusal):
		t.Fatalf("%s: %s: %v", g.pos(), move, err)
	case g.s.Func() != before && tir.Script(g.s.Func()) != tir.Script(before):
		t.Fatalf("%s: refused %s changed the function: %v\n%s", g.pos(), move, err, tir.Script(g.s.Func()))
	default:
		g.refused = append(g.refused, refused{done, move, c, err})
	}
	return err == nil
}

// trace is what the player did, and with a refusal what led to it and the call
// itself.
func (g *game) trace() trace.Trace { return trace.Of(g.s) }

func (g *game) traceOf(t *testing.T, r refused) trace.Trace {
	t.Helper()
	k, err := schedule.LookupKind(r.move)
	if err != nil {
		t.Fatal(err)
	}
	all := trace.Of(g.s)
	insts := append(slices.Clone(all.Insts[:r.done]), schedule.Instruction{Kind: k, Inputs: r.call.inputs, Attrs: r.call.attrs, Outputs: freshOutputs(k, r.call)})
	return trace.Trace{Insts: insts, Decisions: append(slices.Clone(all.Decisions[:r.done]), nil)}
}

// freshOutputs are as many handles as the call would have given.
func freshOutputs(k *schedule.Kind, c call) []any {
	letter, n := byte(0), 1
	switch k.Out {
	case schedule.OutBlock:
		letter = 'b'
	case schedule.OutBlocks:
		letter, n = 'b', c.outputs
	case schedule.OutLoop:
		letter = 'l'
	case schedule.OutLoops:
		letter, n = 'l', c.outputs
	case schedule.OutExpr:
		letter = 'v'
	case schedule.OutExprs:
		letter, n = 'v', c.outputs
	default:
		return nil
	}
	out := make([]any, n)
	for i := range out {
		h, err := schedule.Handle(letter, int32(1<<20+i))
		if err != nil {
			panic(err)
		}
		out[i] = h
	}
	return out
}

func (g *game) module() *tir.Module { return &tir.Module{Funcs: []*tir.PrimFunc{g.before}} }
