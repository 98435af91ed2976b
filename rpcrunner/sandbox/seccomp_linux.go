package sandbox

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// allowed are the system calls an executor makes after it was confined: memory, its one
// socket, clocks, waiting, and dying. Everything else (files, processes, sockets, ptrace)
// is refused with EPERM.
var allowed = []string{
	"mmap", "munmap", "mprotect", "madvise", "mremap", "brk",
	"read", "write", "pread64", "close", "fstat", "lseek", "recvmsg", "sendto", "sendmsg", "fcntl",
	"clock_gettime", "clock_getres", "gettimeofday", "nanosleep", "clock_nanosleep", "getrusage", "prlimit64",
	"futex", "sched_yield", "sched_getaffinity", "sched_setaffinity", "membarrier", "rseq",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "getpid", "gettid", "tgkill", "restart_syscall",
	"exit", "exit_group",
}

// allowedByArch adds calls that exist on one architecture only.
var allowedByArch = map[string][]string{"amd64": {"getrlimit", "setrlimit", "arch_prctl", "time"}}

// Filter assembles the seccomp program for this architecture, as the kernel's array of
// sock_filter instructions.
func Filter() ([]byte, error) {
	policy := seccomp.Policy{
		DefaultAction: seccomp.ActionErrno, // the library knows actions by name only; the error number is set below
		Syscalls:      []seccomp.SyscallGroup{{Action: seccomp.ActionAllow, Names: append(append([]string{}, allowed...), allowedByArch[runtime.GOARCH]...)}},
	}
	insts, err := policy.Assemble()
	if err != nil {
		return nil, fmt.Errorf("assemble: %w", err)
	}
	raw, err := bpf.Assemble(insts)
	if err != nil {
		return nil, fmt.Errorf("assemble: %w", err)
	}
	var out []byte
	for _, i := range raw {
		k := i.K
		if i.Op == opReturn && k == uint32(seccomp.ActionErrno) {
			k |= uint32(unix.EPERM)
		}
		out = binary.NativeEndian.AppendUint16(out, i.Op)
		out = append(out, i.Jt, i.Jf)
		out = binary.NativeEndian.AppendUint32(out, k)
	}
	return out, nil
}

const opReturn = 0x06 // BPF_RET | BPF_K

func applySeccomp(ask Request) error {
	code, err := Filter()
	if err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("hone-filter", unix.MFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("memfd: %w", err)
	}
	f := os.NewFile(uintptr(fd), "filter")
	defer f.Close()
	if _, err := f.Write(code); err != nil {
		return err
	}
	return ask("seccomp", f)
}
