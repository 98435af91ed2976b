// Package ops holds the graph operators, one file per family. Import it for its
// side effect of registering them with package graph. Exported is only what a pass
// computes with an operator's own tables (WinogradWeights).
//
// To add an operator, copy the smallest member of its family: one literal with
// Infer (types), Eval (the value on host tensors, in float64 wherever that
// matters) and Lower or Scalar (its blocks in tensor IR). The test of the
// package runs every operator's lowering against its Eval.
//
// The package must not import passes, the importer or a backend.
package ops
