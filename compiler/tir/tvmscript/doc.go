// Package tvmscript reads tensor functions from TVMScript text: the current
// spelling (T.sblock, s_tir=True) and that of releases up to 0.20 (T.block,
// T.alloc_buffer, T.let-less bindings). tir.Script writes the text back.
//
// Start from Parse (a module) or ParseFunc (one function). Reading goes in three
// steps: lex.go makes Python tokens with indentation, syntax_*.go a small Python
// syntax tree, build_*.go evaluates it into tir nodes with the typing and folding
// of TVMScript. Omitted read and write regions are filled by
// tir/analysis.InferRegions at the end. The result is checked by tir.Verify
// unless the script asks not to (check_well_formed=False).
//
// Every fault in the text is an *Error with line, column and the source line.
// What TVMScript can say and tir has no node for (tile primitives, layouts,
// shuffles, lanes that depend on vscale) is such a fault.
//
// The package imports dtype, tir, tir/arith and tir/analysis.
package tvmscript
