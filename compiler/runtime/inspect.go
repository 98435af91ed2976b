package runtime

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// inspect looks at a library before the system loads it: loading runs its
// constructors, and touching what is cut off ends the process.
func inspect(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", path)
	}
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s: not a library made by hone compile", path)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Filesz > uint64(st.Size()) || p.Off > uint64(st.Size())-p.Filesz {
			return fmt.Errorf("%s: the library is cut short: it has %d bytes, %d are named", path, st.Size(), p.Off+p.Filesz)
		}
	}
	symbols, err := f.DynamicSymbols()
	if err != nil || !slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == "hone_create" && s.Section != elf.SHN_UNDEF }) {
		return fmt.Errorf("%s: not a library made by hone compile", path)
	}
	return nil
}

// verifyWeights reads a weights file whole and compares it with the digest that it
// carries. Loading one only compares that with the library's, so that a large
// model starts at once.
func verifyWeights(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, weightsStart)
	if _, err := io.ReadFull(f, head); err != nil || !bytes.HasPrefix(head, []byte(weightsMagic)) {
		return fmt.Errorf("%s: not a weights file made by hone compile", path)
	}
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return err
	}
	if uint64(n) != binary.LittleEndian.Uint64(head[40:]) || !bytes.Equal(h.Sum(nil), head[8:40]) {
		return fmt.Errorf("%s: %w", path, errDamaged)
	}
	return nil
}

var errDamaged = errors.New("the weights are damaged: they do not have the digest written with them")
