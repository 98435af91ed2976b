package store

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Record is a verified result: immutable, one per accepted ok trial.
type Record struct {
	ID         int64
	Project    string
	Workload   string // hash
	Target     string // key
	Variant    string
	Job        string
	Trial      int64
	Attempt    int64
	Trace      json.RawMessage
	TraceHash  string
	Ns         float64 // for display: champions are chosen by paired ratios
	Samples    []float64
	Conditions json.RawMessage
	Toolchain  json.RawMessage
	Provenance json.RawMessage
	At         time.Time
}

// RecordDraft is what a record holds besides its trial and attempt.
type RecordDraft struct {
	Toolchain  json.RawMessage
	Provenance json.RawMessage
}

// RecordFilter selects records; zero fields select all.
type RecordFilter struct {
	Project  string
	Job      string
	Workload string // a hash, or how it begins
	Target   string
	Before   int64 // records with a smaller id, for paging
	Limit    int   // 0: 100
}

// RelatedQuery asks for what other workloads of the same structure have taught.
type RelatedQuery struct {
	Project  string
	Workload string    // hash
	Target   string    // key
	Before   time.Time // records of an earlier time
	Each     int       // records a workload
	Limit    int       // workloads, those with the newest records
}

// Champion is a record that won its race.
type Champion struct {
	ID           int64
	Project      string
	Workload     string
	Target       string
	Record       int64
	RaceAttempt  int64
	Ratio        float64 // time over that of what it raced; below 1 is faster
	CILow        float64
	CIHigh       float64
	Toolchain    json.RawMessage
	At           time.Time
	SupersededAt time.Time // zero: current
}

// Promotion is the outcome of a race.
type Promotion struct {
	Project  string
	Workload string
	Target   string
	Record   int64
	// Against is the champion that was raced, 0 when there was none and the
	// race was against the default schedule.
	Against     int64
	RaceAttempt int64
	Ratio       float64
	CILow       float64
	CIHigh      float64
	Toolchain   json.RawMessage
}

// Validate refuses a race that does not show a gain: its confidence interval
// must lie below 1.
func (p Promotion) Validate() error {
	for _, v := range []float64{p.Ratio, p.CILow, p.CIHigh} {
		if math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 {
			return fmt.Errorf("%w: promotion of record %d with ratio %v in [%v, %v]", ErrInvalid, p.Record, p.Ratio, p.CILow, p.CIHigh)
		}
	}
	if p.CILow > p.Ratio || p.Ratio > p.CIHigh || p.CIHigh >= 1 {
		return fmt.Errorf("%w: promotion of record %d: the interval [%v, %v] of ratio %v does not exclude no gain", ErrInvalid, p.Record, p.CILow, p.CIHigh, p.Ratio)
	}
	return nil
}
