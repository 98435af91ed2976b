package tvmscript

import (
	"sync"

	"hone/compiler/tir"
)

// scratch is where everything lies that reading a text needs and does not leave
// behind: the syntax tree, and what evaluates it.
type scratch struct {
	nodes    pile[node]
	stmts    pile[pyStmt]
	keywords pile[keyword]
	entries  pile[entry]
	names    slab[nameNode]
	paths    slab[pathNode]
	floats   slab[floatNode]
	ints     slab[intNode]
	texts    slab[textNode]
	calls    slab[callNode]
	indices  slab[indexNode]
	slices   slab[sliceNode]
	bins     slab[binNode]
	lists    slab[listNode]
	dicts    slab[dictNode]
	assigns  slab[assignStmt]
	exprs    slab[exprStmt]
	fors     slab[forStmt]
	withs    slab[withStmt]
	funcs    slab[funcStmt]
	params   pile[param]

	args   slab[arg]
	values slab[any]
	idents slab[string]
	nests  slab[*tir.For]
	opened slab[call]
	frames slab[frame]
	blocks slab[openBlock]

	kinds []part
}

func newScratch() *scratch {
	r := new(scratch)
	r.kinds = r.parts()
	return r
}

// maxKeptSource is the longest text, in bytes, whose place serves another one.
const maxKeptSource = 1 << 20

var scratches = sync.Pool{New: func() any { return newScratch() }}

// part is a kind of thing that a scratch has a place for.
type part interface {
	reuse()
	reset()
}

func (r *scratch) parts() []part {
	return []part{
		&r.nodes, &r.stmts, &r.keywords, &r.entries, &r.params,
		&r.names, &r.paths, &r.floats, &r.ints, &r.texts, &r.calls, &r.indices, &r.slices, &r.bins, &r.lists, &r.dicts,
		&r.assigns, &r.exprs, &r.fors, &r.withs, &r.funcs,
		&r.args, &r.values, &r.idents, &r.nests, &r.opened, &r.frames, &r.blocks,
	}
}

// reuse gives the place of a function to the next one: nothing of it may be in use.
// It points to what it held until that is overwritten, which costs less than to
// clear it.
func (r *scratch) reuse() {
	for _, p := range r.kinds {
		p.reuse()
	}
}

// release gives the place of s to a later text; no node of it may be in use.
func (r *scratch) release(s *source) {
	if len(s.text) > maxKeptSource {
		return
	}
	for _, p := range r.kinds {
		p.reset()
	}
	scratches.Put(r)
}
