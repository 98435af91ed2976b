// Package interp runs tensor functions on host tensors, slowly and plainly: it
// is the oracle behind every pass, primitive and code generator. Start from
// Run; RunWith adds the checks of Options.
//
// Numbers. Every floating-point operation is computed in float64 and rounded to
// its own type at once, so float32 sums, products, quotients and roots are
// correctly rounded and nothing is contracted: a compiled kernel that fuses
// a*b+c differs in the last bits, and comparers must allow for that. Intrinsics
// (exp, erf, …) are Go's float64 functions rounded to the result's type.
// Integers wrap at their width; division by zero is an error.
//
// Order. All loops run serially, whatever their kind, innermost last; blocks run
// their init when every reduce iterator is at its start. Vectors are evaluated
// lane by lane, a vector store computes all lanes before it writes any.
//
// Memory. Arguments are copied in and out, so arguments must not overlap.
// Allocated buffers start as NaN, or a large odd number for integers. Strides
// and offsets of parameters and allocations are layout only and change nothing.
//
// A function is compiled to closures once per run. The package imports dtype
// and tir only.
package interp
