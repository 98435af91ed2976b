package cgen

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"hone/compiler/codegen"
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Return codes of kernels.
const (
	codeThreads = 1 // more threads than the workspace was sized for
	codeAssert  = 2 // an assertion of the function failed
)

// kernel is one exported function under construction with the helper functions
// it needs.
type kernel struct {
	u      *unit
	symbol string
	names  *names
	pack   bool // a packing function: void(src, dst), never parallel
	width  int  // lanes of a whole piece

	written map[*tir.Buffer]bool
	alias   bool // buffers may overlap: no restrict

	buffers map[*tir.Buffer]*place
	vars    map[*tir.Var]*variable
	params  []*tir.Buffer

	outlined []string // finished functions that come before the main one
	loops    int      // parallel loops so far

	top, peak int64 // workspace: bytes in use, the most ever
	workers   bool  // some workspace is per worker
	asserts   bool
	registers int
}

// place says where a buffer lives.
type place struct {
	name string
	elem elem
	regs map[int64][]string // scope "register": names of the pieces per element
	kind placeKind
}

type placeKind uint8

const (
	inMemory placeKind = iota
	onStack
	inRegisters
)

// variable is a scalar or vector variable in scope.
type variable struct {
	name   string
	depth  int     // of the segment that may use it, in the current function
	loop   bool    // an i64, whatever its type
	parts  []piece // vector: its pieces …
	names  []string
	fixed  *lin // a loop that runs once: its value
	bounds interval
}

// kernel emits one function and its packing functions.
func (u *unit) kernel(l codegen.Lowered) (e codegen.Entry, err error) {
	defer catch(&err)
	var text strings.Builder
	e = codegen.Entry{Symbol: l.Symbol, Threads: max(1, u.tgt.Threads)}
	for _, p := range l.Packs {
		k := newKernel(u, p.Symbol, p.Func)
		k.pack = true
		if len(k.params) != 2 {
			fail("packing function %s has %d buffers, want source and destination", p.Symbol, len(k.params))
		}
		text.WriteString(k.emit(p.Func))
		if k.peak > 0 {
			fail("packing function %s needs a workspace", p.Symbol)
		}
		n := bufferSize(k.params[1])
		e.Packs = append(e.Packs, codegen.PackEntry{Arg: p.Arg, Symbol: p.Symbol, Bytes: n * int64(storeElem(k.params[1].Type).bits/8)})
	}
	k := newKernel(u, l.Symbol, l.Func)
	text.WriteString(k.emit(l.Func))
	e.Workspace = k.peak
	e.Text = text.String()
	return e, nil
}

func newKernel(u *unit, symbol string, f *tir.PrimFunc) *kernel {
	k := &kernel{u: u, symbol: symbol, names: newNames(), written: map[*tir.Buffer]bool{}, buffers: map[*tir.Buffer]*place{}, vars: map[*tir.Var]*variable{}}
	if v, ok := f.Attrs.Int(tir.AttrNoAlias); ok && v == 0 {
		k.alias = true
	}
	for _, p := range f.Params {
		b, ok := p.(*tir.Buffer)
		if !ok {
			fail("parameter %s is a scalar: kernels take buffers only", p.(*tir.Var).Name)
		}
		k.params = append(k.params, b)
		k.buffers[b] = &place{name: k.names.fresh(b.Name), elem: storeElem(b.Type)}
		bufferSize(b)
	}
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		if st, ok := s.(*tir.Store); ok {
			k.written[st.Buffer] = true
		}
		return true
	})
	k.width = pieceWidth(f.Body, u.tgt.VectorBits)
	return k
}

// pieceWidth is how many lanes whole pieces of vectors have in a function: as
// many as the widest element type of its vectors leaves room for, so that
// conversions keep lanes together and no value exceeds a register.
func pieceWidth(s tir.Stmt, vectorBits int) int {
	bits := 0
	note := func(t dtype.DType) {
		if t.Lanes > 1 && !t.IsBool() {
			bits = max(bits, computeElem(t).bits)
		}
	}
	var visit func(e tir.Expr)
	visit = func(e tir.Expr) {
		tir.Walk(e, func(x tir.Expr) bool {
			note(x.DType())
			_, isLoad := x.(*tir.Load)
			return !isLoad // indices are scalars in C
		})
	}
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		switch x := x.(type) {
		case *tir.Store:
			note(x.Value.DType())
			visit(x.Value)
		case *tir.If:
			visit(x.Cond)
		case *tir.Bind:
			visit(x.Value)
		case *tir.Evaluate:
			visit(x.Value)
		}
		return true
	})
	if bits == 0 {
		bits = 32
	}
	return max(1, vectorBits/bits)
}

// bufferSize is the number of elements of a flat buffer.
func bufferSize(b *tir.Buffer) int64 {
	shape, ok := b.StaticShape()
	if !ok || len(shape) > 1 || !b.Compact() || b.ElemOffset != nil && !tir.IsConst(b.ElemOffset, 0) {
		fail("buffer %s is not flat with a constant size: lower the function first", b.Name)
	}
	n := dtype.NumElements(shape) * int64(b.Type.Lanes)
	if n < 0 || n > 1<<40 {
		fail("buffer %s has %d elements", b.Name, n)
	}
	return n
}

// pointer spells the C declaration of a pointer to a buffer's elements.
func (k *kernel) pointer(b *tir.Buffer, name string) string {
	qualifier := ""
	if !k.written[b] {
		qualifier = "const "
	}
	restrict := "restrict "
	if k.alias {
		restrict = ""
	}
	return qualifier + k.buffers[b].elem.name + " *" + restrict + name
}

// emit returns the C text of the kernel.
func (k *kernel) emit(f *tir.PrimFunc) string {
	main := newFn(k, "")
	main.stmt(f.Body)
	if k.asserts {
		main.line("return 0;")
	}
	main.leave()

	var params, args []string
	if k.loops > 0 {
		params, args = []string{"const hone_rt *rt"}, []string{"rt"}
	}
	for i, b := range k.params {
		params = append(params, k.pointer(b, k.buffers[b].name))
		args = append(args, k.argument(i))
	}
	if k.peak > 0 {
		params = append(params, "u8 *ws")
		args = append(args, "workspace")
	}
	result := "void"
	if k.asserts {
		result = "i32"
	}
	main.root.open = fmt.Sprintf("static __attribute__((noinline)) %s %s_main(%s)", result, k.symbol, strings.Join(params, ", "))

	var w strings.Builder
	fmt.Fprintf(&w, "\n/* %s: %s */\n", k.symbol, strings.ReplaceAll(identifier(f.Name), "*/", ""))
	for _, o := range k.outlined {
		w.WriteString(o)
	}
	main.root.write(&w, "")
	w.WriteString(k.entry(strings.Join(args, ", ")))
	return w.String()
}

// argument is what the entry passes for parameter i.
func (k *kernel) argument(i int) string {
	if k.pack {
		return []string{"src", "dst"}[i]
	}
	return "args[" + strconv.Itoa(i) + "]"
}

// entry is the exported function.
func (k *kernel) entry(args string) string {
	export := `__attribute__((visibility("default"))) `
	if k.pack {
		return fmt.Sprintf("%svoid %s(const void *src, void *dst) {\n  %s_main(%s);\n}\n", export, k.symbol, k.symbol, args)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%si32 %s(const hone_rt *rt, void *const *args, void *workspace) {\n", export, k.symbol)
	b.WriteString("  (void)rt, (void)args, (void)workspace;\n")
	if k.workers {
		fmt.Fprintf(&b, "  if (rt->threads > %d) return %d;\n", max(1, k.u.tgt.Threads), codeThreads)
	}
	if k.asserts {
		fmt.Fprintf(&b, "  return %s_main(%s);\n}\n", k.symbol, args)
	} else {
		fmt.Fprintf(&b, "  %s_main(%s);\n  return 0;\n}\n", k.symbol, args)
	}
	return b.String()
}

// workspaceAlign separates buffers in the workspace: two cache lines, so that
// slices of neighbouring workers do not share a fetched pair.
const workspaceAlign = 128

// reserve takes bytes of workspace and returns their offset.
func (k *kernel) reserve(bytes int64) int64 {
	off := k.top
	k.top += (bytes + workspaceAlign - 1) / workspaceAlign * workspaceAlign
	k.peak = max(k.peak, k.top)
	return off
}

// captured lists the buffers and variables of the enclosing function that a
// statement uses, in order of name.
func (k *kernel) captured(s tir.Stmt) ([]*tir.Buffer, []*tir.Var) {
	bufs, vars := map[*tir.Buffer]bool{}, map[*tir.Var]bool{}
	noteBuffer := func(b *tir.Buffer) {
		if k.buffers[b] != nil {
			bufs[b] = true
		}
	}
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		if st, ok := x.(*tir.Store); ok {
			noteBuffer(st.Buffer)
		}
		return true
	})
	tir.WalkExprs(s, func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Load:
			noteBuffer(e.Buffer)
		case *tir.BufferRef:
			noteBuffer(e.Buffer)
		case *tir.Var:
			if k.vars[e] != nil && k.vars[e].fixed == nil {
				vars[e] = true
			}
		}
		return true
	})
	var bl []*tir.Buffer
	for b := range bufs {
		bl = append(bl, b)
	}
	sort.Slice(bl, func(i, j int) bool { return k.buffers[bl[i]].name < k.buffers[bl[j]].name })
	var vl []*tir.Var
	for v := range vars {
		vl = append(vl, v)
	}
	sort.Slice(vl, func(i, j int) bool { return k.vars[vl[i]].name < k.vars[vl[j]].name })
	return bl, vl
}
