package store

// Rung says how near the target of a hit is to the target asked for.
type Rung int

// The ladder, nearest first.
const (
	RungExact  Rung = iota // the same target key
	RungDevice             // the same device model
	RungUArch              // the same micro-architecture
	RungISA                // the same instruction set
)

// String is the rung's label in reports.
func (r Rung) String() string {
	switch r {
	case RungExact:
		return "exact"
	case RungDevice:
		return "same device model"
	case RungUArch:
		return "same micro-architecture"
	case RungISA:
		return "same instruction set"
	}
	return "unknown rung"
}

// LookupQuery asks for all workloads of a module at once.
type LookupQuery struct {
	// Layers are the projects to look in, the preferred one first.
	Layers    []string
	Workloads []string // hashes
	Target    Target
}

// Hit is something to use for a workload.
type Hit struct {
	Rung   Rung
	Layer  int // index into the query's layers
	Target string
	// Champion is nil for a record that has won no race: usable, to be
	// reported as such.
	Champion *Champion
	Record   Record
}

// Entry is the answer for one workload: at most one hit a rung, nearest rung
// first; within a rung champions before records, then earlier layers, then
// equal thread counts, then lesser times.
type Entry struct {
	Workload string
	Known    bool // the store has the workload, with or without hits
	Hits     []Hit
}

// Bundle is the answer for a module, in the query's order of workloads.
type Bundle struct {
	Target  string
	Entries []Entry
}
