package schedule

import (
	"embed"
	"fmt"
	"os"
	"sync"

	"hone/compiler/tir/tvmscript"
	"hone/internal/registry"
)

// The intrinsics that every schedule knows, under MetaSchedule's names. Folder
// intrin holds their descriptions and implementations with $variables, which the
// rows of this file set; they are read when one is asked for.

//go:embed intrin/*.py
var intrinFiles embed.FS

// intrinSource is an intrinsic that may not have been read yet.
type intrinSource struct {
	name, desc, impl string
	vars             map[string]string
	once             sync.Once
	in               *Intrin
}

var intrins = registry.New[*intrinSource]("tensor intrinsic")

// LookupIntrin finds an intrinsic that every schedule knows.
func LookupIntrin(name string) (*Intrin, error) {
	src, err := intrins.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("no tensor intrinsic %q: docs/catalog.md lists those there are, --intrin adds one", name)
	}
	src.once.Do(src.read)
	return src.in, nil
}

// IntrinNames lists the intrinsics that every schedule knows.
func IntrinNames() []string { return intrins.Names() }

func (s *intrinSource) read() {
	desc, err := tvmscript.ParseFunc(s.text(s.desc))
	if err != nil {
		panic("BUG: " + s.name + ": " + err.Error())
	}
	impl, err := tvmscript.ParseFunc(s.text(s.impl))
	if err != nil {
		panic("BUG: " + s.name + ": " + err.Error())
	}
	if s.in, err = NewIntrin(s.name, desc, impl); err != nil {
		panic("BUG: " + err.Error())
	}
}

func (s *intrinSource) text(file string) string {
	data, err := intrinFiles.ReadFile("intrin/" + file + ".py")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return os.Expand(string(data), func(v string) string { return s.vars[v] })
}

// addIntrin makes a row; vars are names and values in turn.
func addIntrin(name, desc, impl string, vars ...any) {
	s := &intrinSource{name: name, desc: desc, impl: impl, vars: map[string]string{}}
	for i := 0; i < len(vars); i += 2 {
		s.vars[vars[i].(string)] = fmt.Sprint(vars[i+1])
	}
	intrins.Add(name, s)
}

func init() {
	for _, x := range []struct {
		name, impl      string
		n, bytes, width int
	}{
		{"dot_16x4_vnni", "dot_vnni", 16, 64, 512},
		{"dot_8x4_vnni", "dot_vnni", 8, 32, 256}, // of AVX-VNNI; TVM has none
		{"dot_16x4_avx512", "dot_avx512", 16, 64, 512},
	} {
		addIntrin(x.name, "dot_desc", x.impl, "n", x.n, "k", 4, "a", "uint8", "b", "int8", "c", "int32", "bytes", x.bytes, "width", x.width)
	}
	for _, x := range [][5]string{
		{"dot_4x4_i8i8s32_neon", "dot_neon", "int8", "int32", ""},
		{"dot_4x4_i8i8s32_sdot", "dot_arm", "int8", "int32", "sdot"},
		{"dot_4x4_u8u8u32_udot", "dot_arm", "uint8", "uint32", "udot"},
		{"dot_4x4_u8u8i32_hdot", "dot_arm", "uint8", "int32", "udot"},
	} {
		addIntrin(x[0], "dot_desc", x[1], "n", 4, "k", 4, "a", x[2], "b", x[2], "c", x[3], "instr", x[4])
	}
	for _, x := range [][4]string{
		{"dp4a_s8s8s32", "int8", "int8", "int32"}, {"dp4a_s8u8s32", "int8", "uint8", "int32"},
		{"dp4a_u8s8s32", "uint8", "int8", "int32"}, {"dp4a_u8u8u32", "uint8", "uint8", "uint32"},
	} {
		addIntrin(x[0], "dp4a_desc", "dp4a", "a", x[1], "b", x[2], "c", x[3])
	}
	addWMMA(16, 16, 16, [][4]string{{"f16", "f16", "float16", "float16"}, {"f16", "f32", "float16", "float32"}, {"s8", "s32", "int8", "int32"}})
}

// addWMMA adds what one shape of matrix fragments needs: products, fills, loads
// from and stores to memory. types are short and long names of operands and
// results.
func addWMMA(m, n, k int, types [][4]string) {
	shape := fmt.Sprintf("%dx%dx%d", m, n, k)
	scopes := [][2]string{{"shared", "shared"}, {"shared_dyn", "shared.dyn"}}
	loaded, stored := map[string]bool{}, map[string]bool{}
	for _, t := range types {
		for _, trans := range []bool{false, true} {
			addWMMASync(shape, m, n, k, t, trans)
		}
		if !loaded[t[0]] {
			loaded[t[0]] = true
			for _, s := range scopes {
				addWMMALoads(shape, m, n, k, t, s)
			}
		}
		if !stored[t[1]] {
			stored[t[1]] = true
			addIntrin("wmma_fill_"+shape+"_"+t[1], "wmma_fill_desc", "wmma_fill", "m", m, "n", n, "k", k, "f", n, "t", t[3])
			for _, s := range append(scopes, [2]string{"global", "global"}) {
				addIntrin("wmma_store_"+shape+"_"+t[1]+"_"+s[0], "wmma_copy_desc", "wmma_store",
					"m", m, "n", n, "k", k, "r", m, "s", n, "f", n, "t", t[3], "from", "wmma.accumulator", "to", s[1])
			}
		}
	}
}

func addWMMASync(shape string, m, n, k int, t [4]string, trans bool) {
	name, b0, b1, at := "wmma_sync_"+shape+"_"+t[0]+t[0]+t[1], k, n, "vk, vj"
	if trans {
		name, b0, b1, at = name+"_trans", n, k, "vj, vk"
	}
	addIntrin(name, "wmma_sync_desc", "wmma_sync", "m", m, "n", n, "k", k, "b0", b0, "b1", b1, "at", at,
		"fa", k, "fb", b1, "fc", n, "in", t[2], "out", t[3])
}

func addWMMALoads(shape string, m, n, k int, t [4]string, scope [2]string) {
	for _, x := range []struct {
		side, order string
		r, s        int
		trans       bool
	}{{"a", "row_major", m, k, false}, {"b", "row_major", k, n, false}, {"a", "col_major", k, m, true}, {"b", "col_major", n, k, true}} {
		name := "wmma_load_" + shape + "_" + t[0] + "_" + x.side
		if x.trans {
			name += "_trans"
		}
		addIntrin(name+"_"+scope[0], "wmma_copy_desc", "wmma_load", "m", m, "n", n, "k", k, "r", x.r, "s", x.s, "f", x.s,
			"t", t[2], "from", scope[1], "to", "wmma.matrix_"+x.side, "order", x.order)
	}
}
