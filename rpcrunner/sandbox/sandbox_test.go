package sandbox

import (
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestApplyOrderAndReport(t *testing.T) {
	var asked []string
	r, err := Policy{AddressSpace: 1 << 30, FileSize: 5, OpenFiles: 9}.Apply(func(words string, f *os.File) error {
		asked = append(asked, words)
		if words == "seccomp" {
			return errors.New("no such thing")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"rlimit core 0", "rlimit fsize 5", "rlimit nofile 9", "rlimit nproc 0", "rlimit as 1073741824", "privileges"}
	if len(asked) < len(want) || !slices.Equal(asked[:len(want)], want) || asked[len(asked)-1] != "seccomp" {
		t.Errorf("asked %q", asked)
	}
	if slices.Contains(r.Applied, "seccomp") || !slices.ContainsFunc(r.Lacks, func(s string) bool { return s == "seccomp: no such thing" }) {
		t.Errorf("report %+v", r)
	}
}

func TestLimitsMustHold(t *testing.T) {
	_, err := DefaultPolicy().Apply(func(words string, _ *os.File) error {
		if strings.HasPrefix(words, "rlimit nproc") {
			return errors.New("denied")
		}
		return nil
	})
	if err == nil || err.Error() != "sandbox: rlimit nproc: denied" {
		t.Errorf("%v", err)
	}
}

func TestSwitchedOff(t *testing.T) {
	p := DefaultPolicy()
	p.Off = []string{"landlock", "seccomp"}
	r, err := p.Apply(func(words string, _ *os.File) error {
		if words == "seccomp" || words == "landlock" {
			t.Errorf("%s was asked for", words)
		}
		return nil
	})
	if err != nil || !slices.Equal(r.Lacks, []string{"landlock: switched off", "seccomp: switched off"}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestFilter interprets the assembled program on a few calls: the instructions used are
// loads, equality jumps and returns.
func TestFilter(t *testing.T) {
	code, err := Filter()
	if err != nil {
		t.Skip("seccomp: ", err)
	}
	if len(code)%8 != 0 || len(code)/8 > 4096 {
		t.Fatalf("%d bytes", len(code))
	}
	for nr, want := range map[int]uint32{unix.SYS_MMAP: 0x7fff0000, unix.SYS_FUTEX: 0x7fff0000, unix.SYS_CLONE: 0x50001, unix.SYS_EXECVE: 0x50001, unix.SYS_SOCKET: 0x50001, unix.SYS_OPENAT: 0x50001, unix.SYS_PTRACE: 0x50001} {
		if got := interpret(t, code, uint32(nr)); got != want {
			t.Errorf("system call %d: action %#x, want %#x", nr, got, want)
		}
	}
}

func interpret(t *testing.T, code []byte, nr uint32) uint32 {
	arch := map[uintptr]uint32{8: 0xc000003e}[unsafe.Sizeof(uintptr(0))]
	if unix.SYS_OPENAT == 56 {
		arch = 0xc00000b7
	}
	var acc uint32
	for pc := 0; pc < len(code)/8; pc++ {
		i := code[8*pc:]
		op, jt, jf, k := binary.NativeEndian.Uint16(i), int(i[2]), int(i[3]), binary.NativeEndian.Uint32(i[4:])
		jump := func(yes bool) {
			if yes {
				pc += jt
			} else {
				pc += jf
			}
		}
		switch op {
		case 0x20:
			acc = map[uint32]uint32{0: nr, 4: arch}[k]
		case 0x15:
			jump(acc == k)
		case 0x35:
			jump(acc >= k)
		case 0x25:
			jump(acc > k)
		case 0x05:
			pc += int(k)
		case 0x06:
			return k
		default:
			t.Fatalf("instruction %#x", op)
		}
	}
	t.Fatal("the program does not end")
	return 0
}
