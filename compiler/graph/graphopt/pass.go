package graphopt

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	_ "hone/compiler/graph/ops" // passes build nodes of these operators
)

// Options direct the passes.
type Options struct {
	// Block is the number of channels in a block of a blocked layout: the
	// float32 lanes of the target's vectors. 0 keeps every layout plain.
	Block int
	// Bytes is the type of activations that the target multiplies by int8, four at
	// once: uint8 or int8; the zero type where it has no such instruction.
	Bytes dtype.DType
	// Disable names passes that do not run.
	Disable []string
	// After, when set, sees the graph after every pass that ran, with the number
	// of rewrites it made.
	After func(pass string, rewrites int, g *graph.Graph)
	// Forms chooses how sites are computed, by name; one that is not named gets the
	// form that is estimated to be the fastest. Site, when set, sees every site.
	Forms map[string]int64
	Site  func(Site)
	// Hollow leaves the weights that forms transform zero, for callers that want to
	// know the functions alone.
	Hollow bool
	// Cache is the size of the second-level cache in bytes; default 512 KiB.
	Cache int64
	// FoldBytes bounds what constant folding may create; default 256 MiB.
	FoldBytes int64
}

// Site is a part of a graph that can be computed in several forms. Equal parts have
// equal names, and get one form.
type Site struct {
	Name  string
	Form  int64   // estimated to be the fastest
	Forms []int64 // worth measuring, Form among them
}

func (o *Options) cache() int64 {
	if o.Cache == 0 {
		return 512 << 10
	}
	return o.Cache
}

func (o *Options) form(s Site) int64 {
	if o.Site != nil {
		o.Site(s)
	}
	if f, ok := o.Forms[s.Name]; ok {
		return f
	}
	return s.Form
}

// Pass is one rewrite of a graph.
type Pass struct {
	Name string
	// Why says what the pass does and why it stands where it does.
	Why string
	// Run rewrites the graph in place and counts its rewrites.
	Run func(g *graph.Graph, o Options) (int, error)
}

// Passes is the pipeline, in order.
var Passes = []Pass{
	{"bytes", "multiplies bytes where the target can; first, while weights are integers and ways through integers are there", multiplyBytes},
	{"fold-constants", "evaluates nodes of constant operands; first, so that patterns below see constants as such", foldConstants},
	{"simplify", "removes identities and turns divisions by constants into products, the one form that patterns know", simplify},
	{"cse", "merges equal nodes; exporters repeat x−mean, and patterns count on sharing", eliminateCommon},
	{"fold-batch-norm", "makes batch norms scales and shifts per channel; before the folds that take those", foldBatchNorm},
	{"fold-scale", "multiplies constant factors and adds constant terms into the weights and biases before them", foldScale},
	{"fold-pad", "moves zero padding into the convolution behind it, which pads for nothing", foldPad},
	{"layer-norm", "recomposes layer norms from their nine pieces; before activations, whose pattern could eat its products", recomposeLayerNorm},
	{"activations", "recomposes GELU, SiLU and hard-swish, which then are one block each", recomposeActivations},
	{"merge-matmuls", "joins matmuls that share an operand (Q, K and V); after folds, which fix weights and biases", mergeMatmuls},
	{"attention", "recomposes attention, which then is one kernel; after merging, before the transposes that it adds are cancelled", recomposeAttention},
	{"transposes", "pushes slices before transposes and cancels transposes; after merging, which makes the slices", pushTransposes},
	{"fold-constants", "evaluates what the rewrites above left constant", foldConstants},
	{"simplify", "cleans up after the rewrites", simplify},
	{"cse", "merges what became equal", eliminateCommon},
	{"winograd", "computes 3×3 convolutions on transformed tiles; last of the rewrites, which look for convolutions", winograd},
	{"layout", "blocks channels through whole regions; last but fusion, because it types values and inserts reorders", chooseLayout},
	{"fuse", "groups nodes into regions, one kernel each; last, because a group is not to be rewritten", fuse},
}

// Run applies the passes in order and verifies the graph after each.
func Run(g *graph.Graph, o Options) error {
	if o.FoldBytes == 0 {
		o.FoldBytes = 256 << 20
	}
	for _, name := range o.Disable {
		if !slices.ContainsFunc(Passes, func(p Pass) bool { return p.Name == name }) {
			return fmt.Errorf("there is no graph pass %q (passes: %s)", name, names())
		}
	}
	for _, p := range Passes {
		if slices.Contains(o.Disable, p.Name) {
			continue
		}
		n, err := p.apply(g, o)
		if err != nil {
			return fmt.Errorf("graph pass %s: %w", p.Name, err)
		}
		if o.After != nil {
			o.After(p.Name, n, g)
		}
	}
	return nil
}

// RunPass applies the named pass alone.
func RunPass(g *graph.Graph, name string, o Options) (int, error) {
	if o.FoldBytes == 0 {
		o.FoldBytes = 256 << 20
	}
	for _, p := range Passes {
		if p.Name == name {
			return p.apply(g, o)
		}
	}
	return 0, fmt.Errorf("there is no graph pass %q (passes: %s)", name, names())
}

func (p Pass) apply(g *graph.Graph, o Options) (int, error) {
	n, err := p.Run(g, o)
	if err != nil {
		return n, err
	}
	if err := g.Compact(); err != nil {
		return n, err
	}
	return n, g.Verify()
}

func names() string {
	s := ""
	for i, p := range Passes {
		if slices.ContainsFunc(Passes[:i], func(q Pass) bool { return q.Name == p.Name }) {
			continue
		}
		if s != "" {
			s += ", "
		}
		s += p.Name
	}
	return s
}
