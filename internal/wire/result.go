package wire

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Result is an agent's answer to one attempt at a work item.
type Result struct {
	V          int           `json:"v"`
	Work       string        `json:"work"`
	Attempt    int           `json:"attempt"`
	Nonce      string        `json:"nonce"`
	Agent      string        `json:"agent"`
	Device     string        `json:"device"`
	Boot       string        `json:"boot"` // one id per start of the machine
	BuildID    string        `json:"build_id"`
	Deliveries int           `json:"deliveries"`
	Clocks     Clocks        `json:"clocks"`
	Artifact   *Blob         `json:"artifact,omitempty"` // what a build produced; nil when a split build left several
	Entries    []EntryResult `json:"entries,omitempty"`
	Conditions Conditions    `json:"conditions"`
	LogSHA256  string        `json:"log_sha256,omitempty"`

	// Code is the outcome of the item as a whole: ok when the entries speak for
	// themselves, a device or infra code when nothing could be said about any of them.
	Code   Code   `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`

	// DiedWith is evidence from an agent that restarted: what ran when it died.
	DiedWith *DiedWith `json:"died_with,omitempty"`
}

// Clocks are the milliseconds spent on an item, by phase.
type Clocks struct {
	Queue float64 `json:"queue"` // published to delivered
	Fetch float64 `json:"fetch"`
	Build float64 `json:"build"`
	Run   float64 `json:"run"`
}

// EntryResult is the outcome of one trial.
type EntryResult struct {
	Trial string `json:"trial"`
	Code  Code   `json:"code"`
	Stage int    `json:"stage"` // ladder stage reached, 0 when it never ran

	SamplesNS   []float64 `json:"samples_ns,omitempty"`   // per call, in time order
	IncumbentNS []float64 `json:"incumbent_ns,omitempty"` // paired with SamplesNS when both are present
	NS          float64   `json:"ns,omitempty"`           // the time to display: the minimum of the accepted samples

	// Ratio is candidate over incumbent, the median of the paired ratios (below 1 is
	// faster), with a 95 % interval; 0 where no pairs were taken.
	Ratio  float64 `json:"ratio,omitempty"`
	CILow  float64 `json:"ci_low,omitempty"`
	CIHigh float64 `json:"ci_high,omitempty"`

	MaxErr float64 `json:"max_err"` // largest |a-b| seen by the check
	Detail string  `json:"detail,omitempty"`

	// Artifact is set when the entry's image differs from the result's: a batch that
	// had to be split leaves one image per part.
	Artifact *Blob `json:"artifact,omitempty"`
}

// Conditions describe the device while it measured.
type Conditions struct {
	CPU          int       `json:"cpu,omitempty"`       // first core the executor was pinned to
	ClockMHz     float64   `json:"clock_mhz,omitempty"` // from the reference kernel where the kernel says nothing
	Load1        float64   `json:"load1"`
	TempC        float64   `json:"temp_c,omitempty"`
	Timer        string    `json:"timer,omitempty"`         // "thread_cpu" or "wall"
	Mode         string    `json:"mode,omitempty"`          // "warm" or "cold" weights
	ReferenceNS  []float64 `json:"reference_ns,omitempty"`  // reference kernel before and after each batch
	Drift        float64   `json:"drift,omitempty"`         // largest relative change between two of them
	Discarded    int       `json:"discarded,omitempty"`     // rounds thrown away
	Remeasured   int       `json:"remeasured,omitempty"`    // batches repeated because of drift
	PeakGFLOPS   float64   `json:"peak_gflops,omitempty"`   // selftest
	Protocol     int       `json:"protocol,omitempty"`      // measurement procedure
	Sandbox      []string  `json:"sandbox,omitempty"`       // what was applied
	SandboxLacks []string  `json:"sandbox_lacks,omitempty"` // what could not be, with the reason
	Suspect      string    `json:"suspect,omitempty"`       // why the device left its own history: evidence for quarantine
	Executors    int       `json:"executors,omitempty"`     // children started for this item
}

// DiedWith says which item, and where known which entry, was running when the agent or
// its machine died. Alone is true when nothing else of the batch had run in that child.
type DiedWith struct {
	Work    string `json:"work"`
	Attempt int    `json:"attempt"`
	Nonce   string `json:"nonce"`
	Boot    string `json:"boot"` // the boot that died
	Trial   string `json:"trial,omitempty"`
	Alone   bool   `json:"alone"`
}

// Validate reports the first violated rule of a received result.
func (r *Result) Validate() error {
	if err := checkVersion("result", r.V); err != nil {
		return err
	}
	switch {
	case !validID(r.Work):
		return fmt.Errorf("result: bad work id %q", r.Work)
	case r.Attempt < 1:
		return fmt.Errorf("result of %s: attempt %d", r.Work, r.Attempt)
	case !ValidNonce(r.Nonce):
		return fmt.Errorf("result of %s: bad nonce %q", r.Work, r.Nonce)
	case !validAgent(r.Agent):
		return fmt.Errorf("result of %s: bad agent id %q", r.Work, r.Agent)
	case r.Code != "" && !r.Code.Known():
		return fmt.Errorf("result of %s: unknown code %q", r.Work, r.Code)
	case len(r.Entries) > MaxEntries:
		return fmt.Errorf("result of %s: %d entries, more than %d", r.Work, len(r.Entries), MaxEntries)
	}
	seen := map[string]bool{}
	for i := range r.Entries {
		e := &r.Entries[i]
		switch {
		case !validID(e.Trial):
			return fmt.Errorf("result of %s: entry %d: bad trial id %q", r.Work, i, e.Trial)
		case seen[e.Trial]:
			return fmt.Errorf("result of %s: trial %s twice", r.Work, e.Trial)
		case !e.Code.Known():
			return fmt.Errorf("result of %s: trial %s: unknown code %q", r.Work, e.Trial, e.Code)
		case !(e.NS >= 0 && e.Ratio >= 0) || math.IsInf(e.NS+e.Ratio, 1):
			return fmt.Errorf("result of %s: trial %s: time %g, ratio %g", r.Work, e.Trial, e.NS, e.Ratio)
		case e.Stage < 0 || e.Stage > 4:
			return fmt.Errorf("result of %s: trial %s: stage %d", r.Work, e.Trial, e.Stage)
		case e.Artifact != nil && e.Artifact.validate() != nil:
			return fmt.Errorf("result of %s: trial %s: %w", r.Work, e.Trial, e.Artifact.validate())
		}
		if err := positive(e.SamplesNS, e.IncumbentNS); err != nil {
			return fmt.Errorf("result of %s: trial %s: %w", r.Work, e.Trial, err)
		}
		seen[e.Trial] = true
	}
	if r.Artifact != nil {
		if err := r.Artifact.validate(); err != nil {
			return fmt.Errorf("result of %s: %w", r.Work, err)
		}
	}
	return nil
}

func positive(lists ...[]float64) error {
	for _, l := range lists {
		for _, v := range l {
			if !(v > 0) || math.IsInf(v, 0) {
				return fmt.Errorf("sample %g ns is not a positive time", v)
			}
		}
	}
	return nil
}

func (r *Result) sanitize() {
	r.Detail = cut(r.Detail)
	r.Conditions.Drift = finite(r.Conditions.Drift)
	entries := make([]EntryResult, len(r.Entries))
	for i, e := range r.Entries {
		e.Detail = cut(e.Detail)
		e.MaxErr = finite(e.MaxErr)
		e.Ratio, e.CILow, e.CIHigh = finite(e.Ratio), finite(e.CILow), finite(e.CIHigh)
		entries[i] = e
	}
	r.Entries = entries
}

// finite maps NaN and infinities to the largest number: an error that is NaN is as large
// as an error can be.
func finite(v float64) float64 {
	switch {
	case math.IsNaN(v), math.IsInf(v, 1):
		return math.MaxFloat64
	case math.IsInf(v, -1):
		return -math.MaxFloat64
	}
	return v
}

// cut bounds a text to MaxDetail bytes of valid UTF-8, keeping its head.
func cut(s string) string {
	s = strings.ToValidUTF8(s, "?")
	if len(s) <= MaxDetail {
		return s
	}
	end := MaxDetail - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
