package wire

import "time"

// Kind says what an agent does with a work item.
type Kind string

// The kinds of work.
const (
	KindBuild    Kind = "build"    // compile the source, store the artifact
	KindMeasure  Kind = "measure"  // check and time the entries up to stage 3; builds first when the item carries source and no artifact
	KindRace     Kind = "race"     // stage 4: interleave the entries and the incumbent, with fresh inputs
	KindSelftest Kind = "selftest" // reference kernel and sandbox checks; no entries
)

// Work is one work item: 1 to MaxEntries trials of one task to build, measure or race.
type Work struct {
	V       int    `json:"v"`
	Work    string `json:"work"`
	Kind    Kind   `json:"kind"`
	Project string `json:"project"`
	Job     string `json:"job"`
	Pool    string `json:"pool"`
	Attempt int    `json:"attempt"` // from 1
	Nonce   string `json:"nonce"`   // 128 bits, echoed by the result

	// DeadlineMS is the time an agent may spend on the item from its delivery. It is a
	// duration, not an instant: boards need no clock.
	DeadlineMS int64  `json:"deadline_ms"`
	Limits     Limits `json:"limits"`
	Protocol   int    `json:"protocol"`

	Toolchain *Toolchain `json:"toolchain,omitempty"` // with Source
	Source    *Source    `json:"source,omitempty"`
	Artifact  *Blob      `json:"artifact,omitempty"` // absent on a build item
	Entries   []Entry    `json:"entries,omitempty"`

	Threads   int        `json:"threads"`
	Seed      uint64     `json:"seed"`
	Args      []Arg      `json:"args,omitempty"` // in the parameter order of the unpacked function
	Incumbent *Incumbent `json:"incumbent,omitempty"`
	Expect    *Expect    `json:"expect,omitempty"`

	// Cold asks for cold weights: constant operands rotate over copies that total at
	// least twice the device's last-level cache, while activations stay warm.
	Cold bool `json:"cold,omitempty"`
}

// Deadline is DeadlineMS as a duration.
func (w *Work) Deadline() time.Duration { return time.Duration(w.DeadlineMS) * time.Millisecond }

// Limits bound what one candidate may use.
type Limits struct {
	BuildMS int64 `json:"build_ms"` // compiler wall time of one translation unit
	RunMS   int64 `json:"run_ms"`   // wall time of one kernel call
	MemMB   int64 `json:"mem_mb"`   // memory beyond the operands
	OutKB   int64 `json:"out_kb"`   // size of the linked artifact
}

// Build and Run are the time limits as durations.
func (l Limits) Build() time.Duration { return time.Duration(l.BuildMS) * time.Millisecond }

// Run is the limit of one kernel call.
func (l Limits) Run() time.Duration { return time.Duration(l.RunMS) * time.Millisecond }

// Toolchain names the compiler a unit was written for.
type Toolchain struct {
	CC      string   `json:"cc"`                // "gcc", "clang" or a cross compiler's name; never a path
	Version string   `json:"version,omitempty"` // empty accepts the agent's version
	Flags   []string `json:"flags,omitempty"`
	Triple  string   `json:"triple,omitempty"` // empty means the agent's own
}

// Source is one translation unit. SHA256 and Size describe the plain text; Inline is the
// zstd frame of it when that fits MaxInline, otherwise the text is fetched as a blob.
type Source struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Inline []byte `json:"inline,omitempty"`
}

// Blob is content-addressed data: an artifact (a linked kernel image) or a log.
type Blob struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Entry is one trial: a kernel of the item's artifact (or of its own).
type Entry struct {
	Trial     string `json:"trial"`
	Symbol    string `json:"symbol"`
	Workspace int64  `json:"workspace,omitempty"` // bytes
	Pack      []Pack `json:"pack,omitempty"`

	// Artifact overrides the item's artifact: race finalists come from several batches.
	Artifact *Blob `json:"artifact,omitempty"`
}

// Pack says that argument Arg (an index into Work.Args with role weight) is handed to the
// kernel as Bytes bytes written, untimed, by the function Symbol of the same image.
type Pack struct {
	Arg    int    `json:"arg"`
	Symbol string `json:"symbol"`
	Bytes  int64  `json:"bytes"`
}

// Kernel is a function of an artifact; without Artifact it is one of the item's own image.
type Kernel struct {
	Artifact  *Blob  `json:"artifact,omitempty"`
	Symbol    string `json:"symbol"`
	Workspace int64  `json:"workspace,omitempty"`
	Pack      []Pack `json:"pack,omitempty"`
}

// Incumbent is the kernel candidates are paired with, and its time on the scale of its
// task (order comes from paired ratios). Best is the fastest time known as a share of it,
// by which candidates are sorted out early; zero stands for one.
type Incumbent struct {
	Kernel
	Trial string  `json:"trial,omitempty"`
	NS    float64 `json:"ns"`
	Best  float64 `json:"best,omitempty"`
}

// reach is how many times slower than the best an incumbent may be.
const reach = 2

// Outgrown says whether candidates should be paired with the best kernel known from now on
// and no longer with the incumbent. Times are ratios to the incumbent: were it always the
// best, the luckiest ratio would become the scale of all that follow, again and again, and
// the times of a task whose candidates are all the same would fall for ever. An incumbent
// that stays makes one error, not a chain of them.
func Outgrown(incumbent, best float64) bool { return best*reach < incumbent }

// Rule is how outputs are compared.
type Rule string

// The comparison rules.
const (
	RuleExact Rule = "exact" // bitwise: linear workloads on small integers
	RuleClose Rule = "close" // |a-b| <= atol + rtol*|b|
)

// Expect says what right outputs are: those of a reference kernel, or outputs with a
// known digest (the concatenation of all out arguments; only with RuleExact).
type Expect struct {
	Reference     *Kernel `json:"reference,omitempty"`
	OutputsSHA256 string  `json:"outputs_sha256,omitempty"`
	Rule          Rule    `json:"rule"`
	RTol          float64 `json:"rtol,omitempty"`
	ATol          float64 `json:"atol,omitempty"`
}

// Role of an argument.
type Role string

// The roles.
const (
	RoleIn     Role = "in"     // activation: read-only, warm
	RoleOut    Role = "out"    // written; poisoned before each checked run
	RoleWeight Role = "weight" // constant: read-only, may be packed, may be cold
)

// Arg is one parameter of the unpacked function.
type Arg struct {
	DType     string    `json:"dtype"`
	Shape     []int64   `json:"shape"` // original layout, elements
	Role      Role      `json:"role"`
	Generator Generator `json:"generator"`
}

// Elems is the number of elements (1 for a scalar).
func (a *Arg) Elems() int64 {
	n := int64(1)
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Bytes is the size of the argument in its original layout.
func (a *Arg) Bytes() int64 { return a.Elems() * int64(DTypeSize(a.DType)) }
