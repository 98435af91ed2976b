// Package feature turns a scheduled tensor function into numbers for the cost
// model: one row of named columns for each buffer that the function stores to.
//
// The first 164 columns are those of MetaSchedule's per-store features (arith,
// loops, buffers, intensity, alloc and outer groups); the rest is Hone's own:
// the register tile, vector use, packing, cache footprints, balance of the
// parallel chunks, the intensity curve on a logarithmic axis. Everything is derived in one walk over the schedulable
// function itself. Block iterators are replaced by their bindings as linear forms
// over the enclosing loops, so that no lowering pass has to run; what lowering
// would do to a buffer (where it is allocated, how small it gets) is computed
// from the same forms. reference_test.go holds the columns against those that the
// reference computes, and lists the few that differ on purpose.
//
// Columns do not depend on the names of variables, blocks or buffers, and are
// always finite. A change of meaning or order of columns must raise Version.
//
// The package imports compiler packages (dtype, tir, target, schedule's table of
// annotation keys) and internal/mathx, never the tuner. Start from Extractor.
package feature
