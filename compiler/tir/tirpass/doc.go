// Package tirpass lowers a scheduled PrimFunc to flat loops that a C emitter can
// print: blocks become statements, buffers one-dimensional, guards leave the hot
// path, vector loops become vector values and accumulators named registers.
//
// One pass a file. The order of the passes, with the reason for each place,
// stands in the table of package pipeline; start from there. The package
// imports tir, tir/arith and target; it knows neither schedules nor code generation.
package tirpass
