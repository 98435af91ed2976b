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
}

// maxKeptSource is the longest text, in bytes, whose place serves another one.
const maxKeptSource = 1 << 20

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// release gives the place of s to a later text; no node of it may be in use.
func (r *scratch) release(s *source) {
	if len(s.text) > maxKeptSource {
		return
	}
	r.reset()
	scratches.Put(r)
}

// reset takes back all that was handed out.
func (r *scratch) reset() {
	r.nodes.reset()
	r.stmts.reset()
	r.keywords.reset()
	r.entries.reset()
	r.names.reset()
	r.paths.reset()
	r.floats.reset()
	r.ints.reset()
	r.texts.reset()
	r.calls.reset()
	r.indices.reset()
	r.slices.reset()
	r.bins.reset()
	r.lists.reset()
	r.dicts.reset()
	r.assigns.reset()
	r.exprs.reset()
	r.fors.reset()
	r.withs.reset()
	r.funcs.reset()
	r.params.reset()
	r.args.reset()
	r.values.reset()
	r.idents.reset()
	r.nests.reset()
	r.opened.reset()
	r.frames.reset()
	r.blocks.reset()
}
