package dlight

import (
	"fmt"
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/internal/rng"
)

// Move is one step of a schedule: it looks at one block and applies its
// primitives, or leaves the schedule alone and says so.
type Move struct {
	Name  string
	Apply func(s *schedule.Schedule, b schedule.BlockRV, t *target.Target, m Mode) (applied bool, err error)
}

// Moves is the order in which a function is scheduled: every move visits all
// blocks, the root first, then from the last one back, before the next begins.
var Moves = []Move{
	{"inline", InlineBlock},
	{"chain", ChainOf},
	{"between", BetweenOf},
	{"rows", RowsOf},
	{"stages", StagesBlock},
	{"tile", TileBlock},
	{"spatial", SpatialBlock},
}

// Default schedules a function for a CPU with computed decisions. It returns the
// schedule, whose trace can be stored, and the names of the moves that applied.
// A move that is refused leaves nothing behind.
func Default(f *tir.PrimFunc, t *target.Target) (*schedule.Schedule, []string, error) {
	s := schedule.NewFunc(f, rng.New(0, "dlight"))
	blocks, err := AllBlocks(s)
	if err != nil {
		return nil, nil, fmt.Errorf("default schedule of %s: %w", f.Name, err)
	}
	var used []string
	for _, m := range Moves {
		for _, b := range slices.Backward(blocks) {
			if !s.Alive(b) {
				continue
			}
			next, ok, err := Try(s, b, m, t, Analytic)
			if err != nil {
				return nil, nil, fmt.Errorf("default schedule of %s, %s: %w", f.Name, m.Name, err)
			}
			if s = next; ok && !slices.Contains(used, m.Name) {
				used = append(used, m.Name)
			}
		}
	}
	if err := Finish(s); err != nil {
		return nil, nil, fmt.Errorf("default schedule of %s: %w", f.Name, err)
	}
	return s, used, nil
}

// Try applies a move to a fork and returns the fork, or s itself when the move
// does not apply or is refused.
func Try(s *schedule.Schedule, b schedule.BlockRV, m Move, t *target.Target, mode Mode) (*schedule.Schedule, bool, error) {
	c := s.Fork()
	ok, err := m.Apply(c, b, t, mode)
	switch {
	case schedule.IsRefusal(err), err == nil && !ok:
		return s, false, nil
	case err != nil:
		return nil, false, err
	}
	return c, true, nil
}

// AllBlocks takes a handle to every block of the function by name: children
// before parents, hence the root last.
func AllBlocks(s *schedule.Schedule) ([]schedule.BlockRV, error) {
	var out []schedule.BlockRV
	for _, name := range blockNames(s.Func().Body) {
		b, err := s.GetSBlock(name)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

func blockNames(s tir.Stmt) []string {
	switch x := s.(type) {
	case *tir.BlockRealize:
		return append(blockNames(x.Block.Body), x.Block.Name)
	case *tir.Seq:
		var out []string
		for _, y := range x.Stmts {
			out = append(out, blockNames(y)...)
		}
		return out
	case *tir.For:
		return blockNames(x.Body)
	case *tir.If:
		out := blockNames(x.Then)
		if x.Else != nil {
			out = append(out, blockNames(x.Else)...)
		}
		return out
	}
	return nil
}

// isRoot reports whether a block is the root of its function.
func isRoot(s *schedule.Schedule, b schedule.BlockRV) bool {
	r, err := s.BlockOf(b)
	if err != nil {
		return false
	}
	root, ok := s.Header().Root()
	return ok && len(r.Block.Iters) == 0 && r.Block.Name == root.Block.Name
}

// Finish is what every schedule ends with: initialisers apart and weights packed.
func Finish(s *schedule.Schedule) error {
	if err := s.EnterPostproc(); err != nil {
		return err
	}
	if err := DecomposeReductions(s); err != nil {
		return err
	}
	return PackWeights(s)
}
