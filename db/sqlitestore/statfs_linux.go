package sqlitestore

import "golang.org/x/sys/unix"

// networkFS names the network file systems by their magic numbers, as in
// linux/magic.h and the file systems' own sources.
var networkFS = map[uint32]string{
	0x6969: "NFS", 0x517b: "SMB", 0xfe534d42: "SMB2", 0xff534d42: "CIFS", 0x564c: "NCP", 0x73757245: "Coda",
	0x5346414f: "AFS", 0x01021997: "9P", 0x00c36400: "Ceph", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS",
}

// statFS returns the name of dir's file system if it is a network one, and the
// bytes that are free there.
func statFS(dir string) (network string, free uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "", 0, err
	}
	return networkFS[uint32(s.Type)], s.Bavail * uint64(s.Bsize), nil
}
