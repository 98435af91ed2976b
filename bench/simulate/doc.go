// Package simulate searches without hardware: a stored log of measurements
// replaces the fleet. Exact answers what the log holds and refuses anything else,
// so that a search with the same seed proposes the same trials or fails; Surrogate
// guesses what the log does not hold by a model fitted to all of it, and counts its
// guesses. It is for benchmarks and tests of search. Start from Log and Run.
package simulate
