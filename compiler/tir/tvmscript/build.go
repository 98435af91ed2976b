package tvmscript

import (
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/arith"
)

// Parse reads the text of a module, or of functions outside of any class, which
// become a module. file is a name for messages. Faults are of type *Error.
func Parse(file, src string) (*tir.Module, error) {
	m, _, err := ParseText(file, src)
	return m, err
}

// ParseText is Parse, and says whether the text has a module class.
func ParseText(file, src string) (m *tir.Module, class bool, err error) {
	defer rescue(&err)
	src = strings.TrimPrefix(src, "\ufeff") // a byte order mark
	s, r := &source{file, src}, scratches.Get().(*scratch)
	defer r.release(s)
	b := &builder{source: s, scratch: r, text: s.reader(r), arith: arith.NewAnalyzer(), typeVars: map[string]bool{}, taken: map[string]bool{}}
	m = b.module()
	return m, b.className != "", nil
}

// reader reads a text from its beginning.
func (s *source) reader(r *scratch) *parser {
	if len(s.text) > maxSource {
		s.fail(0, "the text has %d bytes, the limit is %d", len(s.text), maxSource)
	}
	return s.parser(nowhere, r)
}

// ParseFunc reads the text of exactly one function.
func ParseFunc(src string) (*tir.PrimFunc, error) {
	m, err := Parse("", src)
	if err != nil {
		return nil, err
	}
	if len(m.Funcs) != 1 {
		return nil, (&source{"", src}).fault(0, "expected one function, found %d", len(m.Funcs))
	}
	return m.Funcs[0], nil
}

// builder evaluates the syntax tree.
type builder struct {
	*source
	*scratch
	arith    *arith.Analyzer
	typeVars map[string]bool // names bound to a TypeVar
	scopes   []*scope
	globals  scope // constants outside of any function
	frames   []*frame
	emitted  []tir.Stmt // by the open frames, the innermost last
	ir       irNodes
	spare    []*scope // closed, to be opened again
	fn       *funcState
	depth    int
	listed   int // see elements
	// What is still to be read, and of a module class its name and its functions.
	text      *parser
	className string
	members   map[string]signature
	taken     map[string]bool // names of functions so far
	ahead     []pyStmt        // of the class, read before their turn
}

// funcState is the function being built.
type funcState struct {
	old, stir bool
	fn        *tir.PrimFunc
	handles   map[*tir.Var]int // parameter handles that no match_buffer has claimed
	scalars   map[string]*tir.Var
	threads   map[*tir.Var]*thread
	allocs    []*tir.Buffer
	omitted   bool // some block leaves regions out
}

func (b *builder) boolKeyword(kw keyword) bool {
	if n, ok := kw.val.(*nameNode); ok && (n.id == "True" || n.id == "False") {
		return n.id == "True"
	}
	b.fail(kw.p, "%s must be True or False", kw.name)
	return false
}

// dotted is the text of a dotted name, "" for anything else.
func dotted(n node) string {
	switch n := n.(type) {
	case *nameNode:
		return n.id
	case *pathNode:
		return n.path
	}
	return ""
}

// function builds one function.
func (b *builder) function(s *funcStmt, stir, check bool) *tir.PrimFunc {
	f := &tir.PrimFunc{Name: s.name, Ret: dtype.VoidType, Attrs: tir.Annotations{}}
	b.fn = &funcState{fn: f, old: s.old, stir: stir || s.old}
	b.ir.begin(s.size)
	private := false
	if len(s.decorators) == 0 {
		b.fail(s.p, "a function has the decorator @T.prim_func")
	}
	for _, d := range s.decorators {
		private, check = b.decorator(d, private, check)
	}
	if b.fn.stir {
		f.Attrs = f.Attrs.With(tir.AttrSTIR, true)
	}
	if !private {
		f.Attrs = f.Attrs.With(tir.AttrGlobalSymbol, s.name)
	}
	b.scopes, b.frames, b.emitted = append(b.scopes[:0], &b.globals), append(b.frames[:0], b.scratch.frames.put(frame{kind: funcFrame, at: s.p})), b.emitted[:0]
	b.open()
	b.params(s)
	if s.returns != nil {
		f.Ret = b.typeOf(s.returns)
	}
	b.stmts(s.body)
	b.finish(s, check)
	b.close()
	return f
}

func (b *builder) decorator(d node, private, check bool) (bool, bool) {
	c, ok := d.(*callNode)
	path := dotted(d)
	if ok {
		path = dotted(c.fn)
	}
	if !strings.HasSuffix(path, "prim_func") {
		b.fail(d.at(), "unknown decorator; a function has @T.prim_func")
	}
	if !ok {
		return private, check
	}
	if len(c.args) > 0 {
		b.fail(c.args[0].at(), "the options of T.prim_func are keywords")
	}
	for _, kw := range c.kw {
		v := b.boolKeyword(kw)
		switch kw.name {
		case "s_tir":
			b.fn.stir = v
		case "private":
			private = v
		case "check_well_formed":
			check = v
		case "persistent":
			if v {
				b.fn.fn.Attrs = b.fn.fn.Attrs.With("tirx.persistent_kernel", true)
			}
		default:
			b.fail(kw.p, "T.prim_func has no option %s", kw.name)
		}
	}
	return private, check
}

// finish wraps the body in the root block when the script leaves it out, infers
// omitted regions and verifies the result.
func (b *builder) finish(s *funcStmt, check bool) {
	f := b.fn.fn
	b.closeTo(b.frames[0])
	body := tir.NewSeq(b.emitted...)
	if body == nil {
		body = &tir.Evaluate{Value: tir.Int(0)}
	}
	if b.fn.stir && b.needsRoot(body) {
		root := b.ir.blocks.put(tir.Block{Name: "root", Reads: []tir.Region{}, Writes: []tir.Region{}, Allocs: b.fn.allocs, Body: body})
		body = b.ir.realizes.put(tir.BlockRealize{Predicate: tir.True, Block: root})
	}
	f.Body = body
	if b.fn.omitted {
		g, err := analysis.InferRegions(f)
		if err != nil {
			b.fail(s.p, "%v", err)
		}
		*f = *g
	}
	if check {
		if err := tir.Verify(f); err != nil {
			b.fail(s.p, "%v", err)
		}
	}
}

func (b *builder) needsRoot(body tir.Stmt) bool {
	if len(b.fn.allocs) > 0 {
		return true
	}
	if r, ok := body.(*tir.BlockRealize); ok {
		return len(r.Block.Iters) > 0
	}
	return tir.ContainsBlock(body)
}
