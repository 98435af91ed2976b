package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Harden protects the agent's own secrets: no core dumps, no tracing and no reading of its
// memory by other processes of the same user.
func Harden() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("sandbox: dumpable: %w", err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("sandbox: core limit: %w", err)
	}
	return nil
}
