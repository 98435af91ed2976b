package onnx

import (
	"fmt"
	"slices"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	_ "hone/compiler/graph/ops" // the operators that importers emit
)

// importer carries one import.
type importer struct {
	model    *Model
	opt      Options
	limits   Limits
	g        *graph.Graph
	funcs    map[string]*FunctionProto
	calls    []string // functions being inlined
	nodes    int
	folded   int64 // bytes that folding made
	budget   int64
	params   map[string]int64
	open     []openDim
	warnings []string
	missing  []missingOp
}

// missingOp is an operator that nothing imports.
type missingOp struct{ op, where string }

// scope maps names to values; subgraphs see the names outside.
type scope struct {
	names  map[string]graph.ValueID
	outer  *scope
	attrs  map[string]*AttrProto // of the enclosing function call
	opsets map[string]int64
	depth  int
}

func (s *scope) lookup(name string) (graph.ValueID, bool) {
	for ; s != nil; s = s.outer {
		if v, ok := s.names[name]; ok {
			return v, true
		}
	}
	return graph.NoValue, false
}

func newImporter(m *Model, opt Options) *importer {
	if opt.Command == "" {
		path := m.Path
		if path == "" {
			path = "MODEL"
		}
		opt.Command = "hone tune " + path
	}
	im := &importer{model: m, opt: opt, limits: opt.Limits.withDefaults(), params: map[string]int64{}, funcs: map[string]*FunctionProto{}}
	im.budget = im.limits.FoldBytes + 2*m.Size
	name := m.Proto.Graph.Name
	if name == "" {
		name = "main"
	}
	im.g = graph.New(name)
	return im
}

func (im *importer) warn(format string, args ...any) {
	im.warnings = append(im.warnings, fmt.Sprintf(format, args...))
}

func (im *importer) run() error {
	p := im.model.Proto
	if err := im.checkOpsets(p.Opsets); err != nil {
		return err
	}
	for _, f := range p.Functions {
		im.funcs[f.Domain+"::"+f.Name] = f
	}
	sc := &scope{names: map[string]graph.ValueID{}, opsets: p.Opsets}
	if err := im.initializers(p.Graph, sc, "graph"); err != nil {
		return err
	}
	if err := im.inputs(p.Graph, sc); err != nil {
		return err
	}
	if err := im.walk(p.Graph.Nodes, sc, "graph"); err != nil {
		return err
	}
	if len(im.missing) > 0 {
		return im.missingError()
	}
	if len(p.Graph.Outputs) == 0 {
		return errorAt("graph", "the model has no output")
	}
	for _, o := range p.Graph.Outputs {
		v, ok := sc.lookup(o.Name)
		if !ok {
			return errorAt("graph", "nothing produces the output %q", o.Name)
		}
		im.g.Output(o.Name, v)
	}
	if err := im.g.Compact(); err != nil {
		return err
	}
	return im.g.Verify()
}

// The opset versions of ai.onnx that the importers understand.
const (
	minOpset = 1
	maxOpset = 23
)

func (im *importer) checkOpsets(opsets map[string]int64) error {
	v, ok := opsets[""]
	if !ok && len(opsets) > 0 {
		return nil // only other domains; a node of ai.onnx will say so
	}
	if v > maxOpset {
		im.warn("opset %d is newer than %d, the newest known; operators are read as in %d", v, maxOpset, maxOpset)
	}
	if ok && v < minOpset {
		return errorAt("opset_import", "opset %d of ai.onnx does not exist", v)
	}
	return nil
}

func (im *importer) initializers(g *GraphProto, sc *scope, path string) error {
	if g.Sparse > 0 {
		return errorAt(path, "sparse initializers are not supported")
	}
	for i, t := range g.Initializers {
		where := fmt.Sprintf("%s.initializer[%d] %q", path, i, t.Name)
		x, err := im.tensor(t, where)
		if err != nil {
			return err
		}
		if _, dup := sc.names[t.Name]; dup {
			return errorAt(where, "a second value of this name")
		}
		sc.names[t.Name] = im.g.Constant(x, t.Name)
	}
	return nil
}

// inputs declares the graph's inputs: those that an initializer does not
// already give (IR versions before 4 list initializers, too).
func (im *importer) inputs(g *GraphProto, sc *scope) error {
	known := map[string]bool{}
	for _, v := range g.Inputs {
		known[v.Name] = true
		if _, ok := sc.names[v.Name]; ok {
			continue
		}
		if err := im.input(v, sc); err != nil {
			return err
		}
	}
	if err := im.checkNames(known); err != nil {
		return err
	}
	if len(im.open) > 0 {
		return im.openError()
	}
	return nil
}

func (im *importer) input(v *ValueInfo, sc *scope) error {
	where := fmt.Sprintf("input %q", v.Name)
	if v.Kind != "tensor" {
		return errorAt(where, "is a %s; only tensors are supported", v.Kind)
	}
	elem, err := elementType(v.DataType, where)
	if err != nil {
		return err
	}
	if t, ok := im.opt.Binding.Tensors[v.Name]; ok {
		if t.Type != elem {
			return errorAt(where, "is %s, the given constant %s", elem, t.Type)
		}
		sc.names[v.Name] = im.g.Constant(t, v.Name)
		return nil
	}
	open := len(im.open)
	shape, err := im.shapeOf(v)
	if err != nil {
		return err
	}
	if text, ok := im.opt.Binding.Consts[v.Name]; ok && len(im.open) == open {
		if _, err := im.limits.count(shape, where); err != nil {
			return err
		}
		t, err := constant(text, elem, shape)
		if err != nil {
			return errorAt("--const "+v.Name, "%v", err)
		}
		sc.names[v.Name] = im.g.Constant(t, v.Name)
		return nil
	}
	if _, err := im.limits.count(shape, where); err != nil {
		return err
	}
	if shape == nil {
		shape = []int64{}
	}
	sc.names[v.Name] = im.g.Input(v.Name, graph.Of(elem, shape...))
	return nil
}

// checkNames refuses bindings of inputs and dimensions that do not exist.
func (im *importer) checkNames(inputs map[string]bool) error {
	b := im.opt.Binding
	params := map[string]bool{}
	var names []string
	for _, v := range im.model.Proto.Graph.Inputs {
		names = append(names, v.Name+":"+dimsText(v, "?"))
		for _, d := range v.Dims {
			if d.Param != "" {
				params[d.Param] = true
			}
		}
	}
	next := "the inputs are " + strings.Join(names, " ")
	for _, m := range []struct {
		flag string
		keys []string
		ok   map[string]bool
	}{{"--shape", sortedKeys(b.Shapes), inputs}, {"--const", sortedKeys(b.Consts), inputs}, {"--dim", sortedKeys(b.Dims), params}} {
		for _, k := range m.keys {
			if !m.ok[k] {
				what := "input"
				if m.flag == "--dim" {
					what = "named dimension"
				}
				return &Error{Where: m.flag + " " + k, Reason: "the model has no such " + what, Next: next}
			}
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// walk imports nodes in the order of the file, which must be topological.
func (im *importer) walk(nodes []*NodeProto, sc *scope, path string) error {
	for i, n := range nodes {
		if im.nodes++; im.nodes > im.limits.Nodes {
			return errorAt(path, "more than %d nodes after inlining", im.limits.Nodes)
		}
		if err := im.node(n, sc, nodePath(path, i, n)); err != nil {
			return err
		}
	}
	return nil
}

func nodePath(path string, i int, n *NodeProto) string {
	s := fmt.Sprintf("%s.node[%d] %s", path, i, n.Op)
	if n.Name != "" {
		s += fmt.Sprintf(" %q", n.Name)
	}
	return s
}

func (im *importer) node(n *NodeProto, sc *scope, where string) error {
	if f := im.funcs[n.Domain+"::"+n.Op]; f != nil {
		return im.inline(f, n, sc, where)
	}
	version := sc.opsets[n.Domain]
	imp := lookupImporter(n.Domain, n.Op, version)
	if imp == nil {
		im.missing = append(im.missing, missingOp{opName(n), where})
		for _, name := range n.Outputs {
			if name != "" {
				sc.names[name] = graph.NoValue // readers stay silent
			}
		}
		return nil
	}
	c := &opCtx{im: im, n: n, sc: sc, where: where, opset: version}
	if !c.resolve() {
		return c.err
	}
	imp(c)
	if c.err != nil {
		return c.err
	}
	return c.bindOutputs()
}

func opName(n *NodeProto) string {
	if n.Domain == "" {
		return n.Op
	}
	return n.Domain + "." + n.Op
}

// missingError lists every operator that is not supported and where it occurs.
func (im *importer) missingError() error {
	count := map[string]int{}
	first := map[string]string{}
	for _, m := range im.missing {
		if count[m.op]++; count[m.op] == 1 {
			first[m.op] = m.where
		}
	}
	var list []string
	for _, op := range sortedKeys(count) {
		s := op + " (" + first[op]
		if count[op] > 1 {
			s += fmt.Sprintf(" and %d more", count[op]-1)
		}
		list = append(list, s+")")
	}
	are := "operators are"
	if len(list) == 1 {
		are = "operator is"
	}
	return &Error{
		Reason: fmt.Sprintf("%d %s not supported: %s", len(list), are, strings.Join(list, ", ")),
		Next:   "docs/adding/operator.md shows how to add one; the part of the model before it can be tuned",
	}
}

// emit adds a node of the graph and folds it when all operands are constant and
// the budget allows it.
func (im *importer) emit(where, name, op string, attrs graph.Attrs, in ...graph.ValueID) ([]graph.ValueID, error) {
	outs, err := im.g.Add(graph.MustLookup(op), name, attrs, in...)
	if err != nil {
		if ge, ok := err.(*graph.Error); ok {
			return nil, errorAt(where, "%s: %s", ge.Op, ge.Reason)
		}
		return nil, errorAt(where, "%v", err)
	}
	bytes := int64(0)
	for _, v := range outs {
		t := im.g.Type(v)
		n, err := im.limits.count(t.Shape, where)
		if err != nil {
			return nil, err
		}
		bytes += n * int64(t.Elem.Bytes())
	}
	if !im.foldable(op, attrs, in, bytes) {
		return outs, nil
	}
	id := graph.NodeID(len(im.g.Nodes) - 1)
	tensors := make([]*dtype.Tensor, len(in))
	for i, v := range in {
		tensors[i] = im.g.Const(v)
	}
	results, err := im.g.EvalNode(id, tensors)
	if err != nil {
		return nil, errorAt(where, "%v", err)
	}
	im.folded += bytes
	im.g.Delete(id)
	for i, r := range results {
		outs[i] = im.g.Constant(r, name)
	}
	return outs, nil
}

// maxFoldWork bounds the multiply-adds of a folded contraction.
const maxFoldWork = 1 << 28

func (im *importer) foldable(op string, attrs graph.Attrs, in []graph.ValueID, bytes int64) bool {
	if len(in) == 0 {
		return false
	}
	operands, work := int64(0), satMul(bytes, product(attrs.Ints("kernel")))
	for _, v := range in {
		if im.g.Const(v) == nil {
			return false
		}
		t := im.g.Type(v)
		operands += t.Bytes()
		work = satMul(work, max(t.Len(), 1))
	}
	if graph.MustLookup(op).Class >= graph.Reduction && work > maxFoldWork {
		return false
	}
	if bytes > foldFree && bytes/im.limits.FoldGrowth > operands {
		return false
	}
	return im.folded+bytes <= im.budget
}

func satMul(a, b int64) int64 {
	if a > 0 && b > (1<<62)/a {
		return 1 << 62
	}
	return a * b
}
