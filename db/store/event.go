package store

import (
	"encoding/json"
	"time"
)

// Event is one step of a job's progress. Tables, pages and plain lines are
// functions of the stream of events.
type Event struct {
	Job     string
	Seq     int64 // from 1, without gaps
	At      time.Time
	Kind    string
	Version int // of the body's schema
	Body    json.RawMessage
}

// EventDraft is an event to append.
type EventDraft struct {
	Kind    string
	Version int // 0: 1
	Body    json.RawMessage
}
