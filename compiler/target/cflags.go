package target

import "strings"

// baseFlags hold for every CPU target. The semantics first: contraction of
// a*b+c is wanted, integers wrap, storage is shared between types, errno and
// floating-point traps do not exist; never -ffast-math. Null checks stay: with
// them gone, gcc 12 takes addresses that its induction variables count from
// zero for null accesses and drops whole loops. Then neutral tuning (a
// processor's own makes gcc fold loads into multiply-adds), and what keeps an
// image free of undefined symbols.
var baseFlags = []string{
	"-std=gnu11", "-O2", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-fwrapv", "-fno-strict-aliasing",
	"-fno-delete-null-pointer-checks", "-mtune=generic",
	"-fPIC", "-fvisibility=hidden", "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-ident",
}

// CFlags are the compiler flags of a kernel for this target: base flags and
// the features' flags, without -march of a processor. They belong to records.
func (t *Target) CFlags() []string {
	return append(t.HostCFlags(), "-ffreestanding", "-nostdinc")
}

// HostCFlags are CFlags without the freestanding ones: for the runtime's own
// sources, which use the C library.
func (t *Target) HostCFlags() []string {
	out := append([]string{}, baseFlags...)
	switch t.ISA {
	case "x86_64":
		out = append(out, "-fcf-protection=none")
		for _, f := range t.Features {
			if f != "sse2" {
				out = append(out, "-m"+f)
			}
		}
		if t.VectorBits == 512 {
			out = append(out, "-mprefer-vector-width=512")
		}
	case "aarch64":
		out = append(out, "-march="+t.armArch(), "-fno-unwind-tables", "-mno-outline-atomics")
	}
	return out
}

// armArch spells an ARM architecture with extensions; NEON is part of the
// base, and both compilers agree on "rdma" only. The assembler knows dot products
// as an extension of ARMv8.2 alone, where all processors belong that have them.
func (t *Target) armArch() string {
	arch := []string{"armv8-a"}
	if t.Has("dotprod") {
		arch[0] = "armv8.2-a"
	}
	for _, f := range t.Features {
		switch f {
		case "neon":
		case "rdm":
			arch = append(arch, "rdma")
		default:
			arch = append(arch, f)
		}
	}
	return strings.Join(arch, "+")
}
