// Package arith reasons about integer index expressions: constant bounds,
// modular sets, simplification, proofs of comparisons, symbolic intervals of
// regions, iteration maps and index maps.
//
// Start from Analyzer: bind the variables in scope, then Simplify or CanProve.
// An Analyzer is cheap to make and not safe for concurrent use. Integer
// arithmetic of int32 and int64 is taken to be free of overflow, as everywhere
// in index arithmetic; other types are simplified only where that is harmless.
//
// Every rule here is an identity over all integers within the known bounds. The
// tests enumerate small boxes and compare values, so a rule that is nearly right
// fails; the files in testdata record the form of the result.
//
// The package imports tir and dtype only.
package arith
