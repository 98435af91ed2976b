package api

import (
	"encoding/json"
	"time"
)

// Record is a verified result.
type Record struct {
	ID         int64           `json:"id"`
	Project    string          `json:"project"`
	Workload   string          `json:"workload"` // hash
	Target     string          `json:"target"`   // key
	Variant    string          `json:"variant,omitempty"`
	Job        string          `json:"job"`
	Trace      json.RawMessage `json:"trace"`
	TraceHash  string          `json:"trace_hash,omitempty"`
	Ns         float64         `json:"ns"`
	Samples    []float64       `json:"samples,omitempty"`
	Conditions json.RawMessage `json:"conditions,omitempty"`
	Toolchain  json.RawMessage `json:"toolchain,omitempty"`
	Provenance json.RawMessage `json:"provenance,omitempty"`
	At         time.Time       `json:"at"`
}

// RecordQuery selects records; zero fields select all.
type RecordQuery struct {
	Project  string
	Job      string
	Workload string // a hash, or how it begins
	Target   string
	Before   int64 // records with a smaller id, for paging
	Limit    int   // 0: 100
}

// LookupQuery asks for all workloads of a module.
type LookupQuery struct {
	Layers    []string `json:"layers,omitempty"` // projects to look in, preferred first; empty: "default"
	Workloads []string `json:"workloads"`        // hashes
	Target    Target   `json:"target"`
}

// Bundle is the answer, in the query's order of workloads.
type Bundle struct {
	Target  string  `json:"target"`
	Entries []Entry `json:"entries"`
}

// Entry is the answer for one workload: at most one hit a rung of the ladder
// (exact target, device model, micro-architecture, instruction set), nearest
// first. An entry without hits is a miss; Known tells an untuned workload from
// one never seen.
type Entry struct {
	Workload string `json:"workload"`
	Known    bool   `json:"known"`
	Hits     []Hit  `json:"hits,omitempty"`
}

// Hit is something to use for a workload.
type Hit struct {
	Rung   int    `json:"rung"` // 0 exact, 1 device model, 2 micro-architecture, 3 instruction set
	Label  string `json:"label"`
	Target string `json:"target"` // the key it was measured on
	Layer  string `json:"layer"`
	// Champion says that the record won its race; else it is the best by its
	// stored time.
	Champion bool    `json:"champion"`
	Ratio    float64 `json:"ratio,omitempty"` // of the race
	Record   Record  `json:"record"`
}
