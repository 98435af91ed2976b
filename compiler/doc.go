// Package compiler drives a model to an artifact:
//
//	onnx.Open, Model.Import ─▶ graph.Graph ─ graphopt.Run ─▶ fused graph
//	  ─ lower.Lower ─▶ lower.Program ─ ExtractTasks ─▶ tasks to tune
//	  ─ replay of traces, lowering passes, codegen ─▶ one library and its weights
//
// It must not import the tuner, the cost model or any service: tuning is a pass
// outside the build, and a trace is data that the build replays.
package compiler
