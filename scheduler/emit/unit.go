package emit

import (
	"fmt"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/pipeline"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/internal/wire"
)

// Kernel is a schedule to emit under a symbol.
type Kernel struct {
	Symbol string // a C identifier, unique in its unit
	Func   *tir.PrimFunc
}

// Lower brings a schedule to the form that a backend emits.
func Lower(k Kernel, t *target.Target) (codegen.Lowered, error) {
	u, err := pipeline.LowerCPU(k.Func, t)
	if err != nil {
		return codegen.Lowered{}, err
	}
	out := codegen.Lowered{Symbol: k.Symbol, Func: u.Func}
	for i, p := range u.Packs {
		out.Packs = append(out.Packs, codegen.Pack{Arg: p.Param, Symbol: fmt.Sprintf("%s_pack%d", k.Symbol, i), Func: p.Func})
	}
	return out, nil
}

// Unit emits schedules of one workload into one source unit. A kernel that
// cannot be lowered or emitted gets its own error and no entry; the unit holds
// the others.
func Unit(ks []Kernel, t *target.Target) (source string, entries []wire.Entry, errs []error) {
	errs = make([]error, len(ks))
	var low []codegen.Lowered
	for i, k := range ks {
		l, err := Lower(k, t)
		if err == nil {
			_, err = cgen.Backend{}.Emit([]codegen.Lowered{l}, *t)
		}
		if err != nil {
			errs[i] = err
			continue
		}
		low = append(low, l)
	}
	if len(low) == 0 {
		return "", nil, errs
	}
	src, err := cgen.Backend{}.Emit(low, *t)
	if err != nil {
		for i := range errs {
			if errs[i] == nil {
				errs[i] = err
			}
		}
		return "", nil, errs
	}
	parts := make([]wire.UnitKernel, len(src.Entries))
	for i, e := range src.Entries {
		entries = append(entries, entryOf(e))
		parts[i] = wire.UnitKernel{Symbol: e.Symbol, Text: e.Text}
	}
	// Markers let an agent take a unit apart when a part of it does not compile.
	marked, err := wire.MarkUnit(src.C, parts)
	if err != nil {
		panic("BUG: emit: " + err.Error())
	}
	return marked, entries, errs
}

func entryOf(e codegen.Entry) wire.Entry {
	out := wire.Entry{Trial: e.Symbol, Symbol: e.Symbol, Workspace: e.Workspace}
	for _, p := range e.Packs {
		out.Pack = append(out.Pack, wire.Pack{Arg: p.Arg, Symbol: p.Symbol, Bytes: p.Bytes})
	}
	return out
}
