package pipeline

import (
	"errors"

	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/tirpass"
)

// CPU lowers a scheduled function to the flat loops that the C emitter prints.
var CPU = []Pass{
	{"split-packing", "while packing blocks are still blocks with names", splitPacking},
	{"lower-blocks", "everything below works on loops and statements", whole(tirpass.LowerBlocks)},
	{"place-allocations", "needs many-dimensional indices to see what a tile touches", whole(tirpass.PlaceAllocations)},
	{"flatten-buffers", "indices become linear forms, which every later pass reads", whole(tirpass.FlattenBuffers)},
	{"forward-scalars", "the steps of an intrinsic become one store, which passes on tiles recognise", body(tirpass.ForwardScalars)},
	{"lift-guards", "padding becomes a condition on statements before loops are joined", body(tirpass.LiftGuards)},
	{"hoist-guards", "conditions leave the loops they do not depend on", body(tirpass.HoistGuards)},
	{"fuse-nests", "initialiser, update and epilogue of one tile come together before tiles are specialised", body(tirpass.FuseNests)},
	{"narrow-loops", "row conditions become bounds of reduction loops; what is left depends on the tile", body(tirpass.NarrowLoops)},
	{"peel-tails", "tails of reductions leave their loops before tiles are recognised", body(tirpass.PeelTails)},
	{"version-tiles", "first and last tiles get bodies of their own while loops still have variables", body(tirpass.VersionTiles)},
	{"vectorize-loops", "after versions, so that a tail is a constant number of lanes", onLanes(tirpass.VectorizeLoops)},
	{"register-tiles", "on vector code, before any other unrolling", body(tirpass.RegisterTiles)},
	{"unroll-pragmas", "only what is no register tile", body(tirpass.UnrollPragmas)},
	{"prefetch-streams", "when a step holds all that the loop touches in it", body(tirpass.PrefetchStreams)},
	{"bunch-calls", "when all vectors are spelled out", body(tirpass.BunchCalls)},
	{"weigh-loops", "when what is left to do is spelled out, and before storage, which depends on what threads share", onLanes(tirpass.WeighLoops)},
	{"plan-storage", "last: earlier passes make and drop buffers", body(tirpass.PlanStorage)},
}

// LowerCPU runs the CPU table on a scheduled function.
func LowerCPU(f *tir.PrimFunc, t *target.Target) (*Unit, error) { return (&Runner{}).LowerCPU(f, t) }

// LowerCPU runs the CPU table on a scheduled function and on the packing
// functions that it leaves behind.
func (r *Runner) LowerCPU(f *tir.PrimFunc, t *target.Target) (*Unit, error) {
	if err := tir.VerifyComputable(f); err != nil {
		return nil, errors.New(err.(*tir.VerifyError).Msg) // callers name the function
	}
	u := &Unit{Func: f}
	if err := r.Run(CPU, u, t); err != nil {
		return nil, err
	}
	for i := range u.Packs {
		p := &Unit{Func: u.Packs[i].Func}
		if err := (&Runner{}).Run(CPU, p, t); err != nil {
			return nil, err
		}
		u.Packs[i].Func = p.Func
	}
	return u, nil
}

func splitPacking(u *Unit, _ *target.Target) (err error) {
	u.Func, u.Packs, err = tirpass.SplitPacking(u.Func)
	return err
}

// whole adapts a pass on functions.
func whole(f func(*tir.PrimFunc) (*tir.PrimFunc, error)) func(*Unit, *target.Target) error {
	return func(u *Unit, _ *target.Target) error {
		g, err := f(u.Func)
		if err == nil {
			u.Func = g
		}
		return err
	}
}

// body adapts a pass on the statements of a lowered function.
func body(f func(tir.Stmt) tir.Stmt) func(*Unit, *target.Target) error {
	return func(u *Unit, _ *target.Target) error {
		u.Func = u.Func.WithBody(f(u.Func.Body))
		return nil
	}
}

// onLanes adapts a pass on statements that asks for the lanes of a vector.
func onLanes(f func(tir.Stmt, func(dtype.DType) int) tir.Stmt) func(*Unit, *target.Target) error {
	return func(u *Unit, t *target.Target) error {
		lanes := func(d dtype.DType) int { return t.Lanes(int(d.Bits)) }
		u.Func = u.Func.WithBody(f(u.Func.Body, lanes))
		return nil
	}
}
