// Package npy reads and writes NumPy's array files, .npy (one array) and .npz (a
// zip of them by name), as host tensors. Start from Read and Write, or ReadZip
// and WriteZip. It imports dtype only.
//
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
package npy
