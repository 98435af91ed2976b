// Package lint holds the repository to its own rules: who may import whom
// (docs say why, the tables Areas and Rules say what) and a few properties of
// the source that no compiler checks. Its tests run over the whole repository
// and keep the graph of packages in ARCHITECTURE.md; start from Rules.
//
// The package imports the standard library only and runs the go command.
package lint
