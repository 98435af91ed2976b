package feature

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Version counts changes of what columns mean. Models of another schema are
// dropped.
const Version = 1

// Sizes of the groups of the reference.
const (
	buffersPerStore  = 5
	bufferColumns    = 18
	intensitySamples = 10
	logSamples       = 5
	cacheLine        = 64 // bytes
)

// Offsets of the groups within a row.
const (
	colArith     = 0
	colLoops     = colArith + 2*opKinds + 2
	colGPU       = colLoops + 3*loopColumns
	colBuffers   = colGPU + 8
	colIntensity = colBuffers + buffersPerStore*bufferColumns
	colAlloc     = colIntensity + intensitySamples
	colOuter     = colAlloc + 4
	colTile      = colOuter + 3
	colVector    = colTile + 11
	colPacked    = colVector + 4
	colParallel  = colPacked + 3
	colCache     = colParallel + 4
	colBounds    = colCache + 5
	colCurve     = colBounds + 2

	// Width is the number of columns.
	Width = colCurve + logSamples

	loopColumns = 11
)

// names lists the columns in order. Values marked raw are as they are, all
// others are log2(|x| + 1).
var names = makeNames()

func makeNames() []string {
	var out []string
	add := func(prefix string, columns string) {
		for _, c := range strings.Fields(columns) {
			out = append(out, prefix+c)
		}
	}
	const kinds = "mad addsub mul divmod compare math other"
	add("arith.float_", kinds)
	add("arith.int_", kinds)
	add("arith.", "bool select")
	for _, k := range []string{"vectorize", "unroll", "parallel"} {
		add(k+".", "loops product innermost")
		add(k+".at_", "none inner_spatial middle_spatial outer_spatial inner_reduce middle_reduce outer_reduce mixed")
	}
	add("gpu.", "is_gpu block_x block_y block_z thread_x thread_y thread_z vthread")
	for i := range buffersPerStore {
		add(fmt.Sprintf("buffer%d.", i), "read write read_write bytes unique_bytes lines unique_lines "+
			"reuse_loop reuse_serial reuse_none reuse_iterations reuse_bytes reuse_count "+
			"bytes_per_reuse unique_bytes_per_reuse lines_per_reuse unique_lines_per_reuse stride")
	}
	for i := range intensitySamples {
		out = append(out, fmt.Sprintf("intensity.%d", i+1))
	}
	add("alloc.", "bytes elements_executed outer inner")
	add("outer.", "iterations loops unroll_max_step")
	add("tile.", "accumulators loaded pressure over_budget in_memory ops_per_load reduce_innermost reduce_total "+
		"unroll_k prefetch spatial")
	add("vector.", "lane_use contiguous gather registers")
	add("packed.", "run_bytes reduce_stride weakest_run")
	add("parallel_work.", "chunks balance ops_per_chunk chunks_per_thread")
	add("cache.", "reduce_over_l1 chunk_over_l2 ops_in_l1 ops_in_l2 lines_per_op")
	add("bounds.", "waste guarded")
	for i := range logSamples {
		out = append(out, fmt.Sprintf("curve.%d", i+1))
	}
	if len(out) != Width {
		panic(fmt.Sprintf("BUG: %d column names for %d columns", len(out), Width))
	}
	return out
}

// Names returns the columns in order.
func Names() []string { return slices.Clone(names) }

// Schema identifies the columns and their meaning: a version and a digest of the
// names. Rows and models of different schemas must not be mixed.
func Schema() string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return fmt.Sprintf("hone-features-%d-%d-%x", Version, Width, sum[:6])
}
