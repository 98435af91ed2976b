package simulate

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
)

// logFormat is the first field of a stored log.
const logFormat = "hone-measurements/1"

// Log is what was measured of one workload on one device.
type Log struct {
	Format   string        `json:"format"`
	Name     string        `json:"name"`
	Target   target.Target `json:"target"`
	CC       string        `json:"cc"`
	Workload string        `json:"workload"` // TVMScript
	// Raced is the time of the fastest candidate that won a race of many rounds.
	Raced float64 `json:"raced"`
	// Sketches are the traces of the entries up to postprocessing, without decisions.
	Sketches []trace.Trace `json:"sketches"`
	Entries  []Entry       `json:"entries"`

	index map[string]int // of sketches by their text
}

// Entry is one measured candidate.
type Entry struct {
	Preset    string  `json:"preset"`
	Half      Half    `json:"half"`
	Sketch    int     `json:"sketch"`
	Decisions []any   `json:"decisions"` // of the instructions that have one, in order
	Hash      string  `json:"hash"`      // of the scheduled function, see Key
	Code      string  `json:"code"`
	NS        float64 `json:"ns"` // 0 when it failed
}

// Half says how a candidate was found.
type Half string

// The halves of a log.
const (
	RandomHalf  Half = "random"
	EvolvedHalf Half = "evolved"
)

// Key is how logs name a scheduled function: the first eight bytes of its
// canonical hash.
func Key(hash [32]byte) string { return fmt.Sprintf("%x", hash[:8]) }

// NewLog starts a log.
func NewLog(name string, f *tir.PrimFunc, t target.Target, cc string) *Log {
	return &Log{Format: logFormat, Name: name, Target: t, CC: cc, Workload: tir.Script(f)}
}

// Add appends a candidate: of e, Sketch and Decisions come from its trace and Hash
// from hash.
func (l *Log) Add(e Entry, t trace.Trace, hash [32]byte) error {
	t = t.WithoutPostproc()
	for _, d := range t.Decisions {
		if d != nil {
			e.Decisions = append(e.Decisions, d)
		}
	}
	sketch := trace.Trace{Insts: t.Insts, Decisions: make([]any, t.Len())}
	text, err := sketch.MarshalJSON()
	if err != nil {
		return err
	}
	at, ok := l.index[string(text)]
	if !ok {
		if l.index == nil {
			l.index = map[string]int{}
		}
		at = len(l.Sketches)
		l.index[string(text)] = at
		l.Sketches = append(l.Sketches, sketch)
	}
	e.Sketch, e.Hash = at, Key(hash)
	l.Entries = append(l.Entries, e)
	return nil
}

// Reference is the least time that fleets answer: that of the fastest winner of a
// race, because the least of many short measurements is a lucky one, or of the
// fastest entry where that is more.
func (l *Log) Reference() float64 {
	least := math.Inf(1)
	for i := range l.Entries {
		if ns := l.Entries[i].NS; ns > 0 {
			least = min(least, ns)
		}
	}
	return max(least, l.Raced)
}

// Func is the workload.
func (l *Log) Func() (*tir.PrimFunc, error) {
	m, err := tvmscript.Parse(l.Name, l.Workload)
	if err != nil {
		return nil, err
	}
	if len(m.Funcs) != 1 {
		return nil, fmt.Errorf("log %s holds %d functions", l.Name, len(m.Funcs))
	}
	return m.Funcs[0], nil
}

// Trace is the trace of an entry up to postprocessing.
func (l *Log) Trace(e *Entry) (trace.Trace, error) {
	if e.Sketch < 0 || e.Sketch >= len(l.Sketches) {
		return trace.Trace{}, fmt.Errorf("log %s: an entry of sketch %d, of which there are %d", l.Name, e.Sketch, len(l.Sketches))
	}
	t := l.Sketches[e.Sketch]
	out := trace.Trace{Insts: t.Insts, Decisions: make([]any, t.Len())}
	n := 0
	for i, inst := range t.Insts {
		if inst.Kind.Decision == schedule.NoDecision {
			continue
		}
		if n == len(e.Decisions) {
			return trace.Trace{}, fmt.Errorf("log %s: candidate %s has %d decisions, its sketch more", l.Name, e.Hash, n)
		}
		d, err := decision(e.Decisions[n])
		if err != nil {
			return trace.Trace{}, fmt.Errorf("log %s: candidate %s: %w", l.Name, e.Hash, err)
		}
		out.Decisions[i] = d
		n++
	}
	return out, nil
}

// decision is a decision as traces hold it, of one as JSON does.
func decision(v any) (any, error) {
	switch x := v.(type) {
	case int64, []int64:
		return x, nil
	case float64:
		return int64(x), nil
	case []any:
		out := make([]int64, len(x))
		for i, y := range x {
			n, ok := y.(float64)
			if !ok {
				return nil, fmt.Errorf("%v is no decision", v)
			}
			out[i] = int64(n)
		}
		return out, nil
	}
	return nil, fmt.Errorf("%v is no decision", v)
}

// Write stores the log, compressed.
func (l *Log) Write(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(z).Encode(l); err != nil {
		return err
	}
	return z.Close()
}

// Read is the opposite of Write.
func Read(r io.Reader) (*Log, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("a log of measurements: %w", err)
	}
	l := &Log{}
	if err := json.NewDecoder(z).Decode(l); err != nil {
		return nil, fmt.Errorf("a log of measurements: %w", err)
	}
	if l.Format != logFormat {
		return nil, fmt.Errorf("a log of format %q, not %q", l.Format, logFormat)
	}
	return l, z.Close()
}
