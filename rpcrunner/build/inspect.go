package build

import (
	"bytes"
	"debug/elf"
	"fmt"
)

// inspect refuses images the executor would refuse, or that would not fit: they must bring
// everything they need, and run nothing when mapped. memory bounds the address space of
// the mapped image, 0 does not.
func inspect(image []byte, memory int64) error {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return fmt.Errorf("the linker made no ELF file: %w", err)
	}
	defer f.Close()
	if libs, err := f.ImportedLibraries(); err != nil || len(libs) > 0 {
		return fmt.Errorf("the image needs libraries %q (%v)", libs, err)
	}
	if syms, err := f.ImportedSymbols(); err != nil || len(syms) > 0 {
		return fmt.Errorf("the image has undefined symbols %v (%v)", syms, err)
	}
	for _, tag := range []elf.DynTag{elf.DT_INIT, elf.DT_INIT_ARRAYSZ, elf.DT_FINI, elf.DT_FINI_ARRAYSZ} {
		if v, err := f.DynValue(tag); err == nil && len(v) > 0 && v[0] != 0 {
			return fmt.Errorf("the image has constructors or destructors (%v)", tag)
		}
	}
	var span uint64
	for _, p := range f.Progs {
		if p.Type == elf.PT_TLS {
			return fmt.Errorf("the image needs thread-local storage")
		}
		if p.Type == elf.PT_LOAD {
			span = max(span, p.Vaddr+p.Memsz)
		}
	}
	if memory > 0 && span > uint64(memory) {
		return fmt.Errorf("the mapped image takes %d MiB, more than %d", span>>20, memory>>20)
	}
	return nil
}

// exported lists the functions an image offers.
func exported(image []byte) (map[string]bool, error) {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	syms, err := f.DynamicSymbols()
	if err != nil {
		return nil, fmt.Errorf("the image has no dynamic symbols: %w", err)
	}
	names := make(map[string]bool, len(syms))
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF {
			names[s.Name] = true
		}
	}
	return names, nil
}
