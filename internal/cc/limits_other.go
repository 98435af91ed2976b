//go:build !linux

package cc

// applyLimits does nothing where a process cannot limit another one; the wall
// limit still holds.
func applyLimits(int, Limits) error { return nil }
