package sandbox

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rulesetAttr is the kernel's struct landlock_ruleset_attr as of ABI 6.
type rulesetAttr struct {
	accessFS, accessNet, scoped uint64
}

// handled returns what each ABI of Landlock can forbid; a rule set without rules forbids
// all of it. See the kernel's userspace-api/landlock.
func handled(abi int) (rulesetAttr, uintptr) {
	const base = 1<<13 - 1 // execute … make_sym
	a := rulesetAttr{accessFS: base}
	size := unsafe.Sizeof(a.accessFS)
	if abi >= 2 {
		a.accessFS |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		a.accessFS |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		a.accessNet = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(a.accessNet)
	}
	if abi >= 5 {
		a.accessFS |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		a.scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size += unsafe.Sizeof(a.scoped)
	}
	return a, size
}

// applyLandlock makes a rule set that allows no path and no network and has the executor
// restrict itself with it. Everything it needs it gets as open descriptors.
func applyLandlock(ask Request) error {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return fmt.Errorf("the kernel has none (%w)", errno)
	}
	attr, size := handled(int(abi))
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("rule set: %w", errno)
	}
	f := os.NewFile(fd, "landlock")
	defer f.Close()
	return ask("landlock", f)
}
