package schedule

import "hone/compiler/tir"

// The annotation keys that Hone gives a meaning to, in one place. Keys that
// start with meta_schedule. or pragma_ are spelled as in MetaSchedule's traces.
const (
	// KeyTilingStructure marks a block that multi-level tiling made; value: the
	// tile structure, "SSRSRS".
	KeyTilingStructure = "meta_schedule.tiling_structure"
	// KeyParallel on the root block: the greatest extent to run in parallel.
	KeyParallel = "meta_schedule.parallel"
	// KeyVectorize on the root block: the greatest extent to vectorise.
	KeyVectorize = "meta_schedule.vectorize"
	// KeyUnrollExplicit on the root block: the greatest unrolled body, spelled
	// out; KeyUnrollImplicit leaves it to the C compiler.
	KeyUnrollExplicit = "meta_schedule.unroll_explicit"
	KeyUnrollImplicit = "meta_schedule.unroll_implicit"
	// KeyInlineRule on a block: "disable" keeps the automatic inlining away.
	KeyInlineRule = tir.AnnInlineRule
	// KeyRandomCompute on a block: 1 asks for a sampled compute location.
	KeyRandomCompute = "meta_schedule.random_compute_producer"
	// KeyCooperativeFetch on a copy block: how many elements a thread fetches.
	KeyCooperativeFetch = "meta_schedule.cooperative_fetch"
	// KeyThreadExtentLow and KeyThreadExtentHigh on a block: the bounds of the
	// threads in a group, inclusive.
	KeyThreadExtentLow  = "meta_schedule.thread_extent_low_inclusive"
	KeyThreadExtentHigh = "meta_schedule.thread_extent_high_inclusive"
	// KeyAutoTensorize on a block: the intrinsic that it is to become;
	// KeyAutoTensorizeInit is the one of its initialiser.
	KeyAutoTensorize     = "meta_schedule.auto_tensorize"
	KeyAutoTensorizeInit = "meta_schedule.auto_tensorize_init"
	// KeyLayoutRewritePreproc marks the block that packs a constant parameter:
	// it is split off the function and runs when the artifact is made.
	KeyLayoutRewritePreproc = "meta_schedule.layout_rewrite_preproc"
	// KeyLayoutFree on a block: indices of reads whose layout may be chosen.
	KeyLayoutFree = "layout_free_placeholders"
	// KeyExplicitReads and KeyExplicitWrites on a block: indices of regions that
	// annotate_buffer_access declared.
	KeyExplicitReads  = "explicit_read_region"
	KeyExplicitWrites = "explicit_write_region"
	// KeyScheduleRule on a block: the name of the rule that schedules it.
	KeyScheduleRule = "schedule_rule"

	// KeyUnrollMaxStep on a loop: unroll bodies up to that many steps;
	// KeyPragmaUnrollExplicit: 1 spells the unrolled body out.
	KeyUnrollMaxStep        = "pragma_auto_unroll_max_step"
	KeyPragmaUnrollExplicit = "pragma_unroll_explicit"

	// KeyUnrollK on the innermost reduction loop of a register tile: how many
	// of its steps the emitted loop body holds.
	KeyUnrollK = "hone.unroll_k"
	// KeyRegisterTile on a tiled block: [rows, columns, held vectors], the
	// operands of its register budget; rows and columns are sampled.
	KeyRegisterTile = "hone.register_tile"
	// KeyPrefetch on a block: how many steps ahead its innermost reduction loop
	// fetches the vectors that it streams.
	KeyPrefetch = "hone.prefetch"
)
