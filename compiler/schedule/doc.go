// Package schedule transforms tensor functions by primitives: the loops and
// blocks of a function are split, reordered, moved and cached, and what the
// function computes stays the same.
//
// Start from New, then Schedule.GetSBlock and the methods named after the
// primitives, one file prim_<name>.go each. A method checks every precondition
// before it writes anything; one that does not hold gives an *Error that names
// the primitive, the broken condition (error.go), the place and the reason, and
// the schedule is as it was.
//
// A schedule holds its function as a tree of loops, sequences and blocks in an
// arena (tree.go) and edits it in place; expressions, block shells and leaf
// statements are the immutable nodes of package tir and are shared. Fork copies
// the arena, Func writes the tree back as statements. Handles are dense numbers
// (handle.go): they survive every primitive that keeps their loop or block, and
// afterwards fail by the name of the primitive that took it away.
//
// Every call is recorded as an Instruction (record.go). Kinds register
// themselves (kind.go), so package trace stores and replays instructions
// without knowing any of them. DESIGN.md tells the rest.
//
// The package imports tir and its tools, tvmscript for the text of intrinsics, and
// internal/rng; it knows nothing of trace, targets or tuning.
package schedule
