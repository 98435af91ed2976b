// Package gbdt trains gradient-boosted regression trees on histograms and
// stores them in LightGBM's text format.
//
// The same input gives the same trees bit for bit, on any processor and under
// any GOMAXPROCS: gradients are rounded once to fixed-point integers, so that
// sums do not depend on their order, and every other product is rounded before
// it is added. As a consequence the histogram of a larger child, obtained by
// subtraction, equals the one built directly, and the order of rows does not
// matter.
//
// Life of a model: NewDataset bins the columns once; Train grows leaf-wise trees
// for an Objective; Model.WriteText and ReadText store it; Seal and Unseal put a
// checksum around the text; NewPredictor answers many rows quickly through the
// leaves library, which must never see a file that was not written here.
//
// The package imports only internal/mathx of Hone. Start from Train.
package gbdt
