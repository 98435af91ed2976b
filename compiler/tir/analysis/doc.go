// Package analysis answers questions about the structure of tensor functions:
// which regions a block reads and writes, what the blocks of a scope depend on,
// whether a block is complete or a reduction, which loops are spatial, how much
// work and traffic there is.
//
// Start from InferRegions for a whole function, BlockRegions for one block, and
// Scope for the blocks directly inside a block with the loops around them.
// Functions take tir nodes and explicit lists of loops and keep no state, so a
// schedule with its own reference tree can call them on what it holds.
//
// The package imports tir, tir/arith and dtype. It must not import the schedule.
package analysis
