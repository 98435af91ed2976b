package executor

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Page is the memory shared with the child: what runs, and how it died. Backed by a file
// it survives the agent as well, and tells the next start what was running.
type Page struct {
	file *os.File
	mem  []byte
}

const pageSize = 64

// OpenPage maps a page kept in the file at path, or in memory when path is empty.
func OpenPage(path string) (*Page, error) {
	var f *os.File
	if path == "" {
		fd, err := unix.MemfdCreate("hone-page", unix.MFD_CLOEXEC)
		if err != nil {
			return nil, fmt.Errorf("executor: page: %w", err)
		}
		f = os.NewFile(uintptr(fd), "page")
	} else {
		var err error
		if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return nil, fmt.Errorf("executor: page: %w", err)
		}
	}
	st, err := f.Stat()
	fresh := err != nil || st.Size() != pageSize
	if err := f.Truncate(pageSize); err != nil {
		f.Close()
		return nil, fmt.Errorf("executor: page: %w", err)
	}
	mem, err := unix.Mmap(int(f.Fd()), 0, pageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("executor: page: %w", err)
	}
	p := &Page{file: f, mem: mem}
	if fresh {
		p.reset()
	}
	return p, nil
}

// Close unmaps the page; the file stays.
func (p *Page) Close() error {
	err := unix.Munmap(p.mem)
	if e := p.file.Close(); err == nil {
		err = e
	}
	return err
}

// Beat grows whenever the child enters or leaves foreign code.
func (p *Page) Beat() uint64 { return atomic.LoadUint64((*uint64)(unsafe.Pointer(&p.mem[0]))) }

func (p *Page) word(i int) int32 {
	return int32(binary.NativeEndian.Uint32(p.mem[8+4*i:]))
}

// Running is the tag and phase last written.
func (p *Page) Running() (tag int, phase Phase) { return int(p.word(0)), Phase(p.word(1)) }

// fault is the signal the child's handler saw (0: none) and whether a guard page was hit.
func (p *Page) fault() (signal int, guard bool) { return int(p.word(2)), p.word(3) != 0 }

// reset forgets the previous child.
func (p *Page) reset() {
	clear(p.mem)
	idle := int32(Idle)
	binary.NativeEndian.PutUint32(p.mem[8:], uint32(idle))
}

// Forget marks the page as idle: nothing was running that anybody should be blamed for.
func (p *Page) Forget() { p.reset() }

// LastTag reads the tag from a page file that a previous life left behind; Idle when there
// is none.
func LastTag(path string) int {
	b, err := os.ReadFile(path)
	if err != nil || len(b) < pageSize {
		return Idle
	}
	return int(int32(binary.NativeEndian.Uint32(b[8:])))
}
