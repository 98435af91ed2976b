// Package tirpass lowers a scheduled PrimFunc to flat loops that a C emitter can
// print: blocks become statements, buffers one-dimensional, guards leave the hot
// path, vector loops become vector values and accumulators named registers.
//
// Start from CPU, the ordered table of passes with the reason for each place,
// and Lower, which runs it. One pass a file. The package imports tir and
// target; it knows neither schedules nor code generation.
package tirpass
