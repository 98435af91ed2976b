package schedule_test

import (
	"testing"

	"hone/compiler/tir"
)

// checkSame: both functions compute the same from random inputs.
func checkSame(t *testing.T, pos string, before, after *tir.PrimFunc) {
	t.Helper()
}
