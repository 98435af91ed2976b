package tvmscript

import "sync"

// scratch is where everything lies that reading a text needs and does not leave
// behind: the syntax tree, and what evaluates it.
type scratch struct {
	nodes    pile[node]
	stmts    pile[pyStmt]
	keywords pile[keyword]
	names    slab[nameNode]
	paths    slab[pathNode]
	ints     slab[intNode]
	texts    slab[textNode]
	calls    slab[callNode]
	indices  slab[indexNode]
	slices   slab[sliceNode]
	bins     slab[binNode]
	lists    slab[listNode]
	assigns  slab[assignStmt]
	exprs    slab[exprStmt]
	fors     slab[forStmt]
	withs    slab[withStmt]

	args   slab[arg]
	values slab[any]
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
	r.names.reset()
	r.paths.reset()
	r.ints.reset()
	r.texts.reset()
	r.calls.reset()
	r.indices.reset()
	r.slices.reset()
	r.bins.reset()
	r.lists.reset()
	r.assigns.reset()
	r.exprs.reset()
	r.fors.reset()
	r.withs.reset()
	r.args.reset()
	r.values.reset()
	r.opened.reset()
	r.frames.reset()
	r.blocks.reset()
}
