package compiler

import (
	"encoding/hex"
	"fmt"

	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
)

// Record is what a database knows of a workload: data that a build replays.
type Record struct {
	ID    string
	Text  string  // the workload as it was tuned; traces find blocks by its names
	Trace []byte  // JSON
	NS    float64 // for display
	Rung  string  // how the target relates: "same target", "same micro-architecture" …
	Exact bool    // the record is for this very target
}

// Sources of a schedule, as reports name them.
const (
	SourceRecord   = "record"
	SourceFallback = "fallback" // a record of a related target
	SourceDefault  = "default"
)

// Choice is the schedule that a build uses for a task, and why.
type Choice struct {
	Task   Task
	Func   *tir.PrimFunc // scheduled
	Source string
	Record string  // its id, for records and fallbacks
	Cause  string  // why not a record of this target
	NS     float64 // the record's time, 0 without one
}

// Choose decides every task of a model: the record that a lookup found, keyed by
// the workload's hash in hex, else the default schedule. A record that does not
// replay is no reason to fail: its cause is reported.
func Choose(tasks []Task, found map[string]Record, t *target.Target) ([]Choice, error) {
	out := make([]Choice, len(tasks))
	for i, task := range tasks {
		c := Choice{Task: task, Source: SourceDefault, Cause: "no record of this workload"}
		if r, ok := found[hex.EncodeToString(task.Hash[:])]; ok {
			f, err := replay(task, r)
			if err == nil {
				c.Func, c.Record, c.NS, c.Cause, c.Source = f, r.ID, r.NS, "", SourceRecord
				if !r.Exact {
					c.Source, c.Cause = SourceFallback, r.Rung
				}
			} else {
				c.Cause = fmt.Sprintf("record %s does not replay: %v", r.ID, err)
			}
		}
		if c.Func == nil {
			s, _, err := dlight.Default(task.Func, t)
			if err != nil {
				return nil, err
			}
			c.Func = s.Func()
		}
		out[i] = c
	}
	return out, nil
}

// replay applies a record's trace to the text it was found on; the result takes
// the caller's arguments by position.
func replay(task Task, r Record) (*tir.PrimFunc, error) {
	f := task.Func
	if r.Text != "" {
		m, err := tvmscript.Parse("record "+r.ID, r.Text)
		if err != nil {
			return nil, err
		}
		if len(m.Funcs) != 1 || tir.Hash(m.Funcs[0]) != task.Hash {
			return nil, fmt.Errorf("its workload is another one")
		}
		f = m.Funcs[0]
	}
	t, err := trace.Parse(r.Trace)
	if err != nil {
		return nil, err
	}
	s := schedule.NewFunc(f, nil)
	if err := t.Replay(s, trace.Options{}); err != nil {
		return nil, err
	}
	return s.Func(), nil
}
