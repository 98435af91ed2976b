// Package mathx computes exponentials and logarithms that have the same bits on
// every processor.
//
// The standard library's Exp and Log use assembly on some architectures, and a
// Go compiler may fuse a multiplication with an addition where the processor
// can. Either changes the last bit of a score, hence the order of two
// candidates, hence a whole search. The functions here use only additions,
// multiplications and divisions in a fixed order, each rounded on its own.
//
// It imports the standard library only. Start from Exp, Log and Log2.
package mathx
