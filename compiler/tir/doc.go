// Package tir is Hone's tensor IR, the dialect that TVM calls S-TIR: functions
// over buffers whose computations are blocks with iterators, declared regions
// and an optional reduction initialiser, nested in loops.
//
// Start from PrimFunc, then Block and For. Expressions (expr.go) and statements
// (stmt.go) are small immutable structs behind sealed interfaces; rewrites
// return the same pointer when nothing changed (visit.go, rewrite.go). fold.go
// builds expressions with the typing and folding rules of TVMScript, builder.go
// builds whole functions.
//
// The package imports dtype only. Text is read by tir/tvmscript; reasoning about
// indices is in tir/arith, about regions and dependencies in tir/analysis.
package tir
