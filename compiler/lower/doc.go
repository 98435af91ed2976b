// Package lower turns a fused graph into a Program: one PrimFunc per region,
// the order of calls, constants as they lie in memory, and a memory plan. Start
// from Lower and Program.
//
// Functions are canonical: regions of the same operators and shapes give
// structurally equal functions, because weights are parameters, buffers are
// named by role, and nodes are visited from the region's result. That is what
// lets tasks be counted and records be shared.
//
// The package imports graph, tir, tir/analysis and tir/interp; it knows no pass, schedule or
// backend.
package lower
