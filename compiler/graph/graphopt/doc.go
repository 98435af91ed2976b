// Package graphopt rewrites graphs: one pass a file, all of them in one table
// (Passes) with the reason for each one's place. Start from Run.
//
// A pass maps a valid graph to a valid one that computes the same function; it
// knows no other pass. What a pass needs of an operator it asks the operator.
// The package imports graph and its operators, never the importer, lowering or
// a backend.
package graphopt
