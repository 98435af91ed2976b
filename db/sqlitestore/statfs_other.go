//go:build !linux

package sqlitestore

import "math"

// statFS knows nothing about file systems here: local tuning is for Linux, and
// elsewhere only the client commands run.
func statFS(string) (network string, free uint64, err error) { return "", math.MaxUint64, nil }
