//go:build linux || darwin

package bus

import "golang.org/x/sys/unix"

// freeBytes is the room left for this user on the file system of dir.
func freeBytes(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
