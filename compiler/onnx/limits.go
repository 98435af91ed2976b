package onnx

// Limits bound what a model file may ask for. The zero value of a field means
// its default.
type Limits struct {
	FileBytes  int64 // size of the model file; default 64 GiB
	Depth      int   // nesting of messages; default 100
	Subgraphs  int   // nesting of subgraphs and function calls; default 32
	Nodes      int   // nodes after inlining; default 1,000,000
	Rank       int   // dimensions of a tensor; default 32
	Elements   int64 // elements of a tensor; default 2^40
	FoldBytes  int64 // bytes that constant folding may create; default 64 MiB beside the weights' size
	FoldGrowth int64 // size of a folded result against its operands; default 16
}

// maxDim bounds one dimension, so that sums and products of a few of them
// cannot overflow.
const maxDim = 1 << 31

// foldFree is a size at which the growth of a folded result does not matter.
const foldFree = 64 << 10

func (l Limits) withDefaults() Limits {
	def := func(p *int64, v int64) {
		if *p == 0 {
			*p = v
		}
	}
	defInt := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	def(&l.FileBytes, 64<<30)
	defInt(&l.Depth, 100)
	defInt(&l.Subgraphs, 32)
	defInt(&l.Nodes, 1_000_000)
	defInt(&l.Rank, 32)
	def(&l.Elements, 1<<40)
	def(&l.FoldBytes, 64<<20)
	def(&l.FoldGrowth, 16)
	return l
}
