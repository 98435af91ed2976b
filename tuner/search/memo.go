package search

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"

	"hone/compiler/schedule"
	"hone/compiler/trace"
)

// memo remembers what traces became within a round, so that a trace that comes
// up again is not replayed. What a trace with all its decisions becomes is a
// function of the trace: who asks first makes no difference.
type memo struct {
	mu    sync.Mutex
	known map[[32]byte]result
}

type result struct {
	c   Candidate
	err error
}

func newMemo() *memo { return &memo{known: map[[32]byte]result{}} }

// of completes a trace, or gives what it became before.
func (m *memo) of(t trace.Trace, complete func() (Candidate, error)) (Candidate, error) {
	key, ok := traceKey(t)
	if !ok {
		return complete()
	}
	m.mu.Lock()
	r, ok := m.known[key]
	m.mu.Unlock()
	if !ok {
		r.c, r.err = complete()
		m.mu.Lock()
		m.known[key] = r
		m.mu.Unlock()
	}
	return r.c, r.err
}

// traceKey identifies the instructions and decisions of a trace up to
// postprocessing. Equal traces from different sources may have different keys,
// because the numbers of handles count. A trace with a decision missing, or with
// values that are neither numbers, texts nor lists, has none.
func traceKey(t trace.Trace) (key [32]byte, ok bool) {
	w := keyWriter{buf: make([]byte, 0, 1024)}
	for i := range t.Postproc() {
		inst := &t.Insts[i]
		if inst.Kind.Decision != schedule.NoDecision && t.Decisions[i] == nil {
			return key, false
		}
		w.text(inst.Kind.Name)
		w.list(inst.Inputs)
		w.list(inst.Attrs)
		w.value(t.Decisions[i])
	}
	return sha256.Sum256(w.buf), !w.opaque
}

type keyWriter struct {
	buf    []byte
	opaque bool // a value was not written
}

func (w *keyWriter) num(tag byte, n int64) { w.buf = binary.AppendVarint(append(w.buf, tag), n) }

func (w *keyWriter) text(s string) {
	w.num('s', int64(len(s)))
	w.buf = append(w.buf, s...)
}

func (w *keyWriter) list(vs []any) {
	w.num('l', int64(len(vs)))
	for _, v := range vs {
		w.value(v)
	}
}

func (w *keyWriter) value(v any) {
	switch x := v.(type) {
	case nil:
		w.num('0', 0)
	case int64:
		w.num('i', x)
	case []int64:
		w.num('d', int64(len(x)))
		for _, n := range x {
			w.num('i', n)
		}
	case float64:
		w.num('f', int64(math.Float64bits(x)))
	case string:
		w.text(x)
	case []any:
		w.list(x)
	case schedule.BlockRV:
		w.num('B', int64(x))
	case schedule.LoopRV:
		w.num('L', int64(x))
	case schedule.ExprRV:
		if x.ID() == 0 {
			w.num('e', x.Value())
		} else {
			w.num('E', int64(x.ID()))
		}
	default:
		w.opaque = true
	}
}
