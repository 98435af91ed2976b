package schedule

import "fmt"

// Condition is the precondition that a refused call broke. The list is closed:
// tests, statistics and callers may compare against it.
type Condition string

// The conditions. Every refusal names exactly one.
const (
	// StaleHandle: the loop or block was taken away by an earlier primitive.
	StaleHandle Condition = "stale-handle"
	// BadHandle: the handle is not of this schedule, or not of this kind.
	BadHandle Condition = "bad-handle"
	// UnknownName: no function, block, buffer or annotation has that name.
	UnknownName Condition = "unknown-name"
	// AmbiguousName: more than one block or buffer has that name.
	AmbiguousName Condition = "ambiguous-name"
	// BadArgument: an argument is out of its range or of the wrong form.
	BadArgument Condition = "bad-argument"
	// BadDecision: a decision does not fit its sampling instruction.
	BadDecision Condition = "bad-decision"
	// NotSchedulable: the function is not of the schedulable dialect.
	NotSchedulable Condition = "not-schedulable"
	// LoopStart: a loop does not start at zero.
	LoopStart Condition = "loop-start"
	// LoopAnnotated: a loop carries annotations or a thread binding.
	LoopAnnotated Condition = "loop-annotated"
	// DynamicExtent: a loop or buffer extent has to be a constant.
	DynamicExtent Condition = "dynamic-extent"
	// FactorProduct: the factors of a split do not reach the extent.
	FactorProduct Condition = "factor-product"
	// FactorSum: the factors of a partition leave nothing of the extent.
	FactorSum Condition = "factor-sum"
	// EqualExtents: loops that become one have different extents.
	EqualExtents Condition = "equal-extents"
	// Dependence: accesses of one element would change their order.
	Dependence Condition = "dependence"
	// DependentDomain: the domain of one loop uses the variable of another.
	DependentDomain Condition = "dependent-domain"
	// SingleChild: a loop of the chain has more than one child.
	SingleChild Condition = "single-child"
	// NotOneScope: loops or blocks lie in different scopes.
	NotOneScope Condition = "not-one-scope"
	// NotOneChain: loops are not nested in one another.
	NotOneChain Condition = "not-one-chain"
	// RepeatedLoop: a loop is named twice.
	RepeatedLoop Condition = "repeated-loop"
	// AffineBinding: the bindings of a block are not quasi-affine.
	AffineBinding Condition = "affine-binding"
	// IterKind: a block has iterators other than spatial and reduce ones.
	IterKind Condition = "iter-kind"
	// ReduceBinding: the loop is bound to an iterator that is not spatial.
	ReduceBinding Condition = "reduce-binding"
	// StagePipeline: the scope is no stage pipeline.
	StagePipeline Condition = "stage-pipeline"
	// RegionCover: what a block reads is not fully produced inside the scope.
	RegionCover Condition = "region-cover"
	// CompleteBlock: a block is not a complete block.
	CompleteBlock Condition = "complete-block"
	// ReductionBlock: a block is not a reduction block.
	ReductionBlock Condition = "reduction-block"
	// CompleteOrReduction: a block is neither.
	CompleteOrReduction Condition = "complete-or-reduction"
	// RootBlock: the root block of a function cannot take part.
	RootBlock Condition = "root-block"
	// OutputBlock: a block that writes an output of its scope cannot go.
	OutputBlock Condition = "output-block"
	// OnlyLeaf: the block is the only one of its scope.
	OnlyLeaf Condition = "only-leaf"
	// HasInit: a block with an initialiser cannot take part.
	HasInit Condition = "has-init"
	// NoInit: a block lacks the initialiser of a reduction.
	NoInit Condition = "no-init"
	// Predicate: a block has a predicate that cannot be kept.
	Predicate Condition = "predicate"
	// SingleWriter: a buffer has more than one writer in the scope, or none.
	SingleWriter Condition = "single-writer"
	// SingleAccess: a buffer is accessed in more than one way.
	SingleAccess Condition = "single-access"
	// BodyForm: the body of a block is not of the form that is needed.
	BodyForm Condition = "body-form"
	// IndexForm: indices are not of the form that is needed.
	IndexForm Condition = "index-form"
	// NotInvertible: an index map has no inverse.
	NotInvertible Condition = "not-invertible"
	// Producers: not every producer lies where it has to.
	Producers Condition = "producers"
	// Consumers: not every consumer lies where it has to.
	Consumers Condition = "consumers"
	// AncestorLoop: the block lies under the loop already.
	AncestorLoop Condition = "ancestor-loop"
	// LoopPosition: the loop does not lie where it has to.
	LoopPosition Condition = "loop-position"
	// Reducer: the update is no reduction that can be reassociated.
	Reducer Condition = "reducer"
	// BufferScope: the buffer is not allocated in the function.
	BufferScope Condition = "buffer-scope"
	// PadValue: padding needs a value, or the value does not fit.
	PadValue Condition = "pad-value"
	// KeyPresent: the annotation to remove is absent.
	KeyPresent Condition = "key-present"
	// Description: the block is not what a tensor intrinsic describes, or its
	// implementation does not fit.
	Description Condition = "description"
	// PostprocTwice: a trace enters postprocessing at most once.
	PostprocTwice Condition = "postproc-twice"
)

// Error is a refused call. It is a cheap value: searches make thousands.
type Error struct {
	Primitive string    // the name of the method in snake case
	Condition Condition // what was broken
	Location  string    // the block, loop or buffer it is about, may be empty
	Reason    string    // one sentence
}

// Error prints `refused: PRIMITIVE: CONDITION: LOCATION: REASON`.
func (e *Error) Error() string {
	if e.Location == "" {
		return fmt.Sprintf("refused: %s: %s: %s", e.Primitive, e.Condition, e.Reason)
	}
	return fmt.Sprintf("refused: %s: %s: %s: %s", e.Primitive, e.Condition, e.Location, e.Reason)
}

// refuse makes an Error whose primitive the front door fills in.
func refuse(c Condition, location, format string, args ...any) *Error {
	return &Error{Condition: c, Location: location, Reason: fmt.Sprintf(format, args...)}
}

// by returns e as an error of primitive p, and nil for nil.
func (e *Error) by(p string) error {
	if e == nil {
		return nil
	}
	e.Primitive = p
	return e
}
