package schedtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"hone/internal/wire"
)

// Fleet is what simulated agents have in common: the artifacts they made, and
// what comes of candidates. It is safe for concurrent use.
type Fleet struct {
	mu        sync.Mutex
	artifacts map[string]map[string]int // digest → symbol → point
}

// NewFleet returns a fleet that has built nothing yet.
func NewFleet() *Fleet { return &Fleet{artifacts: map[string]map[string]int{}} }

// Forget empties all caches.
func (f *Fleet) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.artifacts)
}

// Do executes an item: it fills in the artifact and the entries of r.
func (f *Fleet) Do(item wire.Work, r *wire.Result) error {
	if item.Source != nil {
		b, err := f.build(item)
		if err != nil {
			return err
		}
		r.Artifact = &b
	}
	for _, e := range item.Entries {
		r.Entries = append(r.Entries, f.entry(item, e))
	}
	return nil
}

// entry is what comes of one candidate.
func (f *Fleet) entry(item wire.Work, e wire.Entry) wire.EntryResult {
	x, ok := f.point(item, e)
	out := wire.EntryResult{Trial: e.Trial, Code: wire.OK}
	switch {
	case !ok:
		out.Code, out.Detail = wire.InfraArtifact, "the artifact is not there"
	case x%50 == 11:
		out.Code = wire.CandidateCompile
	case item.Kind == wire.KindBuild:
	case x%50 == 7:
		out.Code = wire.CandidateCrash
	case x%50 == 9:
		out.Code, out.MaxErr = wire.CandidateMismatch, 3
	default:
		ns := Candidate{X: x}.Ns()
		out.Stage, out.NS, out.SamplesNS = 3, ns, []float64{ns + 1, ns, ns + 2}
		if item.Kind == wire.KindRace {
			out.Stage, out.IncumbentNS = 4, []float64{2000, 2000, 2000}
			out.Ratio = ns / 2000
			out.CILow, out.CIHigh = out.Ratio-0.01, out.Ratio+0.01
		}
	}
	return out
}

// build makes the artifact of an item's source.
func (f *Fleet) build(item wire.Work) (b wire.Blob, err error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return b, err
	}
	defer z.Close()
	text, err := z.DecodeAll(item.Source.Inline, nil)
	if sum := sha256.Sum256(text); err != nil || hex.EncodeToString(sum[:]) != item.Source.SHA256 {
		return b, fmt.Errorf("work item %s: its source does not match its digest (%v)", item.Work, err)
	}
	points := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var symbol string
		var x int
		if _, err := fmt.Sscanf(line, sourceLine, &symbol, &x); err != nil {
			return b, fmt.Errorf("work item %s: source line %q: %w", item.Work, line, err)
		}
		points[symbol] = x
	}
	image := sha256.Sum256(append(text, "image"...))
	b = wire.Blob{SHA256: hex.EncodeToString(image[:]), Size: int64(len(text))}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.artifacts[b.SHA256] = points
	return b, nil
}

// point finds the candidate behind an entry; false if its artifact is not
// there.
func (f *Fleet) point(item wire.Work, e wire.Entry) (int, bool) {
	art := e.Artifact
	if art == nil {
		art = item.Artifact
	}
	if art == nil && item.Source != nil {
		b, err := f.build(item)
		if err != nil {
			return 0, false
		}
		art = &b
	}
	if art == nil {
		return 0, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	x, ok := f.artifacts[art.SHA256][e.Symbol]
	return x, ok
}
