// Package graph is Hone's graph IR: a model as a directed acyclic graph of tensor
// operators over values of static shape.
//
// Start from Graph, then Node and Value. Nodes and values are named by dense
// ids (NodeID, ValueID) into the graph's slices; an operator is one Op literal
// that answers every question asked about it: the types of its results, its
// value on host tensors (the oracle of every later stage), its lowering to
// tensor IR, how it fuses and what it does to layouts. The operators themselves
// live in graph/ops, rewrites in graph/graphopt.
//
// The package imports dtype and tir; never a pass, the importer or a backend.
package graph
